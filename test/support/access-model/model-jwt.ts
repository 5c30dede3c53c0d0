import { type Token, tokens } from './credentials.ts';
import type { Verified } from './model-authorization.ts';
import type { Facts } from './request-facts.ts';
import type { Policy, World } from './world.ts';

type Jwt = NonNullable<Policy['spec']['jwt']>;
type Provider = Jwt['providers'][number];

interface Deps {
  readonly world: World;
  readonly facts: Facts;
  readonly verified: Verified;
}

/** Statuses by which it may be denied, or the claims that are verified from then on. */
export function jwtVerdict(policy: Policy, { optional, providers }: Jwt, deps: Deps): readonly (number | Verified)[] {
  const { world, facts, verified } = deps;
  const keySets = providers.map(({ jwks }) => world.keySets[jwks.configMapRef?.name ?? '']);
  if (keySets.some((keys) => keys === undefined || keys === 'none')) return [500];
  const found = providers.map((provider) => tokenFor(provider, facts));
  if (found.every((token) => token === undefined)) return optional ? [verified] : [401];
  const good = providers.filter((provider, index) => isGood(found[index], provider, keySets[index]));
  // Of several providers the last word counts that says something of the token.
  if (good.length === 0) return [...new Set(providers.map((provider, index) => statusOf(provider, found[index])))];
  // A token that several providers would take is verified by one of them.
  return good.map((provider) => {
    const id = `${policy.metadata.namespace ?? 'default'}/${policy.metadata.name}/${provider.name}`;
    return new Map([...verified, [id, found[providers.indexOf(provider)]?.claims ?? {}]]);
  });
}

export const placesOfToken = ({ from }: Provider): readonly string[] =>
  from
    ? [
        ...(from.headers ?? []).map(({ name }) => name),
        ...(from.cookies ? ['cookie'] : []),
        ...(from.queryParams ? ['query'] : []),
      ]
    : ['authorization'];

export const findsToken = ({ providers }: Jwt, facts: Facts): boolean =>
  providers.some((provider) => tokenFor(provider, facts) !== undefined);

const tokenFor = (provider: Provider, { ask: { token } }: Facts): Token | undefined =>
  token && placesOfToken(provider).includes(token.in) ? tokens[token.name] : undefined;

function isGood(token: Token | undefined, { issuer, audiences }: Provider, keys: string | undefined): boolean {
  if (!token || token.isExpired || token.signer !== keys) return false;
  if (issuer !== undefined && token.claims.iss !== issuer) return false;
  return audiences === undefined || audiences.includes(token.claims.aud);
}

/** The audience is looked at behind issuer and time, and before the signature. */
function statusOf({ issuer, audiences }: Provider, token: Token | undefined): number {
  if (!token || token.isExpired || (issuer !== undefined && token.claims.iss !== issuer)) return 401;
  return audiences === undefined || audiences.includes(token.claims.aud) ? 401 : 403;
}
