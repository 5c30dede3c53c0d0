import type { ObjectByKind } from '../../../src/gateway-api/index.ts';
import type { Holder } from './certificates.ts';
import type { TokenName } from './credentials.ts';

export type RouteKind = 'HTTPRoute' | 'GRPCRoute';

export type Policy = ObjectByKind['AccessPolicy'];
export type Part = NonNullable<Policy['spec']['overridable']>[number];

/** What policies refer to, by name. Namespaces are written where they are not the policies' own. */
export interface Referred {
  /** Secrets with the label of credentials: their entries. Those that are not here do not exist. */
  readonly secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** ConfigMaps with key sets: by whom the keys are; `none`: no public key is in it. */
  readonly keySets: Readonly<Record<string, 'staff' | 'machines' | 'none'>>;
}

/**
 * One host, in the place of its number (places.ts), with one route of three rules: `one` for /one, `two` for /two, and one for everything else. In a
 * GRPCRoute `one` and `two` are names of services.
 */
export interface Host {
  readonly kind: RouteKind;
  readonly policies: readonly Policy[];
  /** Found at once, or by a wildcard. */
  readonly isWildcard: boolean;
}

/** All that is on a gateway at one time. */
export interface World extends Referred {
  /** Policies of the Gateway, of its ListenerSet and of listeners. */
  readonly guards: readonly Policy[];
  readonly hosts: readonly Host[];
}

/** A request, by what counts. */
export interface Ask {
  /** A gRPC call, by HTTP/2. Its method is POST. */
  readonly isCall?: true;
  readonly method: string;
  readonly path: string;
  readonly spelling: 'exact' | 'capitals' | 'port';
  /** What the trusted hop says of the client: the whole X-Forwarded-For. */
  readonly forwardedFor?: string;
  /** It comes by TLS, and shows this in the handshake. Else it comes without TLS. */
  readonly certificate?: Holder;
  readonly key?: { readonly in: 'x-key' | 'x-other-key' | 'query' | 'cookie'; readonly value: string };
  readonly user?: { readonly name: string; readonly password: string };
  readonly token?: { readonly in: 'authorization' | 'x-token' | 'cookie' | 'query'; readonly name: TokenName };
  readonly origin?: string;
  readonly referer?: string;
  /** What the asked server decides by. */
  readonly consent?: 'yes' | 'no';
  readonly team?: string;
}
