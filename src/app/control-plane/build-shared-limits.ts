import type { Replicas } from '../../cluster/replicas/index.ts';
import { SharedLimits } from '../../shared-limits/index.ts';
import { buildLimitStore } from './build-limit-store.ts';
import type { Core } from './core.ts';

/** How long a count of proxies holds: it is wanted for each message of an agent. */
const countedMs = 1000;

/** Rate limits that proxies share, at whichever replica they are. `replicas`: not asked before it is there. */
export function buildSharedLimits(core: Core, replicas: () => Replicas): SharedLimits {
  const { clock, metrics, xds, leadership } = core;
  const limits = new SharedLimits({
    identity: leadership().identity,
    peers: {
      connected: () => replicas().limitKeepers(),
      ask: (message) => replicas().feed.say({ type: 'limit-takes', ...message }),
      answer: (message) => replicas().feed.say({ type: 'limit-grants', ...message }),
    },
    proxies: proxyCounts(core),
    clock,
    metrics: metrics.sharedLimits,
    store: buildLimitStore(core),
  });
  xds.agentServices.serveLimits(limits);
  return limits;
}

/** Of a Gateway: those that are connected, at all replicas. */
function proxyCounts({ nodes, clock }: Pick<Core, 'nodes' | 'clock'>): (cluster: string) => number {
  let counts = new Map<string, number>();
  let countedAt = Number.NEGATIVE_INFINITY;
  return (cluster) => {
    if (clock.now() - countedAt >= countedMs) {
      countedAt = clock.now();
      counts = new Map();
      for (const node of nodes.list())
        if (node.connected) counts.set(node.cluster, (counts.get(node.cluster) ?? 0) + 1);
    }
    return counts.get(cluster) ?? 0;
  };
}
