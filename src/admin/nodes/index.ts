import { parseObjectKey } from '../../gateway-api/index.ts';
import type { NodeRef, NodeView } from '../../xds/index.ts';
import { flag, HttpError } from '../http/index.ts';
import { type Endpoints, remove } from '../resource/endpoint.ts';
import { type List, resource } from '../resource/resource.ts';
import type { AdminSources } from '../sources.ts';
import { getNode, whichNode } from './get-node.ts';
import { nodeRecord, rejectionRecords } from './node-record.ts';
import { node, offeredAgain } from './record.ts';

const matchesFlag = (name: string, value: string, of: (view: NodeView) => boolean): ((view: NodeView) => boolean) => {
  const wanted = flag(name, value);
  return (view) => of(view) === wanted;
};

/** How lists of data planes are found, narrowed and ordered. `namespace` is that of the Gateway, `name` the node id. */
export const nodeList = {
  entries: ({ nodes: all }: AdminSources) => all.list(),
  filters: {
    namespace: (value) => (view) => parseObjectKey(view.gateway).namespace === value,
    name: (value) => (view) => view.nodeId === value,
    // Each of the Gateways that share it will do.
    gateway:
      (value, { graph }) =>
      (view) =>
        [view.gateway, ...graph.gatewaysOf(view.gateway)].some(
          (key) => value === key || value === parseObjectKey(key).name,
        ),
    ready: (value) => matchesFlag('ready', value, (view) => view.ready),
    connected: (value) => matchesFlag('connected', value, (view) => view.connected),
  },
  sorts: {
    nodeId: (view) => view.nodeId,
    gateway: (view) => view.gateway,
    connectedAt: (view) => view.connectedAt.getTime(),
    lastSeenAt: (view) => view.lastSeenAt.getTime(),
  },
} satisfies List<AdminSources, NodeView>;

/** `/v1/nodes` and one of them. */
export const nodes = resource({
  path: '/v1/nodes',
  // Known by their streams.
  needsSync: false,
  summary: 'Data planes as their streams report them',
  record: node,
  list: nodeList,
  one: {
    at: '/:nodeId',
    summary: 'One data plane',
    query: whichNode('data planes'),
    errors: ['query_invalid', 'node_not_found'],
    find: ({ nodeId }, sources, query) => getNode({ nodeId, gateway: query.get('gateway') }, sources),
  },
  present: (sources) => (view) => nodeRecord(view, sources),
});

/** What it takes to have a data plane sent again what it rejected. */
export interface NodeControl extends AdminSources {
  /** Sends the data plane once more what it rejected, at whichever replica it is. */
  readonly offerAgain: (node: NodeRef) => void;
}

/** `DELETE /v1/nodes/:nodeId/refusals` */
export const nodeRejections: Endpoints<NodeControl> = {
  endpoints: [
    remove({
      path: '/v1/nodes/:nodeId/refusals',
      summary: 'Offers a data plane once more what it rejected, and answers what that was',
      answer: offeredAgain,
      query: whichNode('data planes'),
      errors: ['query_invalid', 'node_not_found', 'node_not_connected', 'origin_foreign'],
      handle({ params, query }, sources: NodeControl) {
        const view = getNode({ nodeId: params.nodeId, gateway: query.get('gateway') }, sources);
        const { nodeId, gateway, cluster } = view;
        if (!view.connected || view.staleSince !== undefined)
          throw new HttpError('node_not_connected', `data plane ${nodeId} is not connected: it is sent nothing`);
        const rejections = rejectionRecords(view, sources.graph);
        sources.offerAgain({ nodeId, cluster });
        return { nodeId, gateway, refusals: rejections };
      },
    }),
  ],
};
