import type { Authorization } from './authorization.ts';
import type { Cidr, ClientCertificates, ClientIPs } from './clients.ts';
import type { ApiKeys, BasicAuth, Jwt } from './credentials.ts';
import type { ExternalAuth } from './external-auth.ts';
import type { EditedHeader } from './header-edits.ts';
import type { Oidc } from './login.ts';
import type { ValueMatch } from './route-match.ts';

/** What a policy of access may demand, in the order in which requests meet it. */
export const accessParts = [
  'clientIPs',
  'clientCertificates',
  'csrf',
  'oidc',
  'any',
  'apiKeys',
  'basicAuth',
  'jwt',
  'forwardAuth',
  'authorization',
] as const;
export type AccessPart = (typeof accessParts)[number];

/** Where a part may be demanded, in the order in which requests meet the levels of one part. */
export const accessLevels = ['gateway', 'listenerSet', 'listener', 'route', 'rule'] as const;
export type AccessLevel = (typeof accessLevels)[number];

/**
 * What one level (a Gateway, a route, a rule of it) demands of requests: all parts that are there must hold. Levels add up. A part that a user
 * demands and that is not available is `closed`, never left out.
 */
export interface Access {
  /** Parts of which something is not available: requests are answered 500. */
  readonly closed?: readonly AccessPart[];
  /** Those of `closed` that may become available by themselves: 503. */
  readonly unavailable?: readonly AccessPart[];
  /** Keys of backends that parts need and that no request is forwarded to, other than a server that is asked. */
  readonly others?: readonly string[];
  readonly clientIPs?: ClientIPs;
  readonly clientCertificates?: ClientCertificates;
  readonly csrf?: Csrf;
  readonly oidc?: Oidc;
  readonly any?: AnyOf;
  readonly apiKeys?: ApiKeys;
  readonly basicAuth?: BasicAuth;
  readonly jwt?: Jwt;
  readonly forwardAuth?: ForwardAuth;
  readonly authorization?: Authorization;
}

/** Those above routes, the outermost first. */
export const tableLevels = ['gateway', 'listenerSet', 'listener'] as const satisfies readonly AccessLevel[];
export type TableLevel = (typeof tableLevels)[number];

/** What one level demands of requests to listeners. */
export interface ListenerAccess extends Access {
  readonly level: TableLevel;
  /** Key of the policy `NAMESPACE/NAME`, or of the first of several: what is at fault if proxies reject it. Empty: it is of several that are closed. */
  readonly source: string;
  /** Parts that routes may switch off. */
  readonly overridable: readonly AccessPart[];
}

/** The same, in a route table. */
export interface TableAccess extends ListenerAccess {
  /** Those of the listeners that it is for, sorted; undefined: it is for all requests of the table. */
  readonly hostnames?: readonly string[];
}

/**
 * What requests meet that are looked up in a route table, whatever their route. A request is a listener's by the virtual host that was found for it:
 * the most specific hostname that covers it.
 */
export interface TableGuards {
  /** At least one, the outermost level first. */
  readonly demands: readonly TableAccess[];
  /**
   * Those of all listeners of the table, sorted; there if some of the demands are for a part of them. In a table of HTTPS, which is one listener's,
   * `misdirectedHosts` stands for all others of the port: a chain does not follow their number.
   */
  readonly hostnames?: readonly string[];
}

/** What a rule of a route adds to its Gateway's demands. */
export interface RouteAccess {
  /** Of policies for the whole route. */
  readonly route?: Access;
  /** Of policies for the rule alone. */
  readonly rule?: Access;
  /** Parts of the levels above that the rule does without. It counts where ListenerAccess.overridable has them. */
  readonly overrides?: readonly AccessPart[];
  /** Limits of the route count by whose a request is. */
  readonly identifies?: true;
}

/** Requests that change something must come from pages of their own host, or of these. */
export interface Csrf {
  readonly additionalOrigins: readonly ValueMatch[];
  /** Count what would be denied, and let it pass. */
  readonly shadow?: true;
  /** The same for this share of requests, from 1 to 99. */
  readonly shadowPercent?: number;
}

/**
 * One of them is enough, and there are at least two. An address that is allowed, or a certificate, needs nothing more. Else the request must meet the first of
 * basicAuth, apiKeys and jwt for which it has something to show, right or wrong: none is tried after another.
 */
export interface AnyOf {
  readonly allow?: readonly Cidr[];
  readonly clientCertificates?: ClientCertificates;
  readonly apiKeys?: ApiKeys;
  readonly basicAuth?: BasicAuth;
  /** Not `optional`. */
  readonly jwt?: Jwt;
}

/** A server that is asked about each request, as in ir.ExternalAuth. */
export interface ForwardAuth extends ExternalAuth {
  /** With `http`: the server is asked for this path, whatever the request's; with a query, if it has one. */
  readonly path?: string;
  /** With `http`: headers of the question alone. */
  readonly setHeaders?: readonly EditedHeader[];
  /** Clients with these addresses are let in without a question. Never empty. */
  readonly exceptClientIPs?: readonly Cidr[];
  /** Headers of the server's answer that the client sees although it is let in, in lower case. */
  readonly toClient: readonly string[];
  readonly timeoutMs: number;
  /** Without an answer requests pass. Else they are answered `statusOnError`. */
  readonly failOpen: boolean;
  readonly statusOnError: number;
  /** Where browsers go that the server answers 401. */
  readonly signIn?: SignIn;
}

export interface SignIn {
  /** A URL, or a path of the same host; its query may be there, a fragment not. */
  readonly url: string;
  /** Parameter of the query by which it learns the URL that was asked for. */
  readonly returnParam: string;
}
