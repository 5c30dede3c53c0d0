import { trafficPolicyAffected } from '../../gateway-api/index.ts';
import type { ReferenceLookup } from '../../graph/engine/index.ts';
import type { TargetNote } from '../../graph/model/index.ts';
import { routePoliciesOf, targetNote } from '../policies/index.ts';
import { holdersAmong } from './levels.ts';
import { trafficTargets } from './targets.ts';

/**
 * What a target's own status says of the policies that act on it, as GEP-713 asks for. `sections`: names of its rules or of one listener that may
 * have policies of their own; undefined: the whole of it.
 */
export function affectedNote(
  target: string,
  sections: readonly (string | undefined)[],
  lookup: ReferenceLookup,
): TargetNote | undefined {
  if (lookup.edges.of(trafficTargets.edge).count(target) === 0) return undefined;
  const policies = sections.flatMap((section) => {
    const found = routePoliciesOf(trafficTargets, target, section, lookup);
    const holders = new Set(Object.values(holdersAmong(found)));
    return found.filter((policy) => holders.has(policy));
  });
  return targetNote(trafficPolicyAffected, 'TrafficPolicy', policies);
}
