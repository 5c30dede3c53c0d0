import { type ObjectByKind, pickerTlsAnnotation, type ServicePort } from '../../gateway-api/index.ts';
import type { BackendProvider, StoredObjects } from '../../graph/engine/index.ts';
import {
  type BackendContent,
  type BackendKeyParts,
  type BackendVariant,
  backendKey,
  type ResolvedBackend,
  type Transport,
  transportOf,
} from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { endpointsOf, protocolOf } from '../endpoints/index.ts';

/** A Service: its ports are backends, with the addresses of its EndpointSlices. */
export const serviceProvider: BackendProvider<'Service'> = {
  resolve({ namespace, name, port }, { kind, variant }, store) {
    const service = store.find('Service', `${namespace}/${name}`);
    if (service) return resolvePort(service, port, kind === 'UDPRoute' ? 'UDP' : 'TCP', variant);
    return { fault: { reason: 'BackendNotFound', message: `Service ${namespace}/${name} does not exist` } };
  },
  keysOf: ({ metadata: { namespace = '', name }, spec }) =>
    (spec.ports ?? []).map((port) => backendKey(namespace, name, port.port, { transport: transportOf(port) })),
  contentOf: (key, parts, { store }) => contentOf(key, parts, store),
};

function resolvePort(
  service: ObjectByKind['Service'],
  port: number | undefined,
  transport: Transport,
  variant: BackendVariant = {},
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
  if (found) {
    // Where the Service says HTTP/2 by itself, all can share one backend.
    const http2 = variant.http2 === true && protocolOf(found) !== 'h2c';
    return { key: backendKey(namespace, name, port, { ...variant, http2, transport }) };
  }
  const text = (number: number, of: Transport) => `${number}${of === 'UDP' ? '/UDP' : ''}`;
  const ports = service.spec.ports?.map((entry) => text(entry.port, transportOf(entry))).join(', ') || 'none';
  return fault('BackendNotFound', `Service ${namespace}/${name} has no port ${text(port, transport)}: it has ${ports}`);
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

/** A picker whose process has stopped ends its streams so soon. */
const keepalive: ir.Http2Keepalive = { intervalMs: 1000, timeoutMs: 1000 };

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

function protocolFor({ transport, stream, http2, picker }: BackendKeyParts, port: ServicePort): ir.BackendProtocol {
  if (transport === 'UDP') return 'udp';
  if (stream) return 'tcp';
  return http2 || picker ? 'h2c' : protocolOf(port);
}
