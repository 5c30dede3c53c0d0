import { accessPolicyAffected } from '../gateway-api/index.ts';

/**
 * Condition types that the Gateway API gives to the controller of an object, by where they stand. The writer removes
 * these when they are not desired any more, and never touches others. Source: the `…ConditionType` constants of
 * `apis/v1` in Gateway API 1.7; Programmed on a route's parent is our own, for what a proxy
 * rejected, and so is accessPolicyAffected.
 */
export const ownConditionTypes = {
  gatewayClass: new Set(['Accepted', 'SupportedVersion']),
  gateway: new Set([
    'Accepted',
    'Programmed',
    'ResolvedRefs',
    'AttachedListenerSets',
    'InsecureFrontendValidationMode',
    accessPolicyAffected,
  ]),
  dataPlane: new Set(['Accepted']),
  plain: new Set(['Accepted', 'ResolvedRefs']),
  listenerSet: new Set(['Accepted', 'Programmed', accessPolicyAffected]),
  listener: new Set([
    'Accepted',
    'Programmed',
    'ResolvedRefs',
    'Conflicted',
    'OverlappingTLSConfig',
    accessPolicyAffected,
  ]),
  policyAncestor: new Set(['Accepted', 'ResolvedRefs']),
  routeParent: new Set(['Accepted', 'ResolvedRefs', 'PartiallyInvalid', 'Programmed', accessPolicyAffected]),
} as const satisfies Record<string, ReadonlySet<string>>;
