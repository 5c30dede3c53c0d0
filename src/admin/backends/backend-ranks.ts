import { portOfBackend } from '../../graph/index.ts';
import type * as ir from '../../ir/index.ts';
import type { AdminSources } from '../sources.ts';
import { indexTroubles } from '../traffic/backend-troubles.ts';
import { askStanding } from '../traffic/standing.ts';
import { askRejectedNames } from './ask-rejected-names.ts';
import { hostProblem, listBackends } from './backend-record.ts';
import { endpointRecords, indexSlices } from './endpoint-records.ts';
import { verdictsOf } from './endpoint-verdicts.ts';

/** What can be said of a backend, the worst first. */
const ranks = ['nothing_serves', 'endpoints_fail', 'endpoints_away', 'serving'] as const;

/** By how much of a backend serves, the worst first: as its own record says it. */
export async function backendRanks(sources: AdminSources): Promise<(backend: ir.Backend) => number> {
  const { graph } = sources;
  const [standing, rejectedNames] = await Promise.all([
    askStanding(sources),
    askRejectedNames([...listBackends(graph)], sources),
  ]);
  const troubles = indexTroubles(standing);
  const slicesOf = indexSlices(graph);
  const rankOf = (backend: ir.Backend): (typeof ranks)[number] => {
    if (hostProblem(backend, { graph, rejectedNames }) !== null) return 'nothing_serves';
    const known = troubles.get(portOfBackend(backend.key)) ?? { endpoints: [] };
    // Proxies find it by DNS: only they know its addresses.
    if (backend.hostname !== undefined) return known.endpoints.length > 0 ? 'endpoints_fail' : 'serving';
    const endpoints = endpointRecords(backend, { graph, slicesOf });
    if (!endpoints.some(({ healthy }) => healthy)) return 'nothing_serves';
    const verdicts = endpoints.flatMap((endpoint) => verdictsOf(endpoint, known));
    if (verdicts.some(({ source }) => source !== 'kubernetes')) return 'endpoints_fail';
    return verdicts.every(({ verdict }) => verdict === 'serving') ? 'serving' : 'endpoints_away';
  };
  return (backend) => ranks.indexOf(rankOf(backend));
}
