import type { Demand } from './levels.ts';
import { decides } from './model-any.ts';
import type { Verified } from './model-authorization.ts';
import { placesOfToken } from './model-jwt.ts';
import { placesOfKey } from './model-parts.ts';
import type { Facts } from './request-facts.ts';

/** What a request is answered that backends get, with the credentials that they see: `200`, `200 key`, `200 key token`. */
export const letIn = (demands: readonly Demand[], facts: Facts, verified: Verified): string =>
  [
    '200',
    ...(facts.ask.key && !demands.some((demand) => hidesKey(demand, facts)) ? ['key'] : []),
    ...(facts.ask.token && !demands.some((demand) => hidesToken(demand, facts, verified)) ? ['token'] : []),
  ].join(' ');

/** A credential goes that any policy in force does not forward. Where one is enough, those that were not checked stay. */
function hidesKey({ part, policy: { spec } }: Demand, facts: Facts): boolean {
  const isChecked = part === 'any' ? decides(spec, facts) === 'key' : part === 'apiKeys';
  if (!isChecked || !spec.apiKeys || spec.apiKeys.forwardKey) return false;
  return placesOfKey(spec.apiKeys).includes(facts.ask.key?.in ?? '');
}

/** Where tokens of another provider of the policy are forwarded that come in the same place, it depends on whose the token is. */
function hidesToken({ part, policy }: Demand, facts: Facts, verified: Verified): boolean {
  const isChecked = part === 'any' ? decides(policy.spec, facts) === 'token' : part === 'jwt';
  if (!isChecked) return false;
  const here = (policy.spec.jwt?.providers ?? []).filter((provider) =>
    placesOfToken(provider).includes(facts.ask.token?.in ?? ''),
  );
  const hiding = here.filter(({ forwardToken }) => !forwardToken);
  if (hiding.length === here.length) return here.length > 0;
  const { namespace = 'default', name } = policy.metadata;
  return hiding.some((provider) => verified.has(`${namespace}/${name}/${provider.name}`));
}
