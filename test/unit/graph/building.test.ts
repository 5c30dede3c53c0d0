import test from 'ava';
import { kindModules } from '../../../src/controllers/index.ts';
import { noLimits } from '../../../src/graph/engine/limits.ts';
import { BuildFault, Graph } from '../../../src/graph/index.ts';
import { takeSlice, toEnd } from '../../../src/std/steps/index.ts';
import { controllerName, endpointSlice, gateway, gatewayClass, httpRoute, service } from '../../support/objects.ts';
import { newGraph, put, someTime } from '../../support/world.ts';

const route = (name: string, hostname = `${name}.test`) => httpRoute(name, { hostnames: [hostname] });

/** A Gateway with as many routes, none of which is built. */
function world(routes: number, graph = newGraph()): Graph {
  put(graph, gatewayClass(), gateway('edge'), service('web'), endpointSlice('web', ['10.0.0.1']));
  for (let index = 0; index < routes; index++) put(graph, route(`r${index}`));
  return graph;
}

/** Takes some steps of a build. */
function begun(graph: Graph, steps: number) {
  const building = graph.building(someTime);
  for (let taken = 0; taken < steps; taken++) building.next();
  return building;
}

const hostsOf = (graph: Graph) =>
  [...(graph.snapshot()?.gateways.get('default/edge')?.tables.get('http/80')?.exact.keys() ?? [])].sort();

test('what happens while a build is under way is for the next one, and is found at once', (t) => {
  const graph = world(20);
  const building = begun(graph, 12);
  t.true(graph.upsert('HTTPRoute', route('late')));
  t.true(graph.upsert('HTTPRoute', route('r0', 'moved.test')));
  t.true(graph.remove('HTTPRoute', 'default/r1'));
  t.false(graph.remove('HTTPRoute', 'default/r1'), 'it is gone already');
  t.false(graph.upsert('HTTPRoute', route('late')), 'nothing new');
  t.true(graph.isDirty);
  t.is(graph.count('HTTPRoute'), 20);
  t.truthy(graph.find('HTTPRoute', 'default/late'));
  t.is(graph.find('HTTPRoute', 'default/r1'), undefined);
  const names = [...graph.list('HTTPRoute')].map(({ metadata }) => metadata.name);
  t.is(names.length, 20);
  t.true(names.includes('late') && !names.includes('r1'));
  const { snapshot } = toEnd(building);
  t.is(snapshot.counts.routes, 20);
  t.deepEqual(hostsOf(graph).includes('r1.test'), true);
  t.true(graph.isDirty);
  graph.build(someTime);
  t.false(graph.isDirty);
  t.true(['late.test', 'moved.test'].every((host) => hostsOf(graph).includes(host)));
  t.false(['r0.test', 'r1.test'].some((host) => hostsOf(graph).includes(host)));
});

test('a foreign status write is found at once, and is nothing to build for, in the midst of a build as well', (t) => {
  const graph = world(20);
  const building = begun(graph, 12);
  const written = { ...route('r3'), status: { parents: [] } };
  t.false(graph.upsert('HTTPRoute', written as never));
  t.is<unknown, unknown>(graph.find('HTTPRoute', 'default/r3'), written);
  t.false(graph.isDirty);
  toEnd(building);
  t.false(graph.isDirty);
});

test('nothing of a build is seen before it is over', (t) => {
  const graph = world(1);
  graph.build(someTime);
  for (let index = 1; index < 30; index++) put(graph, route(`r${index}`));
  put(graph, gateway('other'));
  const attached = () => [...graph.listeners()].map(({ gateway: { name }, attachedRoutes }) => [name, attachedRoutes]);
  const building = graph.building(someTime);
  for (let step = building.next(); ; step = building.next()) {
    if (step.done) break;
    t.deepEqual(attached(), [['edge', 1]]);
    t.is(graph.attachedRoutes('default/edge'), 1);
    t.is(graph.snapshot()?.counts.routes, 1);
    t.is(graph.statusOf('HTTPRoute', 'default/r7'), undefined);
    t.is([...graph.routesOfBackend('default/web/80')].length, 1);
    t.deepEqual([...graph.gatewaysOf('default/other')], []);
  }
  t.deepEqual(attached().sort(), [
    ['edge', 30],
    ['other', 0],
  ]);
  t.is(graph.attachedRoutes('default/edge'), 30);
  t.truthy(graph.statusOf('HTTPRoute', 'default/r7'));
  t.is([...graph.routesOfBackend('default/web/80')].length, 30);
  t.deepEqual([...graph.gatewaysOf('default/other')], ['default/other']);
});

