import { keyOf } from '../../gateway-api/index.ts';
import type { AccessPlace, LimitHolding, LimitLookup } from '../../graph/engine/index.ts';
import * as ir from '../../ir/index.ts';
import { placeTargets, routePoliciesOf } from '../policies/index.ts';
import { bucketsOf, type Policy, phaseOf } from './bucket.ts';
import { limitTargets } from './targets.ts';

/** Which buckets a place has: by phase, then by level, the oldest policy of a target first. */
export function holdingsAt(place: AccessPlace, lookup: LimitLookup): readonly LimitHolding[] {
  const found = ir.accessLevels.flatMap((level) =>
    placeTargets[level](place, lookup).flatMap(({ target, section }) =>
      routePoliciesOf(limitTargets, target, section, lookup).flatMap((policy) => holdingsOf(level, policy)),
    ),
  );
  return ir.limitPhases.flatMap((phase) => found.filter((each) => each.phase === phase));
}

const holdingsOf = (level: ir.AccessLevel, policy: Policy): LimitHolding[] =>
  bucketsOf(policy).map(({ name, value, faults }, index) => {
    const match = policy.spec.buckets[index]?.match;
    return {
      level,
      policy: keyOf(policy),
      bucket: name,
      phase: phaseOf(policy),
      ...(match && { match }),
      value,
      faults,
    };
  });
