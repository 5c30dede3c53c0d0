import { type KindName, type KubernetesObject, type ObjectByKind, objectKey } from '../../gateway-api/index.ts';
import {
  type Change,
  type Edge,
  type Lookup,
  type Marking,
  type RuleOwner,
  versionsOf,
} from '../../graph/engine/index.ts';
import { markParent } from '../../graph/gateways/index.ts';
import { compareAge, parseRouteKey, type RouteKey, routeKey } from '../../graph/model/index.ts';
import type { Key } from '../../std/index.ts';

const group = 'gateway.networking.k8s.io';
const targetKinds = ['Gateway', 'ListenerSet', 'HTTPRoute', 'GRPCRoute', 'TCPRoute', 'TLSRoute'] as const;

/** What policies of routes may be for. */
export type RouteTargetKind = (typeof targetKinds)[number];

/** `KIND NAMESPACE/NAME`; of a route, its routeKey. */
export type RouteTargetKey = Key<'route-target'> | RouteKey;

/** `sectionName`: of a listener, or of a rule. */
interface TargetRef {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly sectionName?: string;
}

/** A policy as far as its targets go. */
interface RoutePolicy extends KubernetesObject {
  readonly spec: { readonly targetRefs: readonly TargetRef[] };
}

/** How the policies of a kind are found by what they are for: routes, and what declares their listeners. */
interface RouteTargets<K extends KindName> {
  readonly kind: K;
  readonly edge: Edge<K>;
}

export const routeTargetKey = (kind: RouteTargetKind, key: string): RouteTargetKey =>
  (kind === 'Gateway' || kind === 'ListenerSet' ? `${kind} ${key}` : routeKey(kind, key)) as RouteTargetKey;

/** A target that comes, changes or goes changes the statuses of its policies; what it is itself is resolved in any case. */
export const routeTargets = <K extends KindName>(kind: K): RouteTargets<K> => ({
  kind,
  edge: {
    to: Object.fromEntries(targetKinds.map((target) => [target, (key: string) => routeTargetKey(target, key)])),
    targets: (policy) => targetsOf(policy as unknown as RoutePolicy),
    marks: (source, { dirty }) => dirty.markStatus(kind, source),
  },
});

const targetsOf = (policy: RoutePolicy): RouteTargetKey[] => [
  ...new Set(policy.spec.targetRefs.flatMap((ref) => targetOf(policy, ref) ?? [])),
];

const isTargetKind = (kind: string): kind is RouteTargetKind => (targetKinds as readonly string[]).includes(kind);

const targetOf = ({ metadata }: RoutePolicy, ref: TargetRef): RouteTargetKey | undefined =>
  ref.group === group && isTargetKind(ref.kind)
    ? routeTargetKey(ref.kind, objectKey(metadata.namespace, ref.name))
    : undefined;

/** What a policy is for: the whole of a target, or one listener or rule of it. */
const isFor = (policy: RoutePolicy, target: string, section: string | undefined): boolean =>
  policy.spec.targetRefs.some((ref) => targetOf(policy, ref) === target && ref.sectionName === section);

/**
 * The policies of a kind that a target has: the oldest first, then by key. Source: GEP-713 on conflicts.
 *
 * @param section the name of the listener or the rule that they are for alone; undefined: the policies of the whole target
 */
export const routePoliciesOf = <K extends KindName>(
  { kind, edge }: RouteTargets<K>,
  target: string,
  section: string | undefined,
  { store, edges }: Lookup,
): ObjectByKind[K][] =>
  [...edges.of(edge).sourcesOf(target)]
    .flatMap((key) => store.find(kind, key) ?? [])
    .filter((policy) => isFor(policy as unknown as RoutePolicy, target, section))
    .sort(compareAge);

/** The one of them that acts, of kinds of which only one does. */
export const routePolicyOf = <K extends KindName>(
  targets: RouteTargets<K>,
  target: string,
  section: string | undefined,
  lookup: Lookup,
): ObjectByKind[K] | undefined => routePoliciesOf(targets, target, section, lookup)[0];

/** The policies of a kind that act on a rule of a route: the route's, then the rule's own. */
export function rulePoliciesOf<K extends KindName>(
  targets: RouteTargets<K>,
  { route, rule }: RuleOwner,
  lookup: Lookup,
): ObjectByKind[K][] {
  const whole = routePolicyOf(targets, route, undefined, lookup);
  const own = rule === undefined ? undefined : routePolicyOf(targets, route, rule, lookup);
  return [whole, own].filter((policy) => policy !== undefined);
}

/**
 * Marks a policy, its targets, and the statuses of the other policies that these have: another one may win now. A route is resolved again; a
 * Gateway with its listeners, and none of its routes.
 */
export function markRouteTargets<K extends KindName>(
  { kind, edge }: RouteTargets<K>,
  change: Change<K>,
  marking: Marking,
): void {
  marking.dirty.markStatus(kind, change.key);
  for (const target of versionsOf(change).flatMap((policy) => targetsOf(policy as unknown as RoutePolicy))) {
    marking.dirty.markStatuses(kind, marking.edges.of(edge).sourcesOf(target));
    markTarget(target, marking);
  }
}

/** For what a policy refers to: it means for the policy's targets what a change of the policy does. */
export function markTargetsOf(policy: KubernetesObject | undefined, marking: Marking): void {
  for (const target of policy ? targetsOf(policy as unknown as RoutePolicy) : []) markTarget(target, marking);
}

function markTarget(target: RouteTargetKey, marking: Marking): void {
  const { kind, key }: { readonly kind: string; readonly key: string } = parseRouteKey(target);
  if (kind === 'Gateway') marking.dirty.gateways.add(key);
  else if (kind === 'ListenerSet') markParent(marking.store.find('ListenerSet', key), marking);
  else marking.dirty.routes.add(target);
}