test('states of routes are counted one step at a time', (t) => {
  const graph = world(50);
  t.is(graph.unservedRoutes().failed, 50);
  const building = graph.building(someTime);
  for (let before = 50; !building.next().done; before = graph.unservedRoutes().failed)
    t.true(before - graph.unservedRoutes().failed <= 1);
  t.is(graph.unservedRoutes().failed, 0);
});

test('a route that changes during a build is counted by what the build has found', (t) => {
  for (let steps = 1; ; steps += 1) {
    const graph = world(3);
    const building = begun(graph, steps);
    // Nothing to build for: what others say of it.
    graph.upsert('HTTPRoute', { ...route('r1'), metadata: { ...route('r1').metadata, resourceVersion: '7' } });
    const { done } = building.next();
    toEnd(building);
    t.deepEqual(graph.unservedRoutes(), { degraded: 0, failed: 0 }, `after ${steps} steps`);
    if (done) break;
  }
});

test('a build that ends early leaves what it resolved in hand, and the next goes on with all that came', (t) => {
  for (let steps = 1; ; steps++) {
    const graph = world(4);
    const building = begun(graph, steps);
    put(graph, route('late'));
    building.return(undefined as never);
    t.true(graph.isDirty);
    put(graph, route('later'));
    const { snapshot } = graph.build(someTime);
    const cold = world(4);
    put(cold, route('late'), route('later'));
    t.is(snapshot.id, cold.build(someTime).snapshot.id, `after ${steps} steps`);
    if (graph.snapshot()?.counts.routes !== 6) t.fail();
    if (steps > 60) break;
  }
});

test('a limit ends a build under way, and an input that came meanwhile may fix it', (t) => {
  const graph = world(10, newGraph({ ...noLimits, maxSnapshotObjects: 5 }));
  const building = begun(graph, 5);
  put(graph, route('late'));
  const fault = t.throws(() => toEnd(building));
  t.true(fault instanceof BuildFault, String(fault));
  t.true(graph.isDirty);
});

test('what cannot be taken in is reported, and affects nothing else', (t) => {
  const faults: unknown[] = [];
  const bind = (_gateway: unknown, port: number) => ({ address: '127.0.0.1', port });
  const graph = world(
    10,
    new Graph({ controllerName, kinds: kindModules, bind, onMishap: ({ error }) => faults.push(error) }),
  );
  const building = begun(graph, 5);
  put(graph, { ...route('broken'), spec: { parentRefs: 5 } } as never, route('late'));
  t.is(toEnd(building).snapshot.counts.routes, 10);
  t.is(faults.length, 1);
  t.is(graph.build(someTime).snapshot.counts.routes, 11);
});

test('one build at a time', (t) => {
  const graph = world(5);
  const building = begun(graph, 3);
  t.throws(() => graph.build(someTime), { message: /under way/ });
  t.is(toEnd(building).snapshot.counts.routes, 5);
});

test('a short build ends in its first slice', (t) => {
  const graph = world(5);
  toEnd(graph.building(someTime));
  let done = 0;
  // A machine that has too much to do may stop us for longer than a slice, and more often than not.
  for (let change = 0; change < 500 && done < 7; change += 1) {
    put(graph, route('r1', `moved-${change}.test`));
    const building = graph.building(someTime);
    if (takeSlice(building).done) done += 1;
    else toEnd(building);
  }
  t.is(done, 7);
});

test('an object that was deleted and made again between two builds is sent its status, even if the deleted one had the same', (t) => {
  const graph = world(2);
  graph.build(someTime);
  t.true(graph.remove('HTTPRoute', 'default/r0'));
  t.true(graph.upsert('HTTPRoute', route('r0')));
  const { statuses } = graph.build(someTime);
  const reported = statuses.find(({ kind, key }) => kind === 'HTTPRoute' && key === 'default/r0');
  t.deepEqual(reported?.status, graph.statusOf('HTTPRoute', 'default/r0'));
  t.truthy(reported?.status);
});
