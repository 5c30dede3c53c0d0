import { portOfBackend } from '../../graph/index.ts';
import type * as ir from '../../ir/index.ts';
import { backendName, listBackends } from '../backends/backend-record.ts';
import { endpointRecords, type FindSlices } from '../backends/endpoint-records.ts';
import type { AdminSources } from '../sources.ts';
import type { BackendTroubles } from '../traffic/backend-troubles.ts';
import { backendHealth, endpointHealth, type Health, type Signs } from './health.ts';
import { ids, type TopologyParts } from './parts.ts';
import { indexPools, type PickerView, poolEdges, withPicker } from './pools.ts';
import type { TopologyStatus } from './record.ts';

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

/** The backends in use with their endpoints; one step each. */
export function* addBackends(
  parts: TopologyParts,
  sources: AdminSources,
  lookUp: LookUp,
): Generator<undefined, KnownBackends> {
  const known = new KnownBackends();
  const view: PickerView = {
    pools: indexPools(sources),
    healthOf: (backend) => endpointHealth(backend, signsOf(backend, sources, lookUp)),
  };
  for (const backend of listBackends(sources.graph)) {
    const signs = signsOf(backend, sources, lookUp);
    const judgement = withPicker(backend, sources, backendHealth(backend, signs), view);
    addNodes(parts, backend, judgement, endpointHealth(backend, signs));
    parts.edges.push(...poolEdges(backend, sources, judgement, view));
    const port = portOfBackend(backend.key);
    known.add(backend, port, { id: ids.backend(port), status: judgement.status, routes: signs.routes });
    yield;
  }
  return known;
}

interface LookUp {
  readonly slicesOf: FindSlices;
  readonly troubles: BackendTroubles;
}

const signsOf = (backend: ir.Backend, { graph }: AdminSources, { slicesOf, troubles }: LookUp): Signs => ({
  endpoints: endpointRecords(backend, { graph, slicesOf }),
  standing: troubles.get(portOfBackend(backend.key)),
  routes: new Set([...graph.routesOfBackend(backend.key)].map(ids.route)),
});

function addNodes({ nodes, edges }: TopologyParts, backend: ir.Backend, judgement: Health, servers: Health): void {
  const { namespace, kind } = backend;
  const [name, port] = [backendName(backend), portOfBackend(backend.key)];
  const [id, target] = [ids.backend(port), ids.endpoints(port)];
  nodes.set(id, {
    id,
    type: 'backend',
    label: backend.port === 0 ? backend.service : name,
    ...(kind !== undefined && { kind }),
    namespace,
    name,
    ...judgement,
  });
  const { status, detail } = servers;
  nodes.set(target, { id: target, type: 'endpoints', label: detail, namespace, name, status, detail });
  edges.push({ source: id, target, type: 'resolve', weight: null, status });
}
