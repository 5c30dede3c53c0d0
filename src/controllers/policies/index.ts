/** What GEP-713 makes common to policies: targets, conflicts, conditions by Gateway. */
export { cidrFaults, cidrsOf, maxNetworks } from './cidr.ts';
export { conditionsAt } from './conditions.ts';
export { failoverEdge, markFailoversTo } from './failovers.ts';
export { findTarget, gatewaysOfTargets } from './found-targets.ts';
export { http1Of } from './http1.ts';
export { keepaliveOf } from './keepalive.ts';
export { limitTargets, markLimitsOf } from './limit-targets.ts';
export { isListenerOwner, type ListenerTarget, ownerTarget, targetsOfListener } from './listener-targets.ts';
export { isSameListener, listenersAt } from './listeners-at.ts';
export { madeOnce } from './made-once.ts';
export { answersItself, isAnsweredAt } from './own-answers.ts';
export { pingsOf } from './pings.ts';
export { type PlaceTarget, placeTargets } from './place-targets.ts';
export {
  markRouteTargets,
  markTargetsOf,
  routePoliciesOf,
  routePolicyOf,
  routeTargetKey,
  routeTargets,
  rulePoliciesOf,
} from './route-targets.ts';
export { spanTagsOf } from './span-tags.ts';
export { targetNote } from './target-note.ts';
export {
  backendTargets,
  markTargets,
  policiesOf,
  targetFaults,
  targetsOf,
  targetsOfBoth,
  winnerOf,
} from './targets.ts';
export {
  gatewaysOfTelemetry,
  markTelemetry,
  type TelemetryPolicy,
  telemetryEdges,
  telemetryOf,
  telemetryPolicyOf,
  telemetryTargets,
} from './telemetry.ts';
