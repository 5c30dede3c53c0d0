import { keyOf } from '../../gateway-api/index.ts';
import type { AccessPlace, LimitHolding, LimitLookup } from '../../graph/engine/index.ts';
import * as ir from '../../ir/index.ts';
import { isAnsweredAt, placeTargets } from '../policies/index.ts';
import { conflictWith, olderOf, policiesAt } from './at-target.ts';
import { bucketsOf, type Policy, phaseOf } from './bucket.ts';
import { serviceOf } from './service.ts';

/** Which buckets a place has: by phase, then by level, the oldest policy of a target first. */
export function holdingsAt(place: AccessPlace, lookup: LimitLookup): readonly LimitHolding[] {
  const isAnswered = isAnsweredAt(place, lookup.store);
  const found = ir.accessLevels.flatMap((level) =>
    placeTargets[level](place, lookup).flatMap(({ target, section }) =>
      policiesAt(target, section, lookup).flatMap((policy, _index, all) => holdingsOf(level, policy, all, lookup)),
    ),
  );
  const said = isAnswered ? found.map(answered) : found;
  return ir.limitPhases.flatMap((phase) => said.filter((each) => each.phase === phase));
}

/** The same at a rule that the proxy answers by itself. */
const answered = (holding: LimitHolding): LimitHolding =>
  holding.value?.shared || holding.value?.service
    ? { ...holding, idle: 'the proxy answers requests of this rule itself, and asks about none' }
    : holding;

function holdingsOf(
  level: ir.AccessLevel,
  policy: Policy,
  all: readonly Policy[],
  lookup: LimitLookup,
): LimitHolding[] {
  const older = olderOf(policy, all);
  const reference = serviceOf(policy, lookup)?.fault;
  const more = older ? [conflictWith(older, 'its target')] : reference ? [reference] : [];
  return bucketsOf(policy, lookup).map(({ name, value, faults }, index) => {
    const match = policy.spec.buckets[index]?.match;
    return {
      level,
      policy: keyOf(policy),
      bucket: name,
      phase: phaseOf(policy),
      ...(match && { match }),
      value: older ? undefined : value,
      faults: [...faults, ...more],
    };
  });
}
