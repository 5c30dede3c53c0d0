import { hostFault } from '../../egress/index.ts';
import type { KubernetesObject } from '../../gateway-api/index.ts';
import type { StoredObjects } from '../engine/index.ts';
import type { ConditionFault } from '../model/index.ts';

const nextSteps = {
  cluster: 'name the Service in backendRefs of the route instead, where a ReferenceGrant of its namespace can allow it',
  other: 'use a host outside, or have the operator add the address to backends.allowedAddresses',
} as const;

/**
 * Why no request may be sent to the host that a user wrote into a field of an object; what it resolves to is judged where it is resolved.
 * See `egress`.
 */
export function forbiddenHost(
  { metadata }: Pick<KubernetesObject, 'metadata'>,
  { field, host }: { readonly field: string; readonly host: string },
  { hosts }: StoredObjects,
): ConditionFault | undefined {
  const fault = hostFault(host, metadata.namespace ?? '', hosts);
  if (!fault) return undefined;
  const next = fault.kind === 'cluster' ? nextSteps.cluster : nextSteps.other;
  return { reason: 'HostnameNotAllowed', message: `${field} is ${fault.message}, where no request is sent: ${next}` };
}
