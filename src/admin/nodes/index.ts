import { LazyList } from '../http/index.ts';
import { type Endpoint, list, ofNode } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { nodeListOf } from './list.ts';
import { nodeRecord } from './node-record.ts';

/** `/v1/nodes` and one of them. */
export const nodeEndpoints = (sources: AdminSources): readonly Endpoint[] => [
  list('/v1/nodes', nodeListOf(sources.graph), {
    entries: () => sources.nodes.list(),
    present: (page) => new LazyList(page, (node) => nodeRecord(node, sources)),
  }),
  ofNode('/v1/nodes/:nodeId', sources, (node) => nodeRecord(node, sources)),
];
