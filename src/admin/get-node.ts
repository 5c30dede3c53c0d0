import type { NodeView } from '../xds/index.ts';
import { HttpError } from './http/index.ts';
import type { World } from './read-model/index.ts';

/** The data plane with this node id. Throws a 404. */
export function getNode(nodeId: string, { nodes }: World): NodeView {
  const node = nodes.find(nodeId);
  if (node === undefined) throw new HttpError('node_not_found', `there is no data plane ${nodeId}`);
  return node;
}
