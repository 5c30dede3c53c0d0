import test from 'ava';
import { kindModules } from '../../../src/controllers/index.ts';
import { keyOf, type RouteParentStatus, routeState } from '../../../src/gateway-api/index.ts';
import { Graph } from '../../../src/graph/index.ts';
import { controllerName, gateway, gatewayClass, httpRoute, l4Route, service } from '../../support/objects.ts';

/* Counts that are kept with each change, against a walk over all routes. */

function walk(graph: Graph) {
  const counts = { degraded: 0, failed: 0 };
  for (const kind of ['HTTPRoute', 'TCPRoute'] as const) {
    for (const route of graph.list(kind)) {
      const status = graph.statusOf(kind, keyOf(route));
      const ours = status !== undefined && 'parents' in status ? status.parents : [];
      const stored = (route.status?.parents ?? []) as readonly RouteParentStatus[];
      const state = routeState([...ours, ...stored.filter((each) => each.controllerName !== controllerName)]);
      if (state !== 'served') counts[state] += 1;
    }
  }
  return counts;
}

const newGraph = () =>
  new Graph({ controllerName, kinds: kindModules, bind: (_, port) => ({ address: '127.0.0.1', port }) });

/** A small generator of numbers, so that a failure can be repeated. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

test('whatever happens in whatever order, the counts are those of a walk', (t) => {
  for (let seed = 1; seed <= 30; seed += 1) {
    const next = numbers(seed);
    const graph = newGraph();
    const foreign = (accepted: 'True' | 'False') => ({
      parents: [
        {
          parentRef: { name: 'theirs' },
          controllerName: 'example.com/other',
          conditions: [{ type: 'Accepted', status: accepted, reason: 'x', message: '' }],
        },
      ],
    });
    const change = () => {
      const name = `r${next(6)}`;
      const route = httpRoute(name, {
        parentRefs: [{ name: ['edge', 'nowhere', 'theirs'][next(3)] as string }],
        rules: [{ backendRefs: [{ name: ['web', 'missing'][next(2)] as string, port: 80 }] }],
      });
      const changes = [
        () => graph.upsert('HTTPRoute', route),
        () => graph.upsert('HTTPRoute', { ...route, status: foreign(next(2) === 0 ? 'True' : 'False') } as never),
        () => graph.remove('HTTPRoute', `default/${name}`),
        () => graph.upsert('Service', service('web')),
        () => graph.remove('Service', 'default/web'),
        () => graph.upsert('Gateway', gateway('edge')),
        () => graph.remove('Gateway', 'default/edge'),
        () => graph.upsert('GatewayClass', gatewayClass()),
        () => graph.upsert('TCPRoute', l4Route('TCPRoute', `t${next(2)}`) as never),
      ];
      changes[next(changes.length)]?.();
    };
    for (let step = 0; step < 120; step += 1) {
      change();
      if (next(4) === 0) {
        // In steps, with changes in between, as the builder takes them.
        const steps = graph.building(new Date());
        while (!steps.next().done) if (next(3) === 0) change();
      }
      t.deepEqual(graph.unservedRoutes(), walk(graph), `seed ${seed}, step ${step}`);
    }
  }
});

test('a revision grows with each visible change of its kinds, and with no other', (t) => {
  const graph = newGraph();
  const of = () => graph.revisionOf('HTTPRoute');
  graph.upsert('GatewayClass', gatewayClass());
  graph.upsert('Gateway', gateway('edge'));
  graph.upsert('Service', service('web'));
  graph.build(new Date());
  const start = of();
  graph.upsert('HTTPRoute', httpRoute('a'));
  const stored = of();
  t.true(stored > start);
  graph.build(new Date());
  const judged = of();
  t.true(judged > stored, 'it has a status now');
  graph.build(new Date());
  graph.upsert('Service', service('other'));
  graph.build(new Date());
  t.is(of(), judged);
  graph.remove('Service', 'default/web');
  graph.build(new Date());
  t.true(of() > judged, 'its reference does not resolve any more');
  const before = of();
  graph.remove('HTTPRoute', 'default/a');
  t.true(of() > before);
});
