import { accessPolicyAffected } from '../../gateway-api/index.ts';
import type { ReferenceLookup } from '../../graph/engine/index.ts';
import type { TargetNote } from '../../graph/model/index.ts';
import { routePoliciesOf, targetNote } from '../policies/index.ts';
import { demandsPart, type Policy, policyParts } from './parts/index.ts';
import { accessTargets } from './targets.ts';

/**
 * What a target's own status says of the policies that act on it, as GEP-713 asks for. `sections`: names of its rules or of one listener that may
 * have policies of their own; undefined: the whole of it.
 */
export function affectedNote(
  target: string,
  sections: readonly (string | undefined)[],
  lookup: ReferenceLookup,
): TargetNote | undefined {
  if (lookup.edges.of(accessTargets.edge).count(target) === 0) return undefined;
  const policies = sections.flatMap((section) => acting(routePoliciesOf(accessTargets, target, section, lookup)));
  return targetNote(accessPolicyAffected, 'AccessPolicy', policies);
}

/** Those of which some part is in force there, or switches one of an upper level off. `policies`: of one target, the oldest first. */
const acting = (policies: readonly Policy[]): readonly Policy[] =>
  policies.filter(
    (policy) =>
      (policy.spec.overrides ?? []).length > 0 ||
      policyParts.some((part) => policies.find(({ spec }) => demandsPart(spec, part)) === policy),
  );
