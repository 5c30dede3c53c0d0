import { portOfBackend } from '../../graph/index.ts';
import type * as ir from '../../ir/index.ts';
import { serversOf } from '../backends/endpoint-records.ts';
import type { AdminSources } from '../sources.ts';
import type { Health } from './health.ts';
import { ids } from './parts.ts';
import type { TopologyEdge } from './record.ts';

/** What asks the pickers of InferencePools, by the key of the ir.Backend with the model servers. A pool without a picker has none. */
export function indexPools({ graph }: AdminSources): ReadonlyMap<string, ir.Pool> {
  const pools = [...(graph.snapshot()?.backends.values() ?? [])].flatMap(({ pool }) => pool ?? []);
  return new Map(pools.map((pool) => [pool.servers, pool]));
}

export interface PickerView {
  readonly pools: ReturnType<typeof indexPools>;
  /** Of the endpoints of a backend. */
  readonly healthOf: (backend: ir.Backend) => Health;
}

/** Of a pool, or of an AIService that is one: the worse of its model servers and of its picker. Others are as healthy as they are. */
export function withPicker(backend: ir.Backend, { graph }: AdminSources, health: Health, view: PickerView): Health {
  const servers = serversOf(backend, graph);
  if (graph.snapshot()?.backends.get(servers)?.kind !== 'InferencePool') return health;
  const { status, detail } = pickerHealth(view.pools.get(servers), graph, view);
  return {
    status: health.status === 'failed' || status === 'healthy' ? health.status : status,
    detail: `${health.detail}; ${detail}`,
  };
}

function pickerHealth(pool: ir.Pool | undefined, graph: AdminSources['graph'], { healthOf }: PickerView): Health {
  if (pool === undefined)
    return { status: 'healthy', detail: 'no endpoint picker: the least busy endpoint gets each request' };
  const { picker } = pool;
  const backend = picker && graph.snapshot()?.backends.get(picker.backend);
  if (picker === undefined || backend === undefined)
    return { status: 'failed', detail: 'its endpoint picker cannot be found: requests are answered 503' };
  const name = `endpoint picker ${backend.namespace}/${backend.service}${connectionWords(backend)}`;
  if (healthOf(backend).status !== 'failed') return { status: 'healthy', detail: name };
  return picker.failOpen
    ? { status: 'degraded', detail: `${name} has no healthy endpoint: any model server gets each request` }
    : { status: 'failed', detail: `${name} has no healthy endpoint: requests are answered 503` };
}

/** Who can answer in place of a picker reads prompts, and chooses among the model servers. */
function connectionWords({ tls }: ir.Backend): string {
  if (tls === undefined) return ' (unencrypted)';
  return tls.unverified ? ' (its certificate is not verified)' : '';
}

/** From an AIService that is a pool to the model servers of that, and from these to the picker. */
export function* poolEdges(
  backend: ir.Backend,
  { graph }: AdminSources,
  own: Health,
  { pools, healthOf }: PickerView,
): Generator<TopologyEdge> {
  const backends = graph.snapshot()?.backends;
  const source = idOf(backend);
  const servers = backends?.get(serversOf(backend, graph));
  if (servers !== undefined && servers.key !== backend.key)
    yield { source, target: idOf(servers), type: 'forward', weight: null, status: own.status };
  const picker = backends?.get(pools.get(backend.key)?.picker?.backend ?? '');
  if (picker !== undefined)
    yield { source, target: idOf(picker), type: 'pick', weight: null, status: healthOf(picker).status };
}

const idOf = ({ key }: ir.Backend): string => ids.backend(portOfBackend(key));
