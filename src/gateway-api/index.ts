/**
 * What users write: the kinds, objects, keys, conditions and pure rules of the Gateway API. Imports nothing of ours.
 */

export {
  activePortsAnnotation,
  closerAnnotation,
  pickerModeAnnotation,
  pickerTlsAnnotation,
} from './annotations.ts';
export { conditionReasons } from './condition-reasons.ts';
export { isPending, isProblem, isRemark, severityOf, worstOf } from './condition-severity.ts';
export type {
  Condition,
  ConditionsKindName,
  DataPlaneStatus,
  GatewayClassStatus,
  GatewayStatus,
  ListenerSetStatus,
  ListenerStatus,
  ParentReference,
  PlainStatus,
  PolicyAncestorStatus,
  PolicyKindName,
  PolicyStatus,
  RouteParentStatus,
  RouteStatus,
  Status,
} from './conditions.ts';
export {
  accessPolicyAffected,
  envoyPatchAffected,
  extensionPolicyAffected,
  isPolicyKind,
  maxAncestors,
  rateLimitPolicyAffected,
  targetingKinds,
  trafficPolicyAffected,
} from './conditions.ts';
export { credentialsLabel } from './credentials-label.ts';
export { supportedFeatures } from './features.ts';
export { type CrossReference, isGranted } from './grants.ts';
export { anyHost, compareSpecificity, coversHostname, intersectHostnames, wildcardsAbove } from './hostname.ts';
export type { IngressStatus, WrittenStatus } from './ingress.ts';
export { ingressNameOf, ingressOf, nameFromIngress, shownObject } from './ingress-names.ts';
export { keyOf, namespaceOfKey, type ObjectKey, objectKey, parseApiVersion, parseObjectKey } from './keys.ts';
export {
  apiVersionOf,
  experimentalGroup,
  isCoreKind,
  isRouteKind,
  type Kind,
  type KindFacts,
  type KindName,
  type KindNameOfForm,
  kinds,
  kindsOfForm,
  kindsRead,
  multiclusterGroup,
  type OptIn,
  ownGroup,
  type RouteKindName,
} from './kinds.ts';
export type {
  ConfigMap,
  DataPlaneSpec,
  EndpointSlice,
  Ingress,
  IngressBackend,
  IngressClass,
  IngressPath,
  IngressRule,
  IngressTls,
  KubernetesObject,
  Metadata,
  ObjectByKind,
  Pod,
  Secret,
  Service,
  ServicePort,
  SliceEndpoint,
} from './objects.ts';
export {
  clusterRoutability,
  privateRoutability,
  publicRoutability,
  routabilities,
  routabilityOf,
} from './routability.ts';
export { allParents, type RouteState, routeState } from './route-state.ts';
export { ruleLabel } from './rule-label.ts';
export { type LabelSelector, selects } from './selector.ts';
export { type AnyStatus, type StatusPart, statusParts } from './status-parts.ts';
