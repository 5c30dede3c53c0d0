import type { Verified } from './model-authorization.ts';
import { placesOfToken } from './model-jwt.ts';
import type { Ask, Part, Policy } from './world.ts';

interface Demand {
  readonly part: Part;
  readonly policy: Policy;
}

/** What a request is answered that backends get, with the credentials that they see: `200`, `200 key`, `200 key token`. */
export const letIn = (demands: readonly Demand[], ask: Ask, verified: Verified): string =>
  [
    '200',
    ...(ask.key && !demands.some((demand) => hidesKey(demand, ask)) ? ['key'] : []),
    ...(ask.token && !demands.some((demand) => hidesToken(demand, ask, verified)) ? ['token'] : []),
  ].join(' ');

/** A credential goes that any policy in force does not forward. */
function hidesKey({ part, policy: { spec } }: Demand, { key }: Ask): boolean {
  if (part !== 'apiKeys' || !spec.apiKeys || spec.apiKeys.forwardKey) return false;
  return spec.apiKeys.from.some(({ header, query, cookie }) =>
    [header, query && 'query', cookie && 'cookie'].includes(key?.in),
  );
}

/** Where tokens of another provider of the policy are forwarded that come in the same place, it depends on whose the token is. */
function hidesToken({ part, policy }: Demand, { token }: Ask, verified: Verified): boolean {
  if (part !== 'jwt') return false;
  const here = (policy.spec.jwt?.providers ?? []).filter((provider) =>
    placesOfToken(provider).includes(token?.in ?? ''),
  );
  const hiding = here.filter(({ forwardToken }) => !forwardToken);
  if (hiding.length === here.length) return here.length > 0;
  const { namespace = 'default', name } = policy.metadata;
  return hiding.some((provider) => verified.has(`${namespace}/${name}/${provider.name}`));
}
