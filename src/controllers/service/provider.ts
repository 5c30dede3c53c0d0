import { type ObjectByKind, pickerTlsAnnotation } from '../../gateway-api/index.ts';
import type { BackendProvider, StoredObjects } from '../../graph/engine/index.ts';
import {
  type BackendContent,
  type BackendKeyParts,
  type BackendUser,
  backendKey,
  type ResolvedBackend,
  transportOf,
} from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { endpointsOf, keyOfPort, protocolFor } from '../endpoints/index.ts';

/** A Service: its ports are backends, with the addresses of its EndpointSlices. */
export const serviceProvider: BackendProvider<'Service'> = {
  sources: {},
  resolve({ namespace, name, port }, user, store) {
    const service = store.find('Service', `${namespace}/${name}`);
    if (service) return resolvePort(service, port, user);
    return { fault: { reason: 'BackendNotFound', message: `Service ${namespace}/${name} does not exist` } };
  },
  keysOf: ({ metadata: { namespace = '', name }, spec }) =>
    (spec.ports ?? []).map((port) => backendKey(namespace, name, port.port, { transport: transportOf(port) })),
  contentOf: (key, parts, { store }) => contentOf(key, parts, store),
};

function resolvePort(service: ObjectByKind['Service'], port: number | undefined, user: BackendUser): ResolvedBackend {
  const { name, namespace } = service.metadata;
  if (port !== undefined && service.spec.type === 'ExternalName') {
    const message = `Service ${namespace}/${name} is of type ExternalName, which has no endpoints here: use a Service with EndpointSlices`;
    return { fault: { reason: 'BackendNotFound', message } };
  }
  return keyOfPort(service, { port }, user);
}

function contentOf(key: string, parts: BackendKeyParts, store: StoredObjects): BackendContent | undefined {
  const { namespace, service: name, port, transport } = parts;
  const serviceKey = `${namespace}/${name}`;
  const service = store.find('Service', serviceKey);
  const servicePort = service?.spec.ports?.find((entry) => entry.port === port && transportOf(entry) === transport);
  if (!service || !servicePort) return undefined;
  const protocol = protocolFor(parts, servicePort);
  const zone = prefersZone(service) && { prefersZone: true as const };
  const picker = parts.picker && pickerConnection(service, store);
  return {
    backend: { key, namespace, service: name, port, protocol, ...zone, ...picker },
    endpoints: { backend: key, endpoints: endpointsOf(serviceKey, servicePort, store) },
  };
}

/** A picker whose process has stopped ends its streams in six seconds. One that is only busy, such as with a long pause of its runtime, keeps them. */
const keepalive: ir.Http2Keepalive = { intervalMs: 1000, timeoutMs: 5000 };

/**
 * TLS to an endpoint picker. Most have a certificate of their own making without a usable name, so any is accepted unless a
 * BackendTLSPolicy, which takes the place of this, or the operator says otherwise.
 */
function pickerConnection(
  { metadata }: ObjectByKind['Service'],
  { hosts }: StoredObjects,
): Pick<ir.Backend, 'tls' | 'tuning'> {
  const tuning = { http2: { keepalive } };
  if (metadata.annotations?.[pickerTlsAnnotation] === 'Disabled') return { tuning };
  const serverName = `${metadata.name}.${metadata.namespace}.svc`;
  const names = [{ kind: 'dns' as const, value: serverName }];
  return { tls: { serverName, names, ...(!hosts.requiresVerification && { unverified: true }) }, tuning };
}

/** PreferSameNode too: proxies know their zone, and nothing nearer. Source: ServiceSpec.trafficDistribution, KEP-3015. */
const prefersZone = ({ spec }: ObjectByKind['Service']): boolean =>
  ['PreferClose', 'PreferSameZone', 'PreferSameNode'].includes(spec.trafficDistribution ?? '');
