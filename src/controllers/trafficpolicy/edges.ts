import { objectKey } from '../../gateway-api/index.ts';
import { type Change, type Edge, type Marking, versionsOf } from '../../graph/engine/index.ts';
import { isListenerOwner, markRouteTargets, markTargetsOf } from '../policies/index.ts';
import { askedBy, namesOf } from './groups/index.ts';
import { isOverride } from './levels.ts';
import { trafficTargets } from './targets.ts';

const kind = 'TrafficPolicy';

const below = 'below';

/** What policies refer to. */
export const trafficPolicyEdges = {
  target: trafficTargets.edge,
  configMap: {
    to: { ConfigMap: (key) => key },
    targets: (policy) => namesOf(policy).map((name) => objectKey(policy.metadata.namespace, name)),
    marks: markUser,
  },
  server: {
    to: { Service: (key) => key },
    targets: askedBy,
    grants: true,
    marks: markUser,
  },
  /** Policies that one of an upper level may override: their routes say which, and may come and go. All are under one key. */
  below: {
    to: { Gateway: () => below },
    targets: ({ spec }) => (spec.targetRefs.some(isBelow) ? [below] : []),
    marks: 'nothing',
  },
} as const satisfies Record<string, Edge<typeof kind>>;

/** A policy that refers to what has changed. */
function markUser(source: string, marking: Marking): void {
  marking.dirty.markStatus(kind, source);
  markTargetsOf(marking.store.find(kind, source), marking);
}

const isBelow = (ref: { readonly kind: string; readonly sectionName?: string }): boolean =>
  ref.kind !== 'Gateway' || ref.sectionName !== undefined;

/** Its targets; and, where it overrides others, the statuses of those. */
export function markTrafficPolicy(change: Change<typeof kind>, marking: Marking): void {
  markRouteTargets(trafficTargets, change, marking);
  const overrides = versionsOf(change).some(
    (policy) =>
      isOverride(policy) && policy.spec.targetRefs.some((ref) => isListenerOwner(ref.kind) || !ref.sectionName),
  );
  if (overrides) marking.dirty.markStatuses(kind, marking.edges.of(trafficPolicyEdges.below).sourcesOf(below));
}
