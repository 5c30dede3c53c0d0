import { sessionFault } from '../../graph/backends/index.ts';
import type { GatewayConditions, StatusContext } from '../../graph/engine/index.ts';
import {
  appliesPolicies,
  backendOwner,
  type ConditionFault,
  conditionOf,
  parseBackendKey,
} from '../../graph/model/index.ts';
import { conditionsAt } from '../policies/index.ts';
import { hostFaultOfXBackend, resolveXBackendTls, type XBackendObject } from './x-backend.ts';

/** The conditions of an XBackend, for the Gateways that send requests to it. Source: GEP-4894. */
export function xBackendConditions(object: XBackendObject, key: string, context: StatusContext): GatewayConditions {
  const generation = object.metadata.generation ?? 0;
  const { acceptFault, referenceFault } = resolveXBackendTls(object, context.store);
  const fault = hostFaultOfXBackend(object, context.store) ?? acceptFault ?? badSession(object);
  const backends = context.backends
    .of([backendOwner('XBackend', key)])
    .filter((backend) => appliesPolicies(parseBackendKey(backend)));
  return conditionsAt(context.backends.gatewaysOf(backends), [
    conditionOf('Accepted', generation, fault, remark(object)),
    conditionOf('ResolvedRefs', generation, referenceFault),
  ]);
}

const badSession = ({ spec }: XBackendObject): ConditionFault | undefined =>
  spec.sessionPersistence && sessionFault(spec.sessionPersistence);

function remark({ spec }: XBackendObject): Partial<ConditionFault> {
  if (spec.type === 'ExternalHostname' && (spec.tls?.mode ?? 'None') === 'None')
    return { message: `Requests travel to ${spec.externalHostname?.hostname} unencrypted: set tls` };
  return {};
}
