import type { TopologyParts } from './parts.ts';
import type { TopologyEdge, TopologyNode, TopologyStatus, TopologyType } from './record.ts';

/** There may be thousands of these. */
const grouped: ReadonlySet<TopologyType> = new Set(['route', 'backend', 'endpoints']);

/** One node in place of all routes of a namespace, of all backends, and of all endpoints; edges between the same two are one. `kept` stays as it is. */
export function groupByNamespace({ nodes, edges }: TopologyParts, kept: ReadonlySet<string>): TopologyParts {
  const members = Map.groupBy(nodes.values(), (node) => groupOf(node, kept));
  const made = [...members].map(([id, all]) => [id, id === all[0]?.id ? all[0] : groupNode(id, all)] as const);
  const place = (id: string): string => groupOf(nodes.get(id) as TopologyNode, kept);
  const merged = new Map<string, TopologyEdge>();
  for (const edge of edges) {
    const [source, target] = [place(edge.source), place(edge.target)];
    const key = `${edge.type} ${source} ${target}`;
    const known = merged.get(key);
    const weight = edge.weight === null ? null : edge.weight + (known?.weight ?? 0);
    const status = known ? worst([known.status, edge.status]) : edge.status;
    merged.set(key, { ...edge, source, target, weight, status });
  }
  return { nodes: new Map(made as [string, TopologyNode][]), edges: [...merged.values()] };
}

const groupOf = ({ id, type, namespace }: TopologyNode, kept: ReadonlySet<string>): string =>
  grouped.has(type) && !kept.has(id) ? `group/${type}/${namespace}` : id;

function groupNode(id: string, all: readonly TopologyNode[]): TopologyNode {
  const { type, namespace } = all[0] as TopologyNode;
  const counts = Map.groupBy(all, ({ status }) => status);
  const ill = order.filter((status) => status !== 'healthy' && counts.has(status));
  const detail = ill.map((status) => `${counts.get(status)?.length} ${status}`).join(', ');
  const status = worst(all.map((node) => node.status));
  return {
    id,
    type,
    label: `${namespace} (${all.length})`,
    namespace,
    name: namespace,
    status,
    detail,
    count: all.length,
  };
}

/** The worst first. */
export const order: readonly TopologyStatus[] = ['failed', 'degraded', 'unknown', 'healthy'];

const worst = (statuses: readonly TopologyStatus[]): TopologyStatus =>
  order.find((status) => statuses.includes(status)) ?? 'healthy';
