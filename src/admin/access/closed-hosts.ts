import type { GraphView } from '../../graph/index.ts';
import { policyEntries } from './entries.ts';

/** How many hosts answer 500 because of a policy of access; undefined: there is no such policy. */
export function closedHosts(graph: GraphView, key: string): number | undefined {
  const policy = graph.find('AccessPolicy', key);
  if (!policy) return undefined;
  const closed = policyEntries(graph, policy).filter(({ state }) => state === 'closed');
  const places = new Map(closed.map((entry) => [JSON.stringify([entry.gateway, entry.target]), entry.hostCount]));
  return [...places.values()].reduce((sum, count) => sum + count, 0);
}
