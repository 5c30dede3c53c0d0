import type { PolicyStatus } from '../gateway-api/index.ts';
import { ancestorStatus } from './ancestors.ts';
import { sessionFault } from './backends/session.ts';
import type { Store } from './engine/store.ts';
import { conditionOf, type Fault } from './model/condition.ts';
import { hostFaultOfXBackend, settleXBackendTls, type XBackendObject } from './x-backend.ts';

/** The status we wish an XBackend to have, for the Gateways (by key) that send requests to it. Source: GEP-4894. */
export function xBackendStatus(
  object: XBackendObject,
  gateways: Iterable<string>,
  controllerName: string,
  store: Store,
): PolicyStatus {
  const generation = object.metadata.generation ?? 0;
  const { acceptFault, referenceFault } = settleXBackendTls(object, store);
  return ancestorStatus('XBackend', gateways, controllerName, [
    conditionOf(
      'Accepted',
      generation,
      hostFaultOfXBackend(object, store) ?? acceptFault ?? badSession(object),
      remark(object),
    ),
    conditionOf('ResolvedRefs', generation, referenceFault),
  ]);
}

const badSession = ({ spec }: XBackendObject): Fault | undefined =>
  spec.sessionPersistence && sessionFault(spec.sessionPersistence);

function remark({ spec }: XBackendObject): Partial<Fault> {
  if (spec.type === 'ExternalHostname' && (spec.tls?.mode ?? 'None') === 'None')
    return { message: `Requests travel to ${spec.externalHostname?.hostname} unencrypted: set tls` };
  return {};
}
