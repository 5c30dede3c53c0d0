import { inTurns } from '../../std/steps/index.ts';
import { indexSlices } from '../backends/endpoint-records.ts';
import type { AdminSources } from '../sources.ts';
import type { BackendTroubles } from '../traffic/backend-troubles.ts';
import { addBackends } from './backends.ts';
import { addGateways } from './gateways.ts';
import type { TopologyParts } from './parts.ts';
import { addPolicies } from './policies.ts';
import { addRoutes } from './routes.ts';
import { WholeTopology } from './whole.ts';

/** Everything that depends on something. Looks at all of the cluster, makes what is not in `former`, and gives others turns meanwhile. */
export async function collect(
  sources: AdminSources,
  troubles: BackendTroubles,
  former: WholeTopology | undefined,
): Promise<WholeTopology> {
  const snapshotId = sources.graph.snapshot()?.id;
  const parts: TopologyParts = { nodes: new Map(), edges: [] };
  addGateways(parts, sources);
  const lookUp = { slicesOf: indexSlices(sources.graph), troubles };
  const backends = await inTurns(addBackends(parts, sources, lookUp));
  const routes = await inTurns(addRoutes(parts, sources, backends, former?.routes));
  await inTurns(addPolicies(parts, sources));
  // What leads to a Gateway or class that is gone or not ours leads nowhere.
  const edges = parts.edges.filter(({ source, target }) => parts.nodes.has(source) && parts.nodes.has(target));
  return new WholeTopology({ nodes: parts.nodes, edges, routes, snapshotId });
}
