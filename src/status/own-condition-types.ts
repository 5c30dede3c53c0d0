import {
  accessPolicyAffected,
  envoyPatchAffected,
  extensionPolicyAffected,
  rateLimitPolicyAffected,
  trafficPolicyAffected,
} from '../gateway-api/index.ts';

/**
 * Condition types that the Gateway API gives to the controller of an object, by where they stand. The writer removes
 * these when they are not desired any more, and never touches others. Source: the `…ConditionType` constants of
 * `apis/v1` in Gateway API 1.7; Programmed on a route's parent is our own, for what a proxy
 * rejected, and so are those that name policies.
 */
export const ownConditionTypes = {
  gatewayClass: new Set(['Accepted', 'SupportedVersion']),
  gateway: new Set([
    'Accepted',
    'Programmed',
    'ResolvedRefs',
    'AddressesAssigned',
    'AttachedListenerSets',
    'InsecureFrontendValidationMode',
    accessPolicyAffected,
    envoyPatchAffected,
    extensionPolicyAffected,
    rateLimitPolicyAffected,
    trafficPolicyAffected,
  ]),
  dataPlane: new Set(['Accepted', 'Degraded']),
  plain: new Set(['Accepted', 'ResolvedRefs']),
  listenerSet: new Set([
    'Accepted',
    'Programmed',
    accessPolicyAffected,
    envoyPatchAffected,
    extensionPolicyAffected,
    rateLimitPolicyAffected,
    trafficPolicyAffected,
  ]),
  listener: new Set([
    'Accepted',
    'Programmed',
    'ResolvedRefs',
    'Conflicted',
    'OverlappingTLSConfig',
    accessPolicyAffected,
    envoyPatchAffected,
    extensionPolicyAffected,
    rateLimitPolicyAffected,
    trafficPolicyAffected,
  ]),
  policyAncestor: new Set([
    'Accepted',
    'ResolvedRefs',
    'Overridden',
    'Degraded',
    'InsecureBackendValidationMode',
    'Validated',
  ]),
  routeParent: new Set([
    'Accepted',
    'ResolvedRefs',
    'PartiallyInvalid',
    'Programmed',
    accessPolicyAffected,
    envoyPatchAffected,
    extensionPolicyAffected,
    rateLimitPolicyAffected,
    trafficPolicyAffected,
  ]),
} as const satisfies Record<string, ReadonlySet<string>>;
