import { splitKey } from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';
import type { NodeView } from '../../xds/index.ts';
import { flag, type ListSpec } from '../http/index.ts';

const matchesFlag = (name: string, value: string, of: (node: NodeView) => boolean): ((node: NodeView) => boolean) => {
  const wanted = flag(name, value);
  return (node) => of(node) === wanted;
};

/** Lists of data planes that are also found by each of the Gateways that share them. */
export const nodeListOf = (graph: Pick<GraphView, 'gatewaysOf'>): ListSpec<NodeView> => ({
  ...nodeList,
  filters: {
    ...nodeList.filters,
    gateway: (value) => (node) =>
      [node.gateway, ...graph.gatewaysOf(node.gateway)].some((key) => value === key || value === splitKey(key).name),
  },
});

/** How lists of data planes are narrowed and ordered. `namespace` is that of the Gateway, `name` the node id. */
export const nodeList: ListSpec<NodeView> = {
  filters: {
    namespace: (value) => (node) => splitKey(node.gateway).namespace === value,
    name: (value) => (node) => node.nodeId === value,
    gateway: (value) => (node) => value === node.gateway || value === splitKey(node.gateway).name,
    ready: (value) => matchesFlag('ready', value, (node) => node.ready),
    connected: (value) => matchesFlag('connected', value, (node) => node.connected),
  },
  sorts: {
    nodeId: (node) => node.nodeId,
    gateway: (node) => node.gateway,
    connectedAt: (node) => node.connectedAt.getTime(),
    lastSeenAt: (node) => node.lastSeenAt.getTime(),
  },
};
