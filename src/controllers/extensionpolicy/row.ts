import { keyOf } from '../../gateway-api/index.ts';
import type { GuardedListener, ReferenceLookup, RuleOwner } from '../../graph/engine/index.ts';
import * as ir from '../../ir/index.ts';
import { routePoliciesOf, targetsOfListener } from '../policies/index.ts';
import { mayBeMissing } from './extension.ts';
import type { Policy } from './policy.ts';
import { extensionTargets } from './targets.ts';

/** Of the extensions of one request so many act. */
const { length: most } = ir.extensionPlaces;

type Rule = Pick<RuleOwner, 'route' | 'rule'>;

/** The policies of a target, the oldest first. */
export const policiesAt = (target: string, section: string | undefined, lookup: ReferenceLookup): readonly Policy[] =>
  lookup.edges.of(extensionTargets.edge).count(target) === 0
    ? []
    : routePoliciesOf(extensionTargets, target, section, lookup);

/** The policies of all levels above routes, the outermost first. */
export const policiesAbove = (gateway: string, listener: GuardedListener, lookup: ReferenceLookup): readonly Policy[] =>
  eachOnce(targetsOfListener(gateway, listener).flatMap(({ target, section }) => policiesAt(target, section, lookup)));

/** The policies of a route, then those of the rule. */
export const policiesOfRule = ({ route, rule }: Rule, lookup: ReferenceLookup): readonly Policy[] =>
  eachOnce([...policiesAt(route, undefined, lookup), ...(rule === undefined ? [] : policiesAt(route, rule, lookup))]);

const eachOnce = (policies: readonly Policy[]): readonly Policy[] => [...new Set(policies)];

/** A policy, and the place where its extension acts. */
export interface PlacedPolicy {
  readonly policy: Policy;
  readonly place: ir.ExtensionPlace;
}

/** Where the policies of a place or rule act. */
export interface Row {
  readonly acting: readonly PlacedPolicy[];
  /** The place at which requests are answered 503, in place of what acts there: a policy that may not be missing has none. */
  readonly closes?: ir.ExtensionPlace;
}

/** Where the policies act, behind those whose keys are `taken`. */
export function rowOf(policies: readonly Policy[], taken: readonly string[] = []): Row {
  const others = policies.filter((policy) => !taken.includes(keyOf(policy)));
  const free = ir.extensionPlaces.slice(taken.length);
  const isClosed = others.slice(free.length).some((policy) => !mayBeMissing(policy));
  const closes = isClosed ? ir.extensionPlaces.at(-1) : undefined;
  const acting = free.flatMap((place, index) => {
    const policy = others[index];
    return policy ? [{ policy, place }] : [];
  });
  return { acting, ...(closes && { closes }) };
}

/** The policies that act on requests of a listener, for a rule also its own. */
export const actingAt = (
  gateway: string,
  listener: GuardedListener,
  rule: Rule | undefined,
  lookup: ReferenceLookup,
): readonly Policy[] =>
  eachOnce([...policiesAbove(gateway, listener, lookup), ...(rule ? policiesOfRule(rule, lookup) : [])]).slice(0, most);

export const describeRow = (policies: readonly Policy[]): string => policies.map(keyOf).join(' and ');
