/** What the filters of routes become in Envoy; one folder for each filter. */
export { identityHeaders } from './access/access-filters.ts';
export { celExpr } from './access/cel.ts';
export { type Hidden, hiddenKeys, hiddenTokens } from './access/hidden.ts';
export { jwtMetadata } from './access/jwt.ts';
export {
  changesHeaders,
  filterActionFields,
  headerFields,
  joinFilters,
  listsOfFilters,
  metadataOfFilters,
  needsOwnRoute,
  perRouteConfig,
  slotsOfFilters,
} from './apply-filters.ts';
export { hostAuth, hostAuthFilters } from './external-auth/auth-slots.ts';
export { geoFilters, withoutGeoHeaders } from './geo.ts';
export {
  type GuardLists,
  guardLists,
  guardStopContent,
  guardsContent,
  guardsHead,
  keptAtHead,
  stopsAt,
} from './guard-stops.ts';
export { headerMutations } from './header-edits/header-edits.ts';
export { hostFilterNames } from './host-step.ts';
export { identityUse } from './identity.ts';
export { bucketsWithout, limitType } from './limits/limit-list.ts';
export { limitChain } from './limits/phases.ts';
export { repeatSafeMethods } from './safe-methods.ts';
export { hasSessions, shareSession, sharesName, slotsOfSessions, upstreamHeader } from './session/session.ts';
export type { Slot, SlotList, TableContent } from './slot.ts';
export { slotAndItem, slotWithItem } from './slot-item.ts';
export { listNames, listsContent, listsPlace, listsPlaceName, listsSource } from './slot-lists.ts';
export { chainSteps, slots, tablePlaces } from './slots.ts';
export { aheadOfTraffic, moduleGuards, steadySlots, waitingFirst, waitingIn, waitingInTable } from './steady.ts';
export { headContent, headInChain, headName, type TablePlace, tablePlaceOf } from './table-places.ts';
export { takesGrpcWeb, trafficSlots } from './traffic/traffic.ts';
export { keyedTraffic, mayBeMeant, partWithout, ruleWithout } from './traffic/without.ts';
