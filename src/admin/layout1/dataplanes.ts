import type { NodeView } from '../../xds/index.ts';
import { askAgent, askAgentFor } from '../agent-client.ts';
import { type Endpoint, list, ofNode } from '../endpoint.ts';
import { HttpError, LazyList } from '../http/index.ts';
import { redacted } from '../http/redacted.ts';
import { nodeListOf } from '../lists/nodes.ts';
import { agentAddress, dataPlaneRecord, type World } from '../read-model/index.ts';

/** `/v1/dataplanes` and what the agent of one says. */
export const dataPlaneEndpoints = (world: World): readonly Endpoint[] => [
  list('/v1/dataplanes', nodeListOf(world.graph), {
    entries: () => world.nodes.list(),
    present: (page) => new LazyList(page, dataPlaneRecord),
  }),
  ofNode('/v1/dataplanes/:nodeId/summary', world, async (node) => {
    const { nodeId, gateway } = node;
    const address = addressOf(node);
    return { nodeId, gateway, address, ...(await asked(nodeId, address, askAgent(address, world.agentTimeoutMs))) };
  }),
  ofNode('/v1/dataplanes/:nodeId/reports/:report', world, async (node, { report = '' }) => {
    const path = agentReports.get(report);
    const known = [...agentReports.keys()].join(', ');
    if (path === undefined) throw new HttpError('not_found', `there is no report ${report}; there are ${known}`);
    const address = addressOf(node);
    // A dump grows with what Envoy holds, and is worth a wait.
    return redacted(await asked(node.nodeId, address, askAgentFor(address, path, world.agentTimeoutMs * 5)));
  }),
];

/** What an agent can be asked for through the control plane, and where it has it. */
export const agentReports: ReadonlyMap<string, string> = new Map([
  ['status', 'status'],
  ['config', 'config'],
  ['config-dump', 'config?raw=true'],
  ['config-version', 'config/version'],
  ['stats', 'stats'],
  ['connections', 'stats/connections'],
  ['backends', 'stats/backends'],
  ['xds', 'xds/status'],
]);

/** Of the agent's admin API. Throws a 502 for one that cannot be asked. */
function addressOf(node: NodeView): string {
  if (!node.connected) throw unreachable(node.nodeId, 'it is not connected');
  const address = agentAddress(node);
  if (address === undefined) throw unreachable(node.nodeId, 'it did not say where its admin API is');
  return address;
}

const asked = <T>(nodeId: string, address: string, answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    throw unreachable(nodeId, `${address}: ${error instanceof Error ? error.message : String(error)}`);
  });

const unreachable = (nodeId: string, why: string): HttpError =>
  new HttpError('dataplane_unreachable', `the agent of data plane ${nodeId} cannot be asked: ${why}`);
