import { type Endpoint, list, single } from '../endpoint.ts';
import { getNode } from '../get-node.ts';
import { LazyList } from '../http/index.ts';
import { nodeListOf } from '../lists/nodes.ts';
import { nodeRecord, type World } from '../read-model/index.ts';

/** `/v1/nodes` and one of them. */
export const nodeEndpoints = (world: World): readonly Endpoint[] => [
  list('/v1/nodes', nodeListOf(world.graph), {
    entries: () => world.nodes.list(),
    present: (page) => new LazyList(page, (node) => nodeRecord(node, world)),
  }),
  single('/v1/nodes/:nodeId', ({ nodeId = '' }) => nodeRecord(getNode(nodeId, world), world)),
];
