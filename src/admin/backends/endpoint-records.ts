import { formatAddress } from '../../config/index.ts';
import { type EndpointSlice, objectKey, type SliceEndpoint } from '../../gateway-api/index.ts';
import { backendOwner, type GraphView, sliceOwners } from '../../graph/index.ts';
import type * as ir from '../../ir/index.ts';
import type { Standing } from '../../traffic/index.ts';
import type { BackendRecord } from './record.ts';

type EndpointRecord = Omit<BackendRecord['endpoints'][number], 'verdicts'>;

/** Finds the EndpointSlices of a Service or ServiceImport, by the owner of its backends. */
export type FindSlices = (owner: string) => readonly EndpointSlice[];

/** One pass over all slices, for a page of backends. */
export function indexSlices(graph: GraphView): FindSlices {
  const index = new Map<string, EndpointSlice[]>();
  for (const slice of graph.list('EndpointSlice')) {
    for (const owner of sliceOwners('EndpointSlice', slice)) {
      const siblings = index.get(owner);
      if (siblings === undefined) index.set(owner, [slice]);
      else siblings.push(slice);
    }
  }
  return (owner) => index.get(owner) ?? [];
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
  const sent = graph.snapshot()?.endpoints.get(serversOf(backend, graph))?.endpoints ?? [];
  const healthy = new Set(
    sent.filter(({ health }) => health === 'ready').map(({ address, port }) => formatAddress({ host: address, port })),
  );
  const portName = nameOfPort(backend, graph);
  const owner = backendOwner(backend.kind ?? 'Service', objectKey(backend.namespace, backend.service));
  const records = new Map<string, EndpointRecord>(
    sent.map((endpoint) => recordOfSent(endpoint)).map((record) => [record.address, record]),
  );
  // An XBackend or AIService may have the name of a Service.
  for (const slice of portName === undefined ? [] : slicesOf(owner)) {
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

/** What EndpointSlices call a port of a Service or ServiceImport; undefined for what has none. */
function nameOfPort({ kind, namespace, service, port, protocol }: ir.Backend, graph: GraphView): string | undefined {
  if (kind !== undefined && kind !== 'ServiceImport') return undefined;
  const object = graph.find(kind ?? 'Service', `${namespace}/${service}`);
  const found = object?.spec.ports?.find(
    (each) => each.port === port && (each.protocol === 'UDP') === (protocol === 'udp'),
  );
  return found?.name ?? '';
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
