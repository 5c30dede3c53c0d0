import type { Verified } from './model-authorization.ts';
import { isHeld } from './model-certificates.ts';
import { findsToken, jwtVerdict, placesOfToken } from './model-jwt.ts';
import {
  apiKeys,
  basicAuth,
  clientCertificates,
  clientIPs,
  closed,
  placesOfKey,
  showsPassword,
} from './model-parts.ts';
import { isIn } from './networks.ts';
import type { Facts } from './request-facts.ts';
import type { Policy, World } from './world.ts';

type Spec = Policy['spec'];

interface Deps {
  readonly world: World;
  readonly facts: Facts;
  readonly verified: Verified;
}

/** What decides of a request where one credential is enough. */
type Decides = 'address or certificate' | 'password' | 'key' | 'token' | undefined;

export function decides({ clientIPs: addresses, clientCertificates: names, ...spec }: Spec, facts: Facts): Decides {
  const { ask, client } = facts;
  if (addresses?.allow && isIn(client, addresses.allow)) return 'address or certificate';
  if (names && isHeld(names, ask.certificate)) return 'address or certificate';
  if (spec.basicAuth && showsPassword(ask)) return 'password';
  if (spec.apiKeys && ask.key && placesOfKey(spec.apiKeys).includes(ask.key.in)) return 'key';
  return spec.jwt && findsToken(spec.jwt, facts) ? 'token' : undefined;
}

/** A status: denied. Else it goes on, with the claims that are verified by then. What is wrong with one of several closes all. */
export function anyVerdict(policy: Policy, deps: Deps): readonly (number | Verified)[] {
  const { spec } = policy;
  const { world, facts, verified } = deps;
  const password = spec.basicAuth && basicAuth(spec.basicAuth, world, facts);
  const key = spec.apiKeys && apiKeys(spec.apiKeys, world, facts);
  const token = spec.jwt && jwtVerdict(policy, spec.jwt, deps);
  const others = [
    spec.clientIPs && clientIPs(spec.clientIPs, facts),
    spec.clientCertificates && clientCertificates(spec.clientCertificates, facts),
  ];
  if ([password, key, ...others].includes(closed) || token?.includes(500) || isShared(spec)) return [500];
  switch (decides(spec, facts)) {
    case 'address or certificate':
      return [verified];
    case 'password':
      return password ?? [verified];
    case 'key':
      return key ?? [verified];
    case 'token':
      return token ?? [verified];
    case undefined:
      return [spec.basicAuth || spec.apiKeys || spec.jwt ? 401 : 403];
  }
}

/** One place for keys and tokens does not say what it holds. Cookies and parameters have different names in the model. */
function isShared({ apiKeys: keys, jwt }: Spec): boolean {
  const headers = keys ? placesOfKey(keys).filter((place) => place.startsWith('x-')) : [];
  return jwt?.providers.some((provider) => placesOfToken(provider).some((place) => headers.includes(place))) ?? false;
}
