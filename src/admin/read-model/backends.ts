import type { GraphView, ObjectReference } from '../../graph/index.ts';
import type * as ir from '../../ir/index.ts';
import { type EndpointRecord, endpointRecords, type FindSlices } from './endpoints.ts';

/** A Service's port that some route of ours forwards to. */
export interface BackendRecord {
  /** `SERVICE:PORT` */
  readonly name: string;
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
  readonly protocol: ir.BackendProtocol;
  readonly endpoints: readonly EndpointRecord[];
  /** Proxies speak plain text to backends. */
  readonly tls: null;
  readonly referencedBy: readonly ObjectReference[];
  /** Set by no policy that is read. */
  readonly loadBalancing: null;
  /** Set by no rule that is read. */
  readonly sessionPersistence: null;
}

export const backendName = ({ service, port }: ir.Backend): string => `${service}:${port}`;

/** Every backend of the newest snapshot; the order is not settled. */
export const listBackends = (graph: GraphView): Iterable<ir.Backend> => graph.snapshot()?.backends.values() ?? [];

export const backendRecord = (
  backend: ir.Backend,
  world: { readonly graph: GraphView; readonly slicesOf: FindSlices },
): BackendRecord => ({
  name: backendName(backend),
  namespace: backend.namespace,
  service: backend.service,
  port: backend.port,
  protocol: backend.protocol,
  endpoints: endpointRecords(backend, world),
  tls: null,
  referencedBy: [...world.graph.routesOfBackend(backend.key)].sort(byKey),
  loadBalancing: null,
  sessionPersistence: null,
});

const byKey = (a: ObjectReference, b: ObjectReference): number => (keyText(a) < keyText(b) ? -1 : 1);
const keyText = ({ kind, namespace, name }: ObjectReference): string => [namespace, name, kind].join('\u0000');

/** Backends of a namespace with this name, which is `SERVICE:PORT` (one for TCP, one for UDP) or, for all ports of it, `SERVICE`. */
export function findBackends(graph: GraphView, namespace: string, name: string): ir.Backend[] {
  const [service, port, ...rest] = name.split(':');
  if (rest.length > 0) return [];
  if (port !== undefined) {
    const backends = graph.snapshot()?.backends;
    const key = `${namespace}/${service}/${port}`;
    return [backends?.get(key), backends?.get(`${key}/udp`)].filter((backend) => backend !== undefined);
  }
  return [...listBackends(graph)].filter((backend) => backend.namespace === namespace && backend.service === service);
}
