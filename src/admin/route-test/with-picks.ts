import { objectKey } from '../../gateway-api/index.ts';
import { allPicks } from '../picks/pool-picks.ts';
import type { PoolPicks } from '../picks/record.ts';
import type { AdminSources } from '../sources.ts';
import type { RouteTestBackend, RouteTestRecord } from './record.ts';

type Lately = NonNullable<RouteTestBackend['picker']>['lately'];

const windowMs = 15 * 60_000;
const mostShown = 5;

/** Says of each pool which of its servers answered lately, and whether its picker chose them. */
export async function withPicks(record: RouteTestRecord, sources: AdminSources): Promise<RouteTestRecord> {
  if (record.backends.every(({ picker }) => picker === null)) return record;
  const { pools } = await allPicks({ windowMs }, sources);
  const byName = new Map<string, Lately>(pools.map((pool) => [objectKey(pool.namespace, pool.name), latelyOf(pool)]));
  const backends = record.backends.map((backend) => ({
    ...backend,
    picker: backend.picker && { ...backend.picker, lately: byName.get(backend.picker.pool) ?? [] },
  }));
  return { ...record, backends };
}

function latelyOf({ outcomes, endpoints }: PoolPicks): Lately {
  const served = endpoints.flatMap(({ endpoint, outcomes: of }) =>
    countsOf(of).map(([outcome, requests]) => ({ outcome, endpoint, requests })),
  );
  const unserved = countsOf(outcomes).map(([outcome, requests]) => ({
    outcome,
    endpoint: null,
    requests: requests - served.reduce((sum, each) => sum + (each.outcome === outcome ? each.requests : 0), 0),
  }));
  return [...served, ...unserved]
    .filter(({ requests }) => requests > 0)
    .sort((a, b) => b.requests - a.requests)
    .slice(0, mostShown);
}

const countsOf = (outcomes: PoolPicks['outcomes']) =>
  Object.entries(outcomes) as [keyof PoolPicks['outcomes'], number][];
