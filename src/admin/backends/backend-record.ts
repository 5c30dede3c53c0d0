import { objectKey, parseObjectKey } from '../../gateway-api/index.ts';
import { cookieNameOf, type GraphView, type ObjectReference, portOfBackend } from '../../graph/index.ts';
import * as ir from '../../ir/index.ts';
import type { BackendTroubles } from '../traffic/backend-troubles.ts';
import { endpointRecords, type FindSlices, reportedRecords, serversOf } from './endpoint-records.ts';
import { verdictsOf } from './endpoint-verdicts.ts';
import type { BackendRecord } from './record.ts';

const tlsRecord = (
  { serverName, names, authorities, unverified }: ir.BackendTls,
  { tls: { verification } = {} }: ir.BackendTuning = {},
): BackendRecord['tls'] => ({
  hostname: serverName,
  subjectAltNames: names.map(({ value }) => value),
  authorities: authorities === undefined ? 'system' : 'configured',
  verification: verification === 'none' ? 'none' : verification ? 'pinned' : unverified ? 'none' : 'full',
});

function sessionRecord({ key }: ir.Backend, graph: GraphView): BackendRecord['sessionPersistence'] {
  const { own, policy } = graph.sessionsOf(key);
  const found = own ?? policy;
  if (!found) return null;
  const { type = 'Cookie', cookie, header, absoluteTimeout = null } = found.spec;
  return {
    type,
    name: (type === 'Header' ? header?.name : cookie?.name) ?? cookieNameOf(key),
    lifetimeType: cookie?.lifetimeType ?? 'Session',
    absoluteTimeout,
    source: found.source,
  };
}

/** How an endpoint is chosen: a BackendPolicy may say so, or the picker of a pool does. */
const policies = {
  roundRobin: 'round_robin',
  leastRequest: 'least_request',
  random: 'random',
  hash: 'hash',
  picked: 'endpoint_picker',
} as const;

export const backendName = ({ service, port }: ir.Backend): string => `${service}:${port}`;

/** Every backend of the newest snapshot, one for each port of a Service (of TCP and of UDP); the order is not resolved. */
export function listBackends(graph: GraphView): Iterable<ir.Backend> {
  const byPort = new Map<string, ir.Backend>();
  for (const backend of graph.snapshot()?.backends.values() ?? []) {
    // What chooses among AIServices is a part of its route, and what asks a picker a part of its pool.
    if (backend.ai?.kind === 'route' || backend.pool) continue;
    const port = portOfBackend(backend.key);
    const known = byPort.get(port);
    // Proxies may treat one port in several ways; the plainest has the shortest key.
    if (known === undefined || backend.key < known.key) byPort.set(port, backend);
  }
  return byPort.values();
}

export const backendRecord = (
  backend: ir.Backend,
  sources: {
    readonly graph: GraphView;
    readonly slicesOf: FindSlices;
    readonly rejectedNames?: RejectedNames;
    readonly troubles?: BackendTroubles;
  },
): BackendRecord => ({
  kind: backend.kind ?? 'Service',
  name: backendName(backend),
  namespace: backend.namespace,
  service: backend.service,
  port: backend.port,
  protocol: backend.protocol,
  hostname: backend.hostname ?? null,
  endpoints: judgedEndpoints(backend, sources),
  problem: hostProblem(backend, sources),
  tls: backend.tls === undefined ? null : tlsRecord(backend.tls, backend.tuning),
  referencedBy: inOrder(sources.graph.routesOfBackend(backend.key)),
  patchedBy: backend.patch ? { kind: 'EnvoyPatch', ...parseObjectKey(ir.policyOfPatch(backend.patch.id)) } : null,
  loadBalancing: {
    policy: policies[backend.tuning?.loadBalancer?.kind ?? 'roundRobin'],
    prefersZone: backend.prefersZone === true,
  },
  pool: poolOf(backend, sources.graph),
  sessionPersistence: sessionRecord(backend, sources.graph),
});

function poolOf(backend: ir.Backend, graph: GraphView): string | null {
  const servers = graph.snapshot()?.backends.get(serversOf(backend, graph));
  return servers?.kind === 'InferencePool' ? objectKey(servers.namespace, servers.service) : null;
}

function judgedEndpoints(
  backend: ir.Backend,
  {
    troubles,
    ...sources
  }: { readonly graph: GraphView; readonly slicesOf: FindSlices; readonly troubles?: BackendTroubles },
): BackendRecord['endpoints'] {
  const { endpoints } = troubles?.get(portOfBackend(backend.key)) ?? { endpoints: [] };
  const records = backend.hostname === undefined ? endpointRecords(backend, sources) : reportedRecords(endpoints);
  return records.map((endpoint) => ({ ...endpoint, verdicts: verdictsOf(endpoint, { endpoints }) }));
}

/** Why names lead nowhere, by name, in the words of the data planes that resolve them. */
export type RejectedNames = ReadonlyMap<string, string>;

/** Why the host of a backend leads nowhere: in its object, or in what its name server answers. */
export function hostProblem(
  { key, hostname }: ir.Backend,
  { graph, rejectedNames }: { readonly graph: GraphView; readonly rejectedNames?: RejectedNames },
): string | null {
  return graph.hostFaultOf(key) ?? (hostname === undefined ? undefined : rejectedNames?.get(hostname)) ?? null;
}

/** Each key is made once: there may be tens of thousands of routes. */
const inOrder = (routes: Iterable<ObjectReference>): ObjectReference[] =>
  Array.from(routes, (route) => ({ route, key: keyText(route) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ route }) => route);

const keyText = ({ kind, namespace, name }: ObjectReference): string => [namespace, name, kind].join('\u0000');

/** Backends of a namespace with this name, which is `SERVICE:PORT` (one for TCP, one for UDP, one of an XBackend) or, for all ports of it, `SERVICE`. */
export function findBackends(graph: GraphView, namespace: string, name: string): ir.Backend[] {
  const [service, port, ...rest] = name.split(':');
  if (rest.length > 0) return [];
  if (port !== undefined) {
    const key = `${namespace}/${service}/${port}`;
    const ports = [key, `${key}/udp`, `${key}/import`, `${key}/pods`, `${key}/external`, `${key}/servers`, `${key}/ai`];
    const found = [...listBackends(graph)].filter((backend) => ports.includes(portOfBackend(backend.key)));
    return found.sort((a, b) => (a.key < b.key ? -1 : 1));
  }
  return [...listBackends(graph)].filter((backend) => backend.namespace === namespace && backend.service === service);
}
