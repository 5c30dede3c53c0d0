import type { TrafficContent } from '../engine/index.ts';
import { type ConditionFault, combineFaults } from '../model/index.ts';
import { type Quarantine, rejectionFault } from './quarantine.ts';

/** What all proxies of a fleet reject of it, by the fleet. */
export function rejectedTraffic(
  quarantine: Quarantine,
  contents: readonly TrafficContent[],
): (fleet: string) => ConditionFault | undefined {
  const rejections = contents.flatMap(({ key, filter, digest }) =>
    quarantine.heldOf({ kind: 'traffic', key }, digest).map((rejection) => ({ filter, rejection })),
  );
  return (fleet) =>
    combineFaults(
      rejections.flatMap(({ filter, rejection }) =>
        rejection.gateway === fleet ? rejectionFault('Invalid', filter, rejection) : [],
      ),
    );
}
