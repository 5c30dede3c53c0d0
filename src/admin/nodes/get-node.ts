import type { NodeView } from '../../xds/index.ts';
import { HttpError } from '../http/index.ts';
import type { AdminSources } from '../sources.ts';

export interface NodeName {
  readonly nodeId: string;
  /** `NAMESPACE/NAME` of its Gateway, or of one that shares it; undefined: any, see NodesView.find. */
  readonly gateway: string | undefined;
}

/** The data plane with this node id. Throws a 404. */
export function getNode({ nodeId, gateway }: NodeName, { nodes, graph }: AdminSources): NodeView {
  const node = nodes.find(nodeId, gateway) ?? nodes.list().find(isShared);
  if (node !== undefined) return node;
  const of = gateway === undefined ? '' : ` of Gateway ${gateway}`;
  throw new HttpError('node_not_found', `there is no data plane ${nodeId}${of}`);

  function isShared(each: NodeView): boolean {
    return each.nodeId === nodeId && gateway !== undefined && [...graph.gatewaysOf(each.gateway)].includes(gateway);
  }
}

/** The query parameter that says which of several. `what`: what they are called. */
export const whichNode = (what: string) => ({
  gateway: `Which of the ${what} with this id, where Gateways have one each: \`NAMESPACE/NAME\``,
});
