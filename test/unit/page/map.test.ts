import test from 'ava';
import { graphOf, type MapNode, neighbour } from '../../../page/src/pages/map/graph.ts';

const node = (type: MapNode['type'], name: string): MapNode => ({
  id: `${type}/${name}`,
  type,
  label: name,
  namespace: 'default',
  name,
  status: 'healthy',
  detail: '',
});
const edge = (source: string, target: string) =>
  ({ source, target, type: 'attach', weight: null, status: 'healthy' }) as const;

const nodes = [node('listener', 'http'), node('route', 'a'), node('route', 'b'), node('backend', 'x')];
const graph = graphOf({
  nodes,
  edges: [
    edge('route/a', 'listener/http'),
    edge('route/b', 'listener/http'),
    edge('route/a', 'backend/x'),
    edge('route/a', 'backend/gone'),
  ],
});
const places = [
  { x: 0, y: 50 },
  { x: 100, y: 0 },
  { x: 100, y: 60 },
  { x: 200, y: 0 },
];

test('edges lead where requests go, and to nodes that are there', (t) => {
  t.deepEqual(
    graph.edges.map(({ from, to }) => [from, to]),
    [
      [0, 1],
      [0, 2],
      [1, 3],
    ],
  );
});

for (const [from, key, to] of [
  [0, 'ArrowRight', 2],
  [1, 'ArrowRight', 3],
  [1, 'ArrowLeft', 0],
  [1, 'ArrowDown', 2],
  [2, 'ArrowUp', 1],
  [2, 'ArrowDown', undefined],
  [3, 'ArrowRight', undefined],
  [0, 'Enter', undefined],
  [Number.NaN, 'ArrowRight', undefined],
] as const) {
  test(`${key} at ${from} leads to ${to}`, (t) => {
    t.is(neighbour(graph, from, key, places), to);
  });
}
