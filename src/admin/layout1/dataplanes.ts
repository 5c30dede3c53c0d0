import { askAgent } from '../agent-client.ts';
import { type Endpoint, list, single } from '../endpoint.ts';
import { getNode } from '../get-node.ts';
import { HttpError, LazyList } from '../http/index.ts';
import { nodeList } from '../lists/nodes.ts';
import { agentAddress, dataPlaneRecord, type World } from '../read-model/index.ts';

/** `/v1/dataplanes` and what the agent of one says. */
export const dataPlaneEndpoints = (world: World): readonly Endpoint[] => [
  list('/v1/dataplanes', nodeList, {
    entries: () => world.nodes.list(),
    present: (page) => new LazyList(page, dataPlaneRecord),
  }),
  single('/v1/dataplanes/:nodeId/summary', async ({ nodeId = '' }) => {
    const node = getNode(nodeId, world);
    const address = agentAddress(node);
    if (!node.connected) throw unreachable(nodeId, 'it is not connected');
    if (address === undefined) throw unreachable(nodeId, 'it did not say where its admin API is');
    const answers = await askAgent(address, world.agentTimeoutMs).catch((error: unknown) => {
      throw unreachable(nodeId, `${address}: ${error instanceof Error ? error.message : String(error)}`);
    });
    return { nodeId, gateway: node.gateway, address, ...answers };
  }),
];

const unreachable = (nodeId: string, why: string): HttpError =>
  new HttpError('dataplane_unreachable', `the agent of data plane ${nodeId} cannot be asked: ${why}`);
