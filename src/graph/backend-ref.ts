import type { ObjectByKind } from '../gateway-api/index.ts';
import type { Fault } from './condition.ts';
import type { RuleSpec } from './filter.ts';
import type { Store } from './store.ts';

export type BackendRefSpec = NonNullable<RuleSpec['backendRefs']>[number];

/** Where a backendRef leads, or why it leads nowhere. */
export type ResolvedBackend = { readonly key: string } | { readonly fault: Fault };

/** `NAMESPACE/SERVICE/PORT`: ir.Backend.key. */
export const backendKey = (namespace: string, service: string, port: number): string =>
  `${namespace}/${service}/${port}`;

/** The parts of a backend key. */
export function splitBackendKey(key: string): {
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
} {
  const [namespace = '', service = '', port = ''] = key.split('/');
  return { namespace, service, port: Number(port) };
}

/** Resolves one reference of a route. Source: Gateway API, BackendObjectReference; reasons of RouteConditionResolvedRefs. */
export function resolveBackend(
  ref: Pick<BackendRefSpec, 'group' | 'kind' | 'name' | 'namespace' | 'port'>,
  route: { readonly kind: string; readonly namespace: string },
  store: Store,
): ResolvedBackend {
  const { group = '', kind = 'Service', name, namespace = route.namespace, port } = ref;
  const fault = (reason: string, message: string): ResolvedBackend => ({ fault: { reason, message } });
  if (group !== '' || kind !== 'Service') {
    return fault(
      'InvalidKind',
      `backendRef ${name} is of kind ${group ? `${group}/` : ''}${kind}: only Service is supported`,
    );
  }
  const from = { group: 'gateway.networking.k8s.io', kind: route.kind, namespace: route.namespace };
  if (!store.allows({ from, to: { group: '', kind: 'Service', namespace, name } })) {
    const message = `Service ${namespace}/${name} is in another namespace and no ReferenceGrant there allows ${route.kind}s of ${route.namespace} to use it`;
    return fault('RefNotPermitted', message);
  }
  const service = store.find('Service', `${namespace}/${name}`);
  if (!service) return fault('BackendNotFound', `Service ${namespace}/${name} does not exist`);
  return resolvePort(service, port);
}

function resolvePort(service: ObjectByKind['Service'], port: number | undefined): ResolvedBackend {
  const { name, namespace = '' } = service.metadata;
  const fault = (reason: string, message: string): ResolvedBackend => ({ fault: { reason, message } });
  if (port === undefined)
    return fault('BackendNotFound', `backendRef ${name} has no port: name one of Service ${namespace}/${name}`);
  if (service.spec.type === 'ExternalName') {
    return fault(
      'BackendNotFound',
      `Service ${namespace}/${name} is of type ExternalName, which has no endpoints here: use a Service with EndpointSlices`,
    );
  }
  const found = service.spec.ports?.find((entry) => entry.port === port);
  if (found) return { key: backendKey(namespace, name, port) };
  const ports = service.spec.ports?.map((entry) => entry.port).join(', ') || 'none';
  return fault('BackendNotFound', `Service ${namespace}/${name} has no port ${port}: it has ${ports}`);
}
