import * as ir from '../../ir/index.ts';
import type { FilterContent, LimitHolding, TrafficHolding } from '../engine/index.ts';
import { type ConditionFault, combineFaults, type Rejection } from '../model/index.ts';
import { closingFault, type Quarantine, rejectionFault } from './quarantine.ts';

/** What all proxies of a fleet reject of it, by the fleet. */
export function rejectedFilters(
  quarantine: Quarantine,
  contents: readonly FilterContent[],
): (fleet: string) => ConditionFault | undefined {
  const rejections = contents.flatMap((content) =>
    quarantine.heldOf(content, content.digest).map((rejection) => ({ content, rejection })),
  );
  return (fleet) =>
    combineFaults(
      rejections.flatMap(({ content, rejection }) => (rejection.gateway === fleet ? faultOf(content, rejection) : [])),
    );
}

const faultOf = ({ name, closes }: FilterContent, rejection: Rejection): ConditionFault =>
  closes ? closingFault('Invalid', name, rejection) : rejectionFault('Invalid', name, rejection);

/** A group as readers see it: not in force if all proxies of the fleet reject it; of no fleet, those of any. */
export function trafficAsHeld(quarantine: Quarantine, holding: TrafficHolding, fleet?: string): TrafficHolding {
  const { content, ...shown } = holding;
  if (!content || holding.state !== 'inForce') return shown;
  const rejection = quarantine
    .heldOf(content, content.digest)
    .find(({ gateway }) => fleet === undefined || gateway === fleet);
  return rejection ? { ...shown, state: 'rejected', message: faultOf(content, rejection).message } : shown;
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
