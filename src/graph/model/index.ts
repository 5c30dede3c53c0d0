/** Types and keys that the rooms of the graph share. Imports no other room. */
export {
  type BackendKeyParts,
  type BackendSource,
  type BackendVariant,
  backendKey,
  parseBackendKey,
  type Transport,
} from '../../ir/index.ts';
export { appliesPolicies, portOfBackend, transportOf } from './backend-key.ts';
export type { BackendContent, BackendRefSpec, BackendUser, ResolvedBackend } from './backend-reference.ts';
export type { BackendSession, BackendSessions, SessionSpec } from './backend-session.ts';
export type { BackendUse, CountedUse } from './backend-use.ts';
export { celNestingFault, celPlace, celSyntaxFault } from './cel-nesting.ts';
export { celPath, celText } from './cel-nodes.ts';
export { celPatternFault } from './cel-pattern.ts';
export { compareAge } from './compare-age.ts';
export { compareText } from './compare-text.ts';
export { compileFault } from './compile-fault.ts';
export { type ConditionFault, combineFaults, conditionOf } from './condition.ts';
export { type DatabaseTrouble, describeTrouble } from './database-trouble.ts';
export { defined } from './defined.ts';
export type { ResolvedFleet, StreamShape, TableShape } from './fleet.ts';
export {
  allListeners,
  type Binder,
  type ClientCertificate,
  clientCertificateKey,
  type DataPlaneState,
  type LoneGateway,
  type ResolvedGateway,
  type ResolvedParameters,
} from './gateway.ts';
export type { Guard } from './guard.ts';
export {
  attachmentKey,
  backendOwner,
  listenerOfAttachment,
  parseAttachmentKey,
  parseBackendOwner,
  parseRouteKey,
  type RouteKey,
  routeKey,
  routeKeyOfSource,
  routeReference,
  routeSource,
} from './keys.ts';
export type { ResolvedListener, ResolvedListenerSet } from './listener.ts';
export {
  describeOwner,
  type ListenerOwner,
  type ListenerOwnerObject,
  listenerId,
  ownerOfListeners,
} from './listener-owner.ts';
export type {
  ListenerRevocation,
  PortSettings,
  ResolvedPolicies,
  ResolvedSettings,
  RevocationLists,
  SettingsOf,
} from './listener-settings.ts';
export {
  hostnameOf,
  isHttp,
  kindsByProtocol,
  knowsHostnames,
  type ListenerSpec,
  portFamilyOf,
  terminatesTls,
} from './listener-spec.ts';
export { joinTraffic, type ListenerTraffic, type RuleTraffic, type Treatment } from './listener-traffic.ts';
export type { ListenerView } from './listener-view.ts';
export { logConditions, logFaults } from './log-conditions.ts';
export type { ObjectReference } from './object-reference.ts';
export { isSameObserved, type Observed, observedOn } from './observed.ts';
export type { PolicyOutcome } from './policy-outcome.ts';
export { overlapsOf, ownerOf, type PortHosts, portsOf, widerThan } from './port-hosts.ts';
export { compareMatches, type MatchRank, rankOf } from './precedence.ts';
export type { RankedRoute } from './ranked-route.ts';
export {
  type CrowdedListener,
  closedOnRawPaths,
  type FullListener,
  leavesPathsRaw,
  type RawListener,
} from './raw-paths.ts';
export { largestRegexWeight, regexWeight } from './regex-weight.ts';
export type { Rejection } from './rejection.ts';
export type { HttpRouteObject, RouteObject } from './route-object.ts';
export type { FilterSpec, RuleSpec } from './rule-spec.ts';
export { noteConditions, noteKey, type TargetNote, type TargetNotes } from './target-note.ts';
export { headerNameFault, hostnameFault, textFault } from './text-fault.ts';
