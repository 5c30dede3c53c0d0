import type { RouteParentStatus } from '../../gateway-api/index.ts';
import * as ir from '../../ir/index.ts';
import { type BackendUse, type ConditionFault, combineFaults, conditionOf, type RankedRoute } from '../model/index.ts';
import { type Quarantine, rejectionFault } from './quarantine.ts';
import type { BackendFaults } from './rejected-backends.ts';

/** What is rejected of a route behind a listener. */
export interface RejectedRoute {
  /** Source of the reason: RouteReasonUnsupportedValue. */
  readonly fault: ConditionFault;
  /** It is not in the snapshot. Else each proxy goes without it by itself. */
  readonly isLeftOut: boolean;
}

/** Undefined: nothing is rejected of what a route wants behind a listener. */
export function rejectedRules(
  quarantine: Quarantine,
  { gateway, source }: { readonly gateway: string; readonly source: string },
  routes: readonly RankedRoute[],
): RejectedRoute | undefined {
  const digest = () => ir.digestOfRoutes(routes.map(({ route }) => route));
  return rejected(quarantine, gateway, source, digest);
}

/** The same for a route of connections. */
export const rejectedShares = (
  quarantine: Quarantine,
  { gateway, source }: { readonly gateway: string; readonly source: string },
  shares: readonly ir.StreamShare[],
): RejectedRoute | undefined => rejected(quarantine, gateway, source, () => ir.digestOf(shares));

function rejected(
  quarantine: Quarantine,
  gateway: string,
  source: string,
  digest: () => ir.Digest,
): RejectedRoute | undefined {
  const content = { kind: 'route', gateway, key: source } as const;
  const leftOut = quarantine.findLeftOut(content, digest);
  const rejection = leftOut ?? quarantine.findHeld(content, digest);
  return (
    rejection && {
      fault: rejectionFault('UnsupportedValue', 'this route', rejection),
      isLeftOut: leftOut !== undefined,
    }
  );
}

/** The parents of a route some of whose backends are rejected by the parent's proxies. `fleetOf` a parent. */
export function withRejectedBackends(
  parents: readonly RouteParentStatus[],
  uses: readonly BackendUse[],
  rejections: ReadonlyMap<string, BackendFaults>,
  fleetOf: (parent: RouteParentStatus) => string | undefined,
): readonly RouteParentStatus[] {
  if (rejections.size === 0) return parents;
  return parents.map((parent) => {
    const fleet = fleetOf(parent) ?? '';
    const used = new Set(uses.flatMap((use) => (use.fleet === fleet ? use.backends : [])));
    const fault = combineFaults([...used].sort().flatMap((key) => rejections.get(key)?.get(fleet) ?? []));
    return fault ? withFault(parent, fault) : parent;
  });
}

const withFault = (parent: RouteParentStatus, fault: ConditionFault): RouteParentStatus => ({
  ...parent,
  conditions: parent.conditions.map((condition) => {
    if (condition.type !== 'ResolvedRefs') return condition;
    const before = condition.status === 'False' ? [{ reason: condition.reason, message: condition.message }] : [];
    return conditionOf('ResolvedRefs', condition.observedGeneration ?? 0, combineFaults([...before, fault]));
  }),
});
