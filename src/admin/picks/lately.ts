import { objectKey } from '../../gateway-api/index.ts';
import type { AdminSources } from '../sources.ts';
import { allPicks } from './pool-picks.ts';
import type { LatePicks, PoolPicks } from './record.ts';

const windowMs = 15 * 60_000;
const mostShown = 5;

/** Which model servers answered lately, and whether pickers chose them. By `NAMESPACE/NAME` of the pool; those without requests are missing. */
export async function picksLately(sources: AdminSources): Promise<ReadonlyMap<string, LatePicks>> {
  const { pools } = await allPicks({ windowMs }, sources);
  return new Map(pools.map((pool) => [objectKey(pool.namespace, pool.name), latelyOf(pool)]));
}

function latelyOf({ outcomes, endpoints }: PoolPicks): LatePicks {
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
