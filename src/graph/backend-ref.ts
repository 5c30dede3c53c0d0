import type { ObjectByKind, ServicePort } from '../gateway-api/index.ts';
import type { Fault } from './condition.ts';
import type { RuleSpec } from './filter.ts';
import type { Store } from './store.ts';

export type BackendRefSpec = NonNullable<RuleSpec['backendRefs']>[number];

/** Where a backendRef leads, or why it leads nowhere. */
export type ResolvedBackend = { readonly key: string } | { readonly fault: Fault };

type Transport = 'TCP' | 'UDP';

/** A Service may have one port number twice, once for each. */
export const transportOf = ({ protocol }: ServicePort): Transport => (protocol === 'UDP' ? 'UDP' : 'TCP');

/** `NAMESPACE/SERVICE/PORT`, with `/udp` for UDP: ir.Backend.key. */
export const backendKey = (namespace: string, service: string, port: number, transport: Transport = 'TCP'): string =>
  `${namespace}/${service}/${port}${transport === 'UDP' ? '/udp' : ''}`;

/** The parts of a backend key. */
export function splitBackendKey(key: string): {
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
  readonly transport: Transport;
} {
  const [namespace = '', service = '', port = '', udp] = key.split('/');
  return { namespace, service, port: Number(port), transport: udp ? 'UDP' : 'TCP' };
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
  return resolvePort(service, port, route.kind === 'UDPRoute' ? 'UDP' : 'TCP');
}

function resolvePort(
  service: ObjectByKind['Service'],
  port: number | undefined,
  transport: Transport,
): ResolvedBackend {
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
  const found = service.spec.ports?.find((entry) => entry.port === port && transportOf(entry) === transport);
  if (found) return { key: backendKey(namespace, name, port, transport) };
  const text = (number: number, of: Transport) => `${number}${of === 'UDP' ? '/UDP' : ''}`;
  const ports = service.spec.ports?.map((entry) => text(entry.port, transportOf(entry))).join(', ') || 'none';
  return fault('BackendNotFound', `Service ${namespace}/${name} has no port ${text(port, transport)}: it has ${ports}`);
}
