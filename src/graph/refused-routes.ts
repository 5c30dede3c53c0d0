import type { RouteParentStatus } from '../gateway-api/index.ts';
import * as ir from '../ir/index.ts';
import type { BackendUse } from './backend-users.ts';
import { combineFaults, conditionOf, type Fault } from './condition.ts';
import { type Quarantine, refusalFault } from './quarantine.ts';
import type { RankedRoute } from './rule.ts';

/** Why what a route wants behind a listener is left out; undefined: it is not. Source of the reason: RouteReasonUnsupportedValue. */
export function refusedRules(
  quarantine: Quarantine,
  { gateway, source }: { readonly gateway: string; readonly source: string },
  routes: readonly RankedRoute[],
): Fault | undefined {
  const digest = () => ir.digestOfRoutes(routes.map(({ route }) => route));
  return refused(quarantine, gateway, source, digest);
}

/** The same for a route of connections. */
export const refusedShares = (
  quarantine: Quarantine,
  { gateway, source }: { readonly gateway: string; readonly source: string },
  shares: readonly ir.StreamShare[],
): Fault | undefined => refused(quarantine, gateway, source, () => ir.digestOf(shares));

function refused(quarantine: Quarantine, gateway: string, source: string, digest: () => ir.Digest): Fault | undefined {
  const refusal = quarantine.find({ kind: 'route', gateway, key: source }, digest);
  return refusal && refusalFault('UnsupportedValue', 'this route', refusal);
}

/** The parents of a route some of whose backends are refused: they do not lead anywhere. */
export function withRefusedBackends(
  parents: readonly RouteParentStatus[],
  uses: readonly BackendUse[],
  refusals: ReadonlyMap<string, Fault>,
): readonly RouteParentStatus[] {
  if (refusals.size === 0) return parents;
  const used = new Set(uses.flatMap(({ backends }) => backends));
  const fault = combineFaults([...used].sort().flatMap((key) => refusals.get(key) ?? []));
  if (!fault) return parents;
  return parents.map((parent) => ({
    ...parent,
    conditions: parent.conditions.map((condition) => {
      if (condition.type !== 'ResolvedRefs') return condition;
      const before = condition.status === 'False' ? [{ reason: condition.reason, message: condition.message }] : [];
      return conditionOf('ResolvedRefs', condition.observedGeneration ?? 0, combineFaults([...before, fault]));
    }),
  }));
}
