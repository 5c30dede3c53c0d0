import * as ir from '../../ir/index.ts';
import type { FilterContent, LimitHolding } from '../engine/index.ts';
import { type ConditionFault, combineFaults } from '../model/index.ts';
import { type Quarantine, rejectionFault } from './quarantine.ts';

/** What all proxies of a fleet reject of it, by the fleet. */
export function rejectedFilters(
  quarantine: Quarantine,
  contents: readonly FilterContent[],
): (fleet: string) => ConditionFault | undefined {
  const rejections = contents.flatMap(({ kind, key, name, digest }) =>
    quarantine.heldOf({ kind, key }, digest).map((rejection) => ({ name, rejection })),
  );
  return (fleet) =>
    combineFaults(
      rejections.flatMap(({ name, rejection }) =>
        rejection.gateway === fleet ? rejectionFault('Invalid', name, rejection) : [],
      ),
    );
}

/** A bucket as readers see it: left out if all proxies of the fleet reject it; of no fleet, those of any. */
export function limitAsHeld(quarantine: Quarantine, holding: LimitHolding, fleet: string | undefined): LimitHolding {
  const { value, bucket } = holding;
  if (!value) return holding;
  const rejection = quarantine
    .heldOf({ kind: 'limit', key: value.id }, () => ir.digestOf(value))
    .find(({ gateway }) => fleet === undefined || gateway === fleet);
  if (!rejection) return holding;
  return { ...holding, value: undefined, faults: [rejectionFault('Invalid', `bucket ${bucket}`, rejection)] };
}
