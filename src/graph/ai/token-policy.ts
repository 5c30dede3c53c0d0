import { type ObjectByKind, objectKey, type PlainStatus } from '../../gateway-api/index.ts';
import { ReverseIndex } from '../engine/reverse-index.ts';
import type { Store } from '../engine/store.ts';
import { combineFaults, conditionOf, type Fault } from '../model/condition.ts';

export type TokenPolicyObject = ObjectByKind['TokenPolicy'];

/** Which TokenPolicies are for which target. */
export interface PolicyLookup {
  /** By `KIND NAMESPACE/NAME`. */
  readonly byTarget: ReverseIndex;
}

/** How targets go by in the index. */
export const targetOf = (kind: 'HTTPRoute' | 'AIService', key: string): string => `${kind} ${key}`;

export class TokenPolicyIndex implements PolicyLookup {
  readonly byTarget = new ReverseIndex();

  set(key: string, policy: TokenPolicyObject | undefined): void {
    this.byTarget.set(key, policy ? targetsOfPolicy(policy) : []);
  }
}

export const targetsOfPolicy = ({ metadata, spec }: TokenPolicyObject): string[] => [
  ...new Set(
    spec.targetRefs.map(({ kind, name }) =>
      targetOf(kind as 'HTTPRoute' | 'AIService', objectKey(metadata.namespace ?? '', name)),
    ),
  ),
];

/** The header that tells keys of a policy apart; undefined where none is needed. */
const headerOf = ({ spec: { key } }: TokenPolicyObject): string | undefined => {
  if (key?.type === 'Header') return key.header;
  return key?.type === 'JWTClaim' ? 'authorization' : undefined;
};

/** Headers that the budgets of a route, or of services that it uses, need to see; undefined: there are no budgets. */
export function budgetHeadersOf(
  route: string,
  services: readonly string[],
  policies: PolicyLookup,
  store: Store,
): string[] | undefined {
  const targets = [targetOf('HTTPRoute', route), ...services.map((key) => targetOf('AIService', key))];
  const keys = new Set(targets.flatMap((target) => [...policies.byTarget.sourcesOf(target)]));
  if (keys.size === 0) return undefined;
  const headers = [...keys].flatMap((key) => {
    const policy = store.find('TokenPolicy', key);
    return (policy && headerOf(policy)) ?? [];
  });
  return [...new Set(headers)].sort();
}

/** The status we wish a TokenPolicy to have. */
export function tokenPolicyStatus(
  policy: TokenPolicyObject,
  controllerName: string,
  store: Store,
): PlainStatus<'TokenPolicy'> {
  const faults = policy.spec.targetRefs.flatMap(({ kind, name }): Fault[] => {
    const key = objectKey(policy.metadata.namespace ?? '', name);
    if (store.find(kind as 'HTTPRoute' | 'AIService', key)) return [];
    return [{ reason: 'TargetNotFound', message: `${kind} ${key} does not exist: create it, or name another` }];
  });
  const generation = policy.metadata.generation ?? 0;
  return {
    kind: 'TokenPolicy',
    controllerName,
    conditions: [conditionOf('Accepted', generation, combineFaults(faults))],
  };
}
