import type { NodeView } from '../../xds/index.ts';
import { type NodeSync, nodeSync } from '../nodes/node-sync.ts';
import type { AdminSources } from '../sources.ts';
import { lostNodes } from '../summary/warnings.ts';
import type { Finding } from './problem.ts';

/** Proxies that reject something, wait for a Gateway that does not exist, are lost, or do not have the newest snapshot. */
export function* ofNodes({ nodes, graph }: Pick<AdminSources, 'nodes' | 'graph'>): Generator<Finding> {
  const all = nodes.list();
  const lost = lostNodes(all, graph);
  for (const { code, message, node } of lost) yield { code, message, object: objectOf(node) };
  const waiting = new Set(lost.map(({ node }) => node));
  const id = graph.snapshot()?.id;
  for (const node of all) {
    const { state, message } = nodeSync(node, id);
    if (state === 'current-ready' || state === 'snapshot-missing' || waiting.has(node)) continue;
    const said = node.connected ? `${state}: ${message}` : message;
    yield { code: codeOf(node, state), object: objectOf(node), message: said, since: sinceOf(node) };
  }
}

function codeOf({ connected }: NodeView, state: NodeSync['state']): Finding['code'] {
  if (!connected) return 'node_lost';
  return state === 'rejected' ? 'node_rejected' : 'node_not_current';
}

const objectOf = ({ nodeId }: NodeView): Finding['object'] => ({ kind: 'Node', namespace: '', name: nodeId });

const sinceOf = ({ connected, disconnectedAt, refusals }: NodeView): Date | undefined =>
  connected ? refusals[0]?.since : disconnectedAt;
