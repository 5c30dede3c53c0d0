import type { Policy, World } from './world.ts';

/** A path of so many steps that only Envoy finds it too large: 1,003 in the RE2 of our checks, and 2,005 in Envoy's. No request has it. */
const spoiltPath = { regex: '/.{1000}' } as const;

type Authorization = NonNullable<Policy['spec']['authorization']>;

const ruleName = 'spoilt';

/** The same policy with a rule that proxies reject, and that is for no request. */
export function spoil(policy: Policy): Policy {
  const { rules = [], ...authorization }: Authorization = policy.spec.authorization ?? { default: 'Allow' };
  const rule = { name: ruleName, action: 'Allow' as const, when: { paths: [spoiltPath] } };
  return {
    ...policy,
    spec: { ...policy.spec, authorization: { ...authorization, rules: [...rules, rule] } },
  } as Policy;
}

/** Whether proxies reject the authorization of a policy. */
export const isSpoilt = ({ spec }: Policy): boolean =>
  spec.authorization?.rules?.some(({ name }) => name === ruleName) ?? false;

/** Hosts that have so many other routes that their own are found late, where they are for exact names. */
export const crowdedHosts: readonly number[] = [1, 8];

/** Whether the routes of a host are in several resources of proxies, each of which they take or reject by itself. */
export const isCutUp = ({ hosts }: World, host: number): boolean =>
  crowdedHosts.includes(host) && !hosts[host]?.isWildcard;
