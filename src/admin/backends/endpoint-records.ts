import { formatAddress } from '../../config/index.ts';
import type { EndpointSlice, SliceEndpoint } from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';
import type * as ir from '../../ir/index.ts';
import type { Standing } from '../../traffic/index.ts';
import type { BackendRecord } from './record.ts';

type EndpointRecord = Omit<BackendRecord['endpoints'][number], 'verdicts'>;

/** Finds the EndpointSlices of a Service, by `NAMESPACE/SERVICE`. */
export type FindSlices = (serviceKey: string) => readonly EndpointSlice[];

/** One pass over all slices, for a page of backends. */
export function indexSlices(graph: GraphView): FindSlices {
  const index = new Map<string, EndpointSlice[]>();
  for (const slice of graph.list('EndpointSlice')) {
    const key = `${slice.metadata.namespace}/${slice.metadata.labels?.['kubernetes.io/service-name']}`;
    const siblings = index.get(key);
    if (siblings === undefined) index.set(key, [slice]);
    else siblings.push(slice);
  }
  return (serviceKey) => index.get(serviceKey) ?? [];
}

/**
 * All addresses of a backend's port, those that proxies are not sent included, so that a pod which is not ready shows
 * as unhealthy instead of not at all. Sorted by address.
 */
export function endpointRecords(
  backend: ir.Backend,
  sources: { readonly graph: GraphView; readonly slicesOf: FindSlices },
): EndpointRecord[] {
  const { graph, slicesOf } = sources;
  const serviceKey = `${backend.namespace}/${backend.service}`;
  const sent = graph.snapshot()?.endpoints.get(serversOf(backend, graph))?.endpoints ?? [];
  const healthy = new Set(
    sent.filter(({ health }) => health === 'ready').map(({ address, port }) => formatAddress({ host: address, port })),
  );
  const service = graph.find('Service', serviceKey);
  const isUdp = backend.protocol === 'udp';
  const portName =
    service?.spec.ports?.find(({ port, protocol }) => port === backend.port && (protocol === 'UDP') === isUdp)?.name ??
    '';
  const records = new Map<string, EndpointRecord>(
    sent.map((endpoint) => recordOfSent(endpoint)).map((record) => [record.address, record]),
  );
  // An XBackend or AIService may have the name of a Service.
  for (const slice of backend.kind !== undefined ? [] : slicesOf(serviceKey)) {
    const port = slice.ports?.find(({ name = '' }) => name === portName)?.port;
    if (port === undefined) continue;
    for (const endpoint of slice.endpoints ?? []) {
      for (const host of endpoint.addresses) {
        const address = formatAddress({ host, port });
        records.set(address, recordOfSlice(endpoint, address, healthy.has(address)));
      }
    }
  }
  return [...records.values()].sort((a, b) => (a.address < b.address ? -1 : 1));
}

/** Key of the ir.Backend whose endpoints requests end at: of an AIService that is a pool, the pool's model servers. */
export function serversOf({ key, ai }: ir.Backend, graph: GraphView): string {
  const pool = ai?.kind === 'service' ? ai.pool : undefined;
  if (pool === undefined) return key;
  return graph.snapshot()?.backends.get(pool)?.pool?.servers ?? pool;
}

/** Of a host that proxies find by DNS only those addresses are known of which proxies or requests say something. */
export function reportedRecords(reports: Standing['endpoints']): EndpointRecord[] {
  const ejected = new Set(reports.filter(({ source }) => source === 'proxy').map(({ address }) => address));
  return [...new Set(reports.map(({ address }) => address))].sort().map((address) => ({
    address,
    healthy: !ejected.has(address),
    ready: true,
    serving: true,
    terminating: false,
    zone: null,
    node: null,
  }));
}

// discovery.k8s.io/v1 EndpointConditions: `ready` missing means true, `serving` missing means the same as `ready`.
function recordOfSlice(
  { conditions, zone, nodeName }: SliceEndpoint,
  address: string,
  healthy: boolean,
): EndpointRecord {
  const ready = conditions?.ready ?? true;
  return {
    address,
    healthy,
    ready,
    serving: conditions?.serving ?? ready,
    terminating: conditions?.terminating ?? false,
    zone: zone ?? null,
    node: nodeName ?? null,
  };
}

// For endpoints that have no slice (any more) the snapshot's word is all there is.
const recordOfSent = ({ address, port, health, zone, node, priority }: ir.Endpoint): EndpointRecord => ({
  address: formatAddress({ host: address, port }),
  healthy: health === 'ready',
  ready: health === 'ready',
  serving: true,
  terminating: health === 'draining',
  zone: zone ?? null,
  node: node ?? null,
  ...(priority !== undefined && { priority }),
});
