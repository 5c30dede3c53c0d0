import type { Condition } from '../../gateway-api/index.ts';
import type { StoredObjects } from '../../graph/engine/index.ts';
import { type ConditionFault, conditionOf } from '../../graph/model/index.ts';
import { type DynamicBackendObject, resolveReferences } from './dynamic-backend.ts';

/** The conditions of a DynamicBackend. `Accepted` False: requests to it are answered 503. */
export function dynamicBackendConditions(object: DynamicBackendObject, store: StoredObjects): readonly Condition[] {
  const generation = object.metadata.generation ?? 0;
  const { acceptFault, referenceFault } = resolveReferences(object, store);
  return [
    conditionOf('Accepted', generation, acceptFault, remark(object)),
    conditionOf('ResolvedRefs', generation, referenceFault),
  ];
}

function remark({ spec: { hosts, tls, privateAddresses } }: DynamicBackendObject): Partial<ConditionFault> {
  const remarks = [
    ...(tls?.mode === 'None' ? ['Requests travel unencrypted: leave tls.mode out'] : []),
    ...(hosts.includes('*') && privateAddresses === 'Allowed'
      ? ['Clients reach every host that the proxies reach, Pods and Services among them: list hosts']
      : []),
  ];
  return remarks.length > 0 ? { message: remarks.join('; ') } : {};
}
