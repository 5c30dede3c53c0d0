import { LazyList } from '../http/index.ts';
import { type Endpoint, list, ofNode } from '../resource/endpoint.ts';
import type { World } from '../world.ts';
import { nodeListOf } from './list.ts';
import { nodeRecord } from './node-record.ts';

/** `/v1/nodes` and one of them. */
export const nodeEndpoints = (world: World): readonly Endpoint[] => [
  list('/v1/nodes', nodeListOf(world.graph), {
    entries: () => world.nodes.list(),
    present: (page) => new LazyList(page, (node) => nodeRecord(node, world)),
  }),
  ofNode('/v1/nodes/:nodeId', world, (node) => nodeRecord(node, world)),
];
