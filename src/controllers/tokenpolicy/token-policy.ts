import { type Condition, type ObjectByKind, objectKey } from '../../gateway-api/index.ts';
import { type Change, type Marking, type Store, versionsOf } from '../../graph/engine/index.ts';
import { type ConditionFault, combineFaults, conditionOf, routeKey } from '../../graph/model/index.ts';
import { markRoutesTo } from '../../graph/routes/index.ts';
import type { TargetKind, TokenPolicyObject } from '../ai/index.ts';

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

/** A route that passes requests to pools as they are: what these use is read by AIServices alone. */
function poolsOnly({ spec }: ObjectByKind['HTTPRoute'], key: string): ConditionFault[] {
  const refs = (spec.rules ?? []).flatMap(({ backendRefs = [] }) => backendRefs);
  const [first] = refs;
  if (!first || !refs.every(({ kind }) => kind === 'InferencePool')) return [];
  const message = `HTTPRoute ${key} forwards to InferencePools alone, of which no tokens are counted: name an AIService with pool ${first.name}`;
  return [{ reason: 'Invalid', message }];
}

/** The conditions of a TokenPolicy. */
export function tokenPolicyConditions(policy: TokenPolicyObject, store: Store): readonly Condition[] {
  const faults = policy.spec.targetRefs.flatMap(({ kind, name }): ConditionFault[] => {
    const key = objectKey(policy.metadata.namespace ?? '', name);
    const route = kind === 'HTTPRoute' ? store.find('HTTPRoute', key) : undefined;
    if (route) return poolsOnly(route, key);
    if (store.find(kind as TargetKind, key)) return [];
    return [{ reason: 'TargetNotFound', message: `${kind} ${key} does not exist: create it, or name another` }];
  });
  return [conditionOf('Accepted', policy.metadata.generation ?? 0, combineFaults(faults))];
}
