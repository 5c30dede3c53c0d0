import { type Condition, type ObjectByKind, objectKey } from '../../gateway-api/index.ts';
import type { Lookup } from '../engine/backend-hooks.ts';
import { type Change, type Edge, type Marking, versionsOf } from '../engine/kind-module.ts';
import type { Store } from '../engine/store.ts';
import { combineFaults, conditionOf, type Fault } from '../model/condition.ts';
import { routeKey } from '../model/route-key.ts';
import { markRoutesTo } from '../routes/edges.ts';

export type TokenPolicyObject = ObjectByKind['TokenPolicy'];

type TargetKind = 'HTTPRoute' | 'AIService';

/** How targets go by in the index. */
const targetOf = (kind: TargetKind, key: string): string => `${kind} ${key}`;

/** What TokenPolicies are for. */
export const tokenPolicyEdges = {
  target: {
    to: { HTTPRoute: (key) => targetOf('HTTPRoute', key), AIService: (key) => targetOf('AIService', key) },
    targets: ({ metadata, spec }) =>
      spec.targetRefs.map(({ kind, name }) => targetOf(kind as TargetKind, objectKey(metadata.namespace ?? '', name))),
    marks: (source, { dirty }) => dirty.markStatus('TokenPolicy', source),
  },
} as const satisfies Record<string, Edge<'TokenPolicy'>>;

/** A policy, and the routes of its targets. */
export function markTokenPolicy(change: Change<'TokenPolicy'>, marking: Marking): void {
  const { dirty } = marking;
  dirty.markStatus('TokenPolicy', change.key);
  for (const { metadata, spec } of versionsOf(change)) {
    for (const { kind, name } of spec.targetRefs) {
      const key = objectKey(metadata.namespace ?? '', name);
      if (kind === 'HTTPRoute') dirty.routes.add(routeKey('HTTPRoute', key));
      else markRoutesTo(key, marking);
    }
  }
}

/** The header that tells keys of a policy apart; undefined where none is needed. */
const headerOf = ({ spec: { key } }: TokenPolicyObject): string | undefined => {
  if (key?.type === 'Header') return key.header;
  return key?.type === 'JWTClaim' ? 'authorization' : undefined;
};

/** Headers that the budgets of a route, or of services that it uses, need to see; undefined: there are no budgets. */
export function budgetHeadersOf(
  route: string,
  services: readonly string[],
  { edges, store }: Lookup,
): string[] | undefined {
  const targets = [targetOf('HTTPRoute', route), ...services.map((key) => targetOf('AIService', key))];
  const keys = new Set(targets.flatMap((target) => [...edges.of(tokenPolicyEdges.target).sourcesOf(target)]));
  if (keys.size === 0) return undefined;
  const headers = [...keys].flatMap((key) => {
    const policy = store.find('TokenPolicy', key);
    return (policy && headerOf(policy)) ?? [];
  });
  return [...new Set(headers)].sort();
}

/** The conditions of a TokenPolicy. */
export function tokenPolicyConditions(policy: TokenPolicyObject, store: Store): readonly Condition[] {
  const faults = policy.spec.targetRefs.flatMap(({ kind, name }): Fault[] => {
    const key = objectKey(policy.metadata.namespace ?? '', name);
    if (store.find(kind as TargetKind, key)) return [];
    return [{ reason: 'TargetNotFound', message: `${kind} ${key} does not exist: create it, or name another` }];
  });
  return [conditionOf('Accepted', policy.metadata.generation ?? 0, combineFaults(faults))];
}
