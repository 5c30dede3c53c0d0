import { type Endpoint, list, ofNode } from '../endpoint.ts';
import { LazyList } from '../http/index.ts';
import { nodeListOf } from '../lists/nodes.ts';
import { nodeRecord, type World } from '../read-model/index.ts';

/** `/v1/nodes` and one of them. */
export const nodeEndpoints = (world: World): readonly Endpoint[] => [
  list('/v1/nodes', nodeListOf(world.graph), {
    entries: () => world.nodes.list(),
    present: (page) => new LazyList(page, (node) => nodeRecord(node, world)),
  }),
  ofNode('/v1/nodes/:nodeId', world, (node) => nodeRecord(node, world)),
];
