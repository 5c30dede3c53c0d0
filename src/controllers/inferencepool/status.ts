import { type Condition, pickerTlsAnnotation } from '../../gateway-api/index.ts';
import type { GatewayConditions, StatusContext } from '../../graph/engine/index.ts';
import { backendOwner, conditionOf } from '../../graph/model/index.ts';
import { conditionsAt } from '../policies/index.ts';
import { type PoolObject, pickerServiceOf } from '../pools/index.ts';
import { modeRemark, pickerFault } from './pool.ts';

/** The conditions of a pool, for the Gateways whose routes use it. Source: InferencePoolConditionType of the Inference Extension. */
export function poolConditions(pool: PoolObject, key: string, context: StatusContext): GatewayConditions {
  const generation = pool.metadata.generation ?? 0;
  const backends = context.backends.of([backendOwner('InferencePool', key)]);
  const conditions: Condition[] = [
    conditionOf('Accepted', generation, undefined, { message: remark(pool, context) }),
    conditionOf('ResolvedRefs', generation, pickerFault(pool, context.store)),
  ];
  return conditionsAt(context.backends.gatewaysOf(backends), conditions, context.backends.rejectionOf(backends));
}

/** What a person should know of a pool that is served. */
function remark(pool: PoolObject, { store }: StatusContext): string {
  if (!pool.spec.endpointPickerRef)
    return 'it names no endpointPickerRef: each request goes to the model server with the fewest requests';
  return [modeRemark(pool), connectionRemark(pool, store)].filter((part) => part !== undefined).join('; ');
}

function connectionRemark(pool: PoolObject, store: StatusContext['store']): string | undefined {
  const key = pickerServiceOf(pool);
  const service = key === undefined ? undefined : store.find('Service', key);
  if (!service) return undefined;
  if (service.metadata.annotations?.[pickerTlsAnnotation] === 'Disabled')
    return `requests travel to the endpoint picker unencrypted: Service ${key} says so`;
  const otherwise = store.hosts.requiresVerification
    ? `the system's authorities and ${service.metadata.name}.${service.metadata.namespace}.svc do`
    : 'any is accepted';
  return `a BackendTLSPolicy for Service ${key} decides how the certificate of the endpoint picker is verified; without one ${otherwise}`;
}
