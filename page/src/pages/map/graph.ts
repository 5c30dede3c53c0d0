import type { Topology } from '../../api/gen/types.ts';

export type MapNode = Topology['nodes'][number];

/** An edge from left to right, by the places of its nodes. */
export interface MapEdge {
  readonly from: number;
  readonly to: number;
  readonly type: string;
  readonly weight: number | null;
  readonly status: MapNode['status'];
}

export interface MapGraph {
  readonly nodes: readonly MapNode[];
  readonly edges: readonly MapEdge[];
}

/** Requests pass from left to right. */
const columns: readonly MapNode['type'][] = [
  'policy',
  'gatewayclass',
  'dataplane',
  'gateway',
  'listener',
  'route',
  'backend',
  'endpoints',
];

const columnOf = ({ type }: MapNode): number => columns.indexOf(type);

/** The same with all edges in the direction of requests. */
export function graphOf({ nodes, edges }: Pick<Topology, 'nodes' | 'edges'>): MapGraph {
  const places = new Map(nodes.map(({ id }, at) => [id, at]));
  return {
    nodes,
    edges: edges.flatMap(({ source, target, type, weight, status }) => {
      const [from, to] = [places.get(source), places.get(target)];
      if (from === undefined || to === undefined) return [];
      const isBackwards = columnOf(nodes[from] as MapNode) > columnOf(nodes[to] as MapNode);
      return [{ from: isBackwards ? to : from, to: isBackwards ? from : to, type, weight, status }];
    }),
  };
}

interface Centre {
  readonly x: number;
  readonly y: number;
}

/** Where an arrow key leads from a node: along an edge to the nearest, or up and down among nodes of the same type. Undefined: nowhere. */
export function neighbour(
  { nodes, edges }: MapGraph,
  at: number,
  key: string,
  places: readonly Centre[],
): number | undefined {
  const here = places[at];
  if (here === undefined) return undefined;
  const distance = (other: number): number => Math.abs((places[other]?.y ?? 0) - here.y);
  const nearest = (others: readonly number[]): number | undefined =>
    others.toSorted((a, b) => distance(a) - distance(b))[0];
  if (key === 'ArrowRight') return nearest(edges.filter(({ from }) => from === at).map(({ to }) => to));
  if (key === 'ArrowLeft') return nearest(edges.filter(({ to }) => to === at).map(({ from }) => from));
  const way = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
  if (way === 0) return undefined;
  const alike = [...nodes.keys()].filter((other) => other !== at && nodes[other]?.type === nodes[at]?.type);
  return nearest(alike.filter((other) => ((places[other]?.y ?? 0) - here.y) * way > 0));
}
