import { objectKey } from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';
import { type PickOutcome, pickOutcomes } from '../../traffic/index.ts';
import type { AdminSources } from '../sources.ts';
import { allTraffic, type TrafficKnown } from '../traffic/ask-traffic.ts';
import { parseItem, type TrafficItem } from '../traffic/groups.ts';
import type { PoolPicks } from './record.ts';

export interface PicksAsked {
  readonly windowMs: number;
  readonly namespace?: string | undefined;
  /** Of the pool. */
  readonly name?: string | undefined;
}

const mostEndpoints = 100;

/** What the proxies of all replicas know of requests for pools. */
export async function allPicks(
  asked: PicksAsked,
  sources: AdminSources,
): Promise<Pick<TrafficKnown, 'from' | 'to' | 'isReported' | 'warnings'> & { readonly pools: PoolPicks[] }> {
  const { groups, ...known } = await allTraffic({ ...asked, by: 'pick', byRule: false }, sources);
  const pools = new Map<string, Pool>();
  for (const [text, { sums }] of groups) add(pools, parseItem(text), sums.requests);
  const records = [...pools.values()].map((pool) => record(pool, sources.graph));
  return { ...known, pools: records.sort(byRequests) };
}

type Counts = Record<PickOutcome, number>;

interface Pool {
  readonly namespace: string;
  readonly name: string;
  readonly counts: Counts;
  readonly endpoints: Map<string, Counts>;
}

const noCounts = () => Object.fromEntries(pickOutcomes.map((outcome) => [outcome, 0])) as Counts;

function add(pools: Map<string, Pool>, { namespace, name, pick }: TrafficItem, requests: number): void {
  const outcome = pickOutcomes.find((each) => each === pick?.outcome);
  if (namespace === null || name === null || pick === undefined || outcome === undefined) return;
  const key = objectKey(namespace, name);
  const pool = pools.get(key) ?? { namespace, name, counts: noCounts(), endpoints: new Map() };
  pools.set(key, pool);
  pool.counts[outcome] += requests;
  if (pick.endpoint === '') return;
  const counts = pool.endpoints.get(pick.endpoint) ?? noCounts();
  pool.endpoints.set(pick.endpoint, counts);
  counts[outcome] += requests;
}

function record({ namespace, name, counts, endpoints }: Pool, graph: GraphView): PoolPicks {
  const ref = graph.find('InferencePool', objectKey(namespace, name))?.spec.endpointPickerRef;
  return {
    namespace,
    name,
    picker: ref ? objectKey(namespace, ref.name) : null,
    requests: sumOf(counts),
    outcomes: counts,
    endpoints: [...endpoints]
      .map(([endpoint, of]) => ({ endpoint, requests: sumOf(of), outcomes: of }))
      .sort((a, b) => b.requests - a.requests || (a.endpoint < b.endpoint ? -1 : 1))
      .slice(0, mostEndpoints),
  };
}

const sumOf = (counts: Counts): number => Object.values(counts).reduce((sum, each) => sum + each, 0);

const byRequests = (a: PoolPicks, b: PoolPicks): number =>
  b.requests - a.requests || (objectKey(a.namespace, a.name) < objectKey(b.namespace, b.name) ? -1 : 1);
