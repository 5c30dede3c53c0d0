import { pushTo } from '../../std/index.ts';
import type { Steps } from '../../std/steps/index.ts';
import type { Part } from './parts.ts';
import type { TopologyEdge, TopologyNode, TopologyStatus, TopologyType } from './record.ts';

/** There may be thousands of these. */
const grouped: ReadonlySet<TopologyType> = new Set(['route', 'backend', 'endpoints']);

/** One node in place of all routes of a namespace, of all backends, and of all endpoints; edges between the same two are one. `kept` stays as it is. */
export function* groupByNamespace({ nodes, edges }: Part, kept: ReadonlySet<string>): Steps<Part> {
  const groupOf = (node: TopologyNode): string =>
    grouped.has(node.type) && !kept.has(node.id) ? `group/${node.type}/${node.namespace}` : node.id;
  const members = new Map<string, TopologyNode[]>();
  for (const node of nodes.values()) {
    pushTo(members, groupOf(node), node);
    yield;
  }
  const made = [...members].map(([id, all]): [string, TopologyNode] => {
    const [first] = all as [TopologyNode];
    return [id, id === first.id ? first : groupNode(id, all)];
  });
  const place = (id: string): string => groupOf(nodes.get(id) as TopologyNode);
  const merged = new Map<string, { -readonly [K in keyof TopologyEdge]: TopologyEdge[K] }>();
  for (const edge of edges) {
    const [source, target] = [place(edge.source), place(edge.target)];
    // Such as an AIService and its pool, which are one node now.
    if (source === target) continue;
    const key = `${edge.type} ${source} ${target}`;
    const known = merged.get(key);
    if (known === undefined) merged.set(key, { ...edge, source, target });
    else {
      if (edge.weight !== null) known.weight = (known.weight ?? 0) + edge.weight;
      known.status = worst([known.status, edge.status]);
    }
    yield;
  }
  return { nodes: new Map(made), edges: [...merged.values()] };
}

function groupNode(id: string, all: readonly TopologyNode[]): TopologyNode {
  const { type, namespace } = all[0] as TopologyNode;
  const counts = Map.groupBy(all, ({ status }) => status);
  const ill = order.filter((status) => status !== 'healthy' && counts.has(status));
  const detail = ill.map((status) => `${counts.get(status)?.length} ${status}`).join(', ');
  return {
    id,
    type,
    label: `${namespace} (${all.length})`,
    namespace,
    name: namespace,
    status: worst([...counts.keys()]),
    detail,
    count: all.length,
  };
}

/** The worst first. */
export const order: readonly TopologyStatus[] = ['failed', 'degraded', 'unknown', 'healthy'];

const worst = (statuses: readonly TopologyStatus[]): TopologyStatus =>
  order.find((status) => statuses.includes(status)) ?? 'healthy';
