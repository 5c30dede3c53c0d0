import { portOfBackend } from '../../graph/index.ts';
import type * as ir from '../../ir/index.ts';
import { backendName, listBackends } from '../backends/backend-record.ts';
import { endpointRecords, type FindSlices, serversOf } from '../backends/endpoint-records.ts';
import type { AdminSources } from '../sources.ts';
import type { BackendTroubles } from '../traffic/backend-troubles.ts';
import { backendHealth, endpointHealth } from './health.ts';
import { ids, type TopologyParts } from './parts.ts';
import type { TopologyEdge, TopologyStatus } from './record.ts';

/** A backend as routes look for it. */
export interface KnownBackend {
  /** Of its node. */
  readonly id: string;
  readonly status: TopologyStatus;
  /** Ids of the routes whose references to it resolve. */
  readonly routes: ReadonlySet<string>;
}

/** Backends by the key of their port; those of kinds that are referred to without a port also by kind and `NAMESPACE/NAME`. */
export class KnownBackends {
  readonly #byPort = new Map<string, KnownBackend>();
  readonly #byName = new Map<string, KnownBackend>();

  /** `port`: portOfBackend. */
  add(backend: ir.Backend, port: string, known: KnownBackend): void {
    this.#byPort.set(port, known);
    if (isPortless(backend.kind)) this.#byName.set(`${backend.kind} ${backend.namespace}/${backend.service}`, known);
  }

  ofService(port: string): KnownBackend | undefined {
    return this.#byPort.get(port);
  }

  /** For kinds that `isPortless`. */
  ofName(kind: string, key: string): KnownBackend | undefined {
    return this.#byName.get(`${kind} ${key}`);
  }
}

export type PortlessKind = 'XBackend' | 'InferencePool' | 'AIService';

/** Whether references to the kind name no port, or one that means nothing. */
export const isPortless = (kind: string | undefined): kind is PortlessKind =>
  kind === 'XBackend' || kind === 'InferencePool' || kind === 'AIService';

/** From an AIService that is a pool to the model servers of that. */
function toPool(backend: ir.Backend, graph: AdminSources['graph']): TopologyEdge[] {
  const servers = graph.snapshot()?.backends.get(serversOf(backend, graph));
  if (servers === undefined || servers.key === backend.key) return [];
  const [source, target] = [backend, servers].map(({ key }) => ids.backend(portOfBackend(key))) as [string, string];
  return [{ source, target, type: 'forward', weight: null, status: 'healthy' }];
}

/** The backends in use with their endpoints; one step each. */
export function* addBackends(
  { nodes, edges }: TopologyParts,
  { graph }: AdminSources,
  { slicesOf, troubles }: { readonly slicesOf: FindSlices; readonly troubles: BackendTroubles },
): Generator<undefined, KnownBackends> {
  const known = new KnownBackends();
  for (const backend of listBackends(graph)) {
    const port = portOfBackend(backend.key);
    const { namespace } = backend;
    const name = backendName(backend);
    const routes = new Set([...graph.routesOfBackend(backend.key)].map(ids.route));
    const signs = { endpoints: endpointRecords(backend, { graph, slicesOf }), standing: troubles.get(port), routes };
    const judgement = backendHealth(backend, signs);
    const id = ids.backend(port);
    nodes.set(id, {
      id,
      type: 'backend',
      label: backend.port === 0 ? backend.service : name,
      namespace,
      name,
      ...judgement,
    });
    const target = ids.endpoints(port);
    const { status, detail } = endpointHealth(backend, signs);
    nodes.set(target, { id: target, type: 'endpoints', label: detail, namespace, name, status, detail });
    edges.push({ source: id, target, type: 'resolve', weight: null, status });
    edges.push(...toPool(backend, graph));
    known.add(backend, port, { id, status: judgement.status, routes });
    yield;
  }
  return known;
}
