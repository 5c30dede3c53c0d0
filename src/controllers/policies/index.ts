/** What GEP-713 makes common to policies: targets, conflicts, conditions by Gateway. */
export { cidrFaults, cidrsOf, maxNetworks } from './cidr.ts';
export { conditionsAt } from './conditions.ts';
export { keepaliveOf } from './keepalive.ts';
export {
  markRouteTargets,
  markTargetsOf,
  routePoliciesOf,
  routePolicyOf,
  routeTargetKey,
  routeTargets,
  rulePoliciesOf,
} from './route-targets.ts';
export {
  backendTargets,
  markTargets,
  policiesOf,
  targetFaults,
  targetsOf,
  targetsOfBoth,
  winnerOf,
} from './targets.ts';
