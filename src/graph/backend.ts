import type { ObjectByKind, ServicePort } from '../gateway-api/index.ts';
import type * as ir from '../ir/index.ts';
import { splitBackendKey, transportOf } from './backend-ref.ts';
import { compareText } from './compare-text.ts';
import type { Store } from './store.ts';

/** What a backend key stands for now; undefined when its Service or port is gone. */
export interface SettledBackend {
  readonly backend: ir.Backend;
  readonly endpoints: ir.Endpoints;
}

export function settleBackend(key: string, store: Store): SettledBackend | undefined {
  const { namespace, service: name, port, transport } = splitBackendKey(key);
  const service = store.find('Service', `${namespace}/${name}`);
  const servicePort = service?.spec.ports?.find((entry) => entry.port === port && transportOf(entry) === transport);
  if (!service || !servicePort) return undefined;
  return {
    backend: { key, namespace, service: name, port, protocol: protocolOf(servicePort) },
    endpoints: { backend: key, endpoints: endpointsOf(`${namespace}/${name}`, servicePort, store) },
  };
}

/** Source: GEP-1911, the standard appProtocol values. WebSocket is HTTP/1.1 with an upgrade. */
function protocolOf(port: ServicePort): ir.BackendProtocol {
  if (transportOf(port) === 'UDP') return 'udp';
  return port.appProtocol === 'kubernetes.io/h2c' ? 'h2c' : 'http1';
}

/**
 * Addresses of a Service's port from its EndpointSlices. When none is ready those that still serve are used, as
 * kube-proxy does: a rollout that leaves only terminating pods must not turn into errors.
 */
function endpointsOf(serviceKey: string, { name = '' }: ServicePort, store: Store): ir.Endpoint[] {
  const slices = addressFamily([...store.slicesOf(serviceKey)]);
  const found = slices.flatMap((slice) => sliceEndpoints(slice, name));
  const candidates = [
    ...new Map(found.map((entry) => [`${entry.endpoint.address} ${entry.endpoint.port}`, entry])).values(),
  ];
  const someReady = candidates.some(({ ready }) => ready);
  const usable = someReady
    ? candidates.filter(({ ready, draining }) => ready || draining)
    : candidates.filter(({ serving }) => serving);
  const endpoints = usable.map(
    ({ endpoint, ready }): ir.Endpoint => ({ ...endpoint, health: ready || !someReady ? 'ready' : 'draining' }),
  );
  return endpoints.sort((a, b) => compareText(a.address, b.address) || a.port - b.port);
}

/** A dual-stack Service has every pod twice; one family is enough. */
function addressFamily(slices: readonly ObjectByKind['EndpointSlice'][]): readonly ObjectByKind['EndpointSlice'][] {
  const ipv4 = slices.filter(({ addressType }) => addressType === 'IPv4');
  const chosen = ipv4.length > 0 ? ipv4 : slices.filter(({ addressType }) => addressType === 'IPv6');
  return chosen.sort((a, b) => compareText(a.metadata.name, b.metadata.name));
}

interface Candidate {
  readonly endpoint: Omit<ir.Endpoint, 'health'>;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly draining: boolean;
}

function sliceEndpoints(slice: ObjectByKind['EndpointSlice'], portName: string): Candidate[] {
  const port = slice.ports?.find((entry) => (entry.name ?? '') === portName)?.port;
  if (port === undefined) return [];
  return (slice.endpoints ?? []).flatMap(({ addresses, conditions, zone, nodeName }) => {
    // Source: discovery.k8s.io/v1 EndpointConditions: an absent `ready` or `serving` means true.
    const ready = conditions?.ready ?? true;
    const serving = conditions?.serving ?? ready;
    const draining = serving && conditions?.terminating === true;
    return addresses.map((address) => ({
      endpoint: { address, port, ...(zone && { zone }), ...(nodeName && { node: nodeName }) },
      ready,
      serving,
      draining,
    }));
  });
}
