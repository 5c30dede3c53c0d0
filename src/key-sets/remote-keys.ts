import { createHash } from 'node:crypto';

/** Where a set of keys is fetched. */
export type KeysPlace =
  | { readonly kind: 'url'; readonly url: string }
  /** The issuer's discovery document names it. Source: OpenID Connect Discovery 1.0, 4. */
  | { readonly kind: 'discovery'; readonly issuer: string }
  /** `backend`: key of the ir.Backend. `host`: what the server is called. */
  | { readonly kind: 'service'; readonly backend: string; readonly host: string; readonly path: string };

/**
 * A set of keys that the control plane fetches. All policies that name the same place and the same authorities share it; one that names other
 * authorities never gets what was fetched by these.
 */
export interface RemoteKeys {
  readonly place: KeysPlace;
  /** authorityKey of each, sorted. Empty: the authorities of the system. Their names and not their content, so that keys stay while authorities are renewed. */
  readonly authorities: readonly string[];
  /** How long a policy wants them used before they are fetched again. Not part of what is shared: the shortest of all counts. */
  readonly freshMs?: number;
}

const prefix = 'gatewright-keys-';

/** Name of the ConfigMap that keeps what was fetched. */
export function keysName({ place, authorities }: RemoteKeys): string {
  const text = JSON.stringify([Object.entries(place).sort(), authorities]);
  return `${prefix}${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

export const isKeysName = (name: string): boolean => name.startsWith(prefix);

/** The place as people write it. */
export function describePlace({ place }: RemoteKeys): string {
  if (place.kind === 'url') return place.url;
  return place.kind === 'discovery' ? discoveryUrl(place.issuer) : `Service ${place.host}${place.path}`;
}

export const discoveryUrl = (issuer: string): string =>
  `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
