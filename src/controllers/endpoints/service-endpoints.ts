import { isIP } from 'node:net';
import type { ObjectByKind, ServicePort } from '../../gateway-api/index.ts';
import type { StoredObjects } from '../../graph/engine/index.ts';
import { compareText } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';

/**
 * Addresses of a port from the EndpointSlices of its owner, a Service or ServiceImport. When none is ready those that still serve are used, as
 * kube-proxy does: a rollout that leaves only terminating pods must not turn into errors.
 */
export function endpointsOf(owner: string, { name = '' }: ServicePort, store: StoredObjects): ir.Endpoint[] {
  // Keys of Services are their owners; one of another kind has no families to choose from.
  const [family = 'IPv4'] = store.find('Service', owner)?.spec.ipFamilies ?? [];
  const slices = addressFamily([...store.slicesOf(owner)], family);
  const found = slices.flatMap((slice) => candidatesOf(slice, name));
  const candidates = [...new Map(found.map((entry) => [entry.place, entry])).values()];
  const someReady = candidates.some(({ ready }) => ready);
  const usable = someReady
    ? candidates.filter(({ ready, draining }) => ready || draining)
    : candidates.filter(({ serving }) => serving);
  const endpoints = usable.map(
    ({ endpoint, ready }): ir.Endpoint => (ready || !someReady ? endpoint : { ...endpoint, health: 'draining' }),
  );
  return endpoints.sort((a, b) => compareText(a.address, b.address) || a.port - b.port);
}

type Slices = readonly ObjectByKind['EndpointSlice'][];

/** A dual-stack Service has every pod twice. One family is enough: the first of the Service, or the other one where there are no slices of that. */
function addressFamily(slices: Slices, family: string): Slices {
  const other = family === 'IPv6' ? 'IPv4' : 'IPv6';
  const [chosen = []] = [family, other]
    .map((type) => slices.filter(({ addressType }) => addressType === type))
    .filter(({ length }) => length > 0);
  return chosen.sort((a, b) => compareText(a.metadata.name, b.metadata.name));
}

const isIp = (address: string): boolean => isIP(address) !== 0;

/** An API server takes any int32 as the port of a slice. No build can encode a negative one, and Envoy rejects one that is too large. */
const isPort = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65_535;

interface Candidate {
  /** Address and port, which several slices may have. */
  readonly place: string;
  /** As it is when it is ready, or when none is. */
  readonly endpoint: ir.Endpoint;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly draining: boolean;
}

/** What is found in slices of many endpoints, by port. */
const foundInSlices = new WeakMap<ObjectByKind['EndpointSlice'], Map<string, readonly Candidate[]>>();
/** Endpoints of a slice; with fewer it is quicker found again than kept. */
const many = 20;

/** When one slice of a large Service changes, the others have not. */
function candidatesOf(slice: ObjectByKind['EndpointSlice'], portName: string): readonly Candidate[] {
  if ((slice.endpoints?.length ?? 0) < many) return sliceEndpoints(slice, portName);
  const byPort = foundInSlices.get(slice) ?? new Map<string, readonly Candidate[]>();
  const found = byPort.get(portName) ?? sliceEndpoints(slice, portName);
  foundInSlices.set(slice, byPort.set(portName, found));
  return found;
}

function sliceEndpoints(slice: ObjectByKind['EndpointSlice'], portName: string): Candidate[] {
  const port = slice.ports?.find((entry) => (entry.name ?? '') === portName)?.port;
  if (port === undefined || !isPort(port)) return [];
  return (slice.endpoints ?? []).flatMap(({ addresses, conditions, zone: ownZone, nodeName, hints }) => {
    // The zone that should use it, which need not be the one it is in.
    const zone = hints?.forZones?.[0]?.name ?? ownZone;
    // Source: discovery.k8s.io/v1 EndpointConditions: an absent `ready` or `serving` means true.
    const ready = conditions?.ready ?? true;
    const serving = conditions?.serving ?? ready;
    const draining = serving && conditions?.terminating === true;
    // What is no IP address would cost the backend all of its endpoints.
    return addresses.filter(isIp).map((address) => ({
      place: `${address} ${port}`,
      endpoint: { address, port, ...(zone && { zone }), ...(nodeName && { node: nodeName }), health: 'ready' as const },
      ready,
      serving,
      draining,
    }));
  });
}
