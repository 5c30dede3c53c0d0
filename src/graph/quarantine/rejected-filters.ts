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
    rejectionsOf(quarantine, content).map((rejection) => ({ content, rejection })),
  );
  return (fleet) =>
    combineFaults(
      rejections.flatMap(({ content, rejection }) => (rejection.gateway === fleet ? faultOf(content, rejection) : [])),
    );
}

const rejectionsOf = (quarantine: Quarantine, content: FilterContent): Rejection[] =>
  quarantine.heldOf(content, content.digest).filter(({ trial }) => trial === undefined);

/** What all proxies of a fleet have tried before they serve it, or serve without that, by the fleet. */
export function filtersOnTrial(
  quarantine: Quarantine,
  contents: readonly FilterContent[],
): (fleet: string) => ConditionFault | undefined {
  const held = contents.flatMap(({ name, ...content }) =>
    quarantine.heldOf(content, content.digest).flatMap(({ trial, gateway, message }) => {
      if (trial === 'running')
        return { gateway, reason: 'Validating', message: `${name} is not served yet: ${message}` };
      const reason = 'NotValidated';
      return trial ? { gateway, reason, message: `${name} is served without having been tried: ${message}` } : [];
    }),
  );
  return (fleet) => {
    const own = held.filter(({ gateway }) => gateway === fleet);
    const first = own.find(({ reason }) => reason === 'Validating') ?? own[0];
    return first && { reason: first.reason, message: first.message };
  };
}

const faultOf = ({ name, closedWith }: FilterContent, rejection: Rejection): ConditionFault =>
  closedWith ? closingFault(closedWith, name, rejection) : rejectionFault('Invalid', name, rejection);

/** A group as readers see it: not in force if all proxies of the fleet reject it; of no fleet, those of any. */
export function trafficAsHeld(quarantine: Quarantine, holding: TrafficHolding, fleet?: string): TrafficHolding {
  const { content, ...shown } = holding;
  if (!content || holding.state !== 'inForce') return shown;
  const rejection = rejectionsOf(quarantine, content).find(({ gateway }) => fleet === undefined || gateway === fleet);
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
