import dagre from '@dagrejs/dagre';
import type { Drawing, LayoutRequest } from './layout.ts';

/** Lays out beside the page, which answers to the user meanwhile. */
self.onmessage = ({ data }: MessageEvent<LayoutRequest>) => {
  self.postMessage(layOut(data));
};

const box = { width: 190, height: 40 } as const;

/** Nodes are known by their number: their names are text of users. */
function layOut({ turn, nodes, edges }: LayoutRequest): Drawing {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 10, ranksep: 60, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (let at = 0; at < nodes; at += 1) graph.setNode(String(at), { ...box });
  for (const [from, to] of edges) graph.setEdge(String(from), String(to));
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { readonly width?: number; readonly height?: number };
  return {
    turn,
    width,
    height,
    nodes: Array.from({ length: nodes }, (_, at) => {
      const { x, y } = graph.node(String(at)) as { readonly x: number; readonly y: number };
      return { x, y };
    }),
    edges: edges.map(([from, to]) => (graph.edge(String(from), String(to)) as { readonly points: Point[] }).points),
  };
}

type Point = Drawing['nodes'][number];
