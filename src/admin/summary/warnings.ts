import { keyOf } from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';
import { nearestKey } from '../../std/index.ts';
import type { NodeView } from '../../xds/index.ts';
import { listGateways } from '../gateways/gateway-record.ts';
import { nodeSync } from '../nodes/node-sync.ts';
import { type Finding, nameOf } from '../problems/problem.ts';
import type { Warning } from './warning.ts';

export const snapshotMissing: Warning = {
  code: 'snapshot_missing',
  message: 'no snapshot has been built yet; data planes get no configuration',
};

/** A warning for each node that rejects what it was sent. */
export const rejections = (nodes: readonly NodeView[], snapshotId: string | undefined): Warning[] =>
  nodes
    .map((node) => ({ node, sync: nodeSync(node, snapshotId) }))
    .filter(({ sync }) => sync.state === 'rejected')
    .map(({ node, sync }) => ({
      code: 'node_rejected',
      message: `data plane ${node.nodeId} rejects its configuration: ${sync.message}`,
    }));

/** A warning for each namespace that should be read and cannot, with why. */
export const unreadableWarnings = (namespaces: ReadonlyMap<string, string>): Warning[] =>
  [...namespaces].map(([namespace, reason]) => ({
    code: 'namespace_unreadable',
    message: `namespace ${namespace} cannot be read, and what is known of it is not looked at again: ${reason}`,
  }));

/** Why the servers do not answer that keep shared rate limits and usage of AI services; undefined: they do, or there is none. */
export interface StoreTroubles {
  readonly limits?: string | undefined;
  readonly usage?: string | undefined;
}

/** A warning for each server that keeps something and does not answer. */
export const storeWarnings = ({ limits, usage }: StoreTroubles): Warning[] => [
  ...warningIf('limit_store_away', 'shared rate limits go by onFailure of their policies', limits),
  ...warningIf('usage_store_away', 'usage of AI services waits in agents, and budgets count what is known', usage),
];

const warningIf = (code: Warning['code'], what: string, trouble: string | undefined): Warning[] =>
  trouble === undefined ? [] : [{ code, message: `${what}: ${trouble}` }];

/** A node says that it serves a Gateway that is not there. Before there is a snapshot nothing is known to be there. */
export const isLost = ({ gateway }: NodeView, graph: GraphView): boolean =>
  graph.snapshot() !== undefined && graph.gatewaysOf(gateway)[Symbol.iterator]().next().done === true;

/** A warning for each name that connected nodes have for a Gateway and that none has; the first few. */
export function lostNodes(nodes: readonly NodeView[], graph: GraphView): (Warning & { readonly node: NodeView })[] {
  const lost = Map.groupBy(
    nodes.filter((node) => node.connected && isLost(node, graph)),
    ({ gateway }) => gateway,
  );
  const known = lost.size === 0 ? [] : [...listGateways(graph)].map(({ gateway }) => keyOf(gateway));
  return [...lost].slice(0, mostNamed).map(([name, waiting]) => {
    const [node] = waiting as [NodeView, ...NodeView[]];
    const near = nearestKey(
      name,
      known.filter((key) => Math.abs(key.length - name.length) <= 3),
    );
    const advice = near === undefined ? '' : `; did you mean ${near}?`;
    return {
      code: 'gateway_unknown',
      message: `data plane ${node.nodeId} waits for Gateway ${name}, which is not there${advice}`,
      node,
    };
  });
}

const mostNamed = 5;

/** One warning for a number of things, none for none of them. */
export const counted = (code: Warning['code'], count: number, one: string, many: string): Warning[] =>
  count === 0 ? [] : [{ code, message: count === 1 ? `1 ${one}` : `${count} ${many}` }];

/** The first few of what was found, each a warning. */
export function firstOf(findings: Iterable<Finding>): Warning[] {
  const all = [...findings];
  const more = all.length - mostNamed;
  return all.slice(0, mostNamed).map(({ code, object, message }, index) => {
    const what = object.kind === 'File' ? '' : `${nameOf(object)}: `;
    const rest = more > 0 && index === mostNamed - 1 ? ` (and ${more} more)` : '';
    return { code, message: `${what}${message}${rest}` };
  });
}
