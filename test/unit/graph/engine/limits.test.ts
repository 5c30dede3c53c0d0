import test from 'ava';
import { noLimits } from '../../../../src/graph/engine/limits.ts';
import { Builder, BuildFault, type BuildResult, type TranslatorLimits } from '../../../../src/graph/index.ts';
import { allChanges } from '../../../../src/ir/index.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, service } from '../../../support/objects.ts';
import { type AnyObject, keyed, newGraph, ProxyResources, put, someTime } from '../../../support/world.ts';

const world = [gatewayClass(), gateway('edge'), service('web'), endpointSlice('web', ['10.0.0.1'])];
const route = (name: string) => httpRoute(name, { hostnames: [`${name}.example.com`] } as never);

/** Names of what one limit is exceeded by, and of what has to go for all to be well again. */
interface Case {
  readonly limits: Partial<TranslatorLimits>;
  readonly excess: AnyObject;
  readonly message: RegExp;
}

const cases: Readonly<Record<string, Case>> = {
  'objects that are read': {
    limits: { maxInputObjects: 5 },
    excess: service('one-too-many', [80], { namespace: 'other' }),
    message:
      /^translatorLimits\.maxInputObjects: 6 objects are read, 1 more than the limit of 5, 4 of them of namespace default; Service other\/one-too-many went over it: remove some, or raise the limit$/,
  },
  // A listener, its own host, the host of the first route and the route itself, and its backend; then two more.
  'objects of the snapshot': {
    limits: { maxSnapshotObjects: 5 },
    excess: route('b'),
    message:
      /^translatorLimits\.maxSnapshotObjects: 7 objects are in the snapshot, 2 more .*httproute\/default\/b went over/,
  },
  'endpoints of the snapshot': {
    limits: { maxSnapshotEndpoints: 2 },
    excess: endpointSlice('web', ['10.0.0.2', '10.0.0.3'], { suffix: '2' }),
    message:
      /^translatorLimits\.maxSnapshotEndpoints: 3 endpoints are in the snapshot, 1 more .* 3 of them of namespace default; Service default\/web went over/,
  },
};

for (const [what, { limits, excess, message }] of Object.entries(cases)) {
  test(`too many ${what}: the snapshot stays, and grows again when they are gone`, (t) => {
    const graph = newGraph({ ...noLimits, ...limits });
    const proxies = new ProxyResources();
    const build = (): BuildResult => {
      const result = graph.build(someTime);
      proxies.apply(result.snapshot, result.changes);
      return result;
    };
    put(graph, ...world, route('a'));
    const { snapshot } = build();
    put(graph, excess);
    t.throws(build, { instanceOf: BuildFault, message });
    // What happens meanwhile is not lost, and says the same again.
    put(graph, endpointSlice('web', ['10.0.0.9']));
    t.throws(build, { instanceOf: BuildFault, message });
    t.is(graph.snapshot(), snapshot, 'what proxies have is what is shown');
    const { kind, key } = keyed(excess);
    graph.remove(kind, key);
    const after = build();
    t.not(after.snapshot.id, snapshot.id);
    const cold = newGraph();
    put(cold, ...world, route('a'), endpointSlice('web', ['10.0.0.9']));
    const desired = new ProxyResources();
    const whole = cold.build(someTime).snapshot;
    desired.apply(whole, allChanges(whole));
    t.is(after.snapshot.id, whole.id);
    t.is(proxies.describe(), desired.describe());
  });
}

test('a Gateway that goes takes with it what it counted for', (t) => {
  const graph = newGraph({ ...noLimits, maxSnapshotObjects: 5 });
  put(graph, ...world, route('a'));
  graph.build(someTime);
  graph.remove('Gateway', 'default/edge');
  graph.build(someTime);
  put(graph, gateway('edge'));
  t.notThrows(() => graph.build(someTime));
  put(graph, route('b'));
  t.throws(() => graph.build(someTime), { instanceOf: BuildFault, message: /: 7 objects/ });
});

test('a host whose routes change counts what it holds', (t) => {
  const graph = newGraph({ ...noLimits, maxSnapshotObjects: 7 });
  const same = (name: string, matches: number) =>
    httpRoute(name, {
      hostnames: ['same.example.com'],
      rules: [
        {
          matches: Array.from({ length: matches }, (_, at) => ({
            path: { type: 'PathPrefix', value: `/${name}${at}` },
          })),
          backendRefs: [{ name: 'web', port: 80 }],
        },
      ],
    } as never);
  put(graph, ...world, same('a', 1), same('b', 2));
  graph.build(someTime);
  put(graph, same('a', 2));
  t.throws(() => graph.build(someTime), {
    instanceOf: BuildFault,
    message: /: 8 objects.*httproute\/default\/a went over/,
  });
  put(graph, same('b', 1));
  t.notThrows(() => graph.build(someTime));
});

test('an obstruction fails builds until it is lifted, and then they go on by themselves', async (t) => {
  const graph = newGraph();
  put(graph, ...world);
  const failures: unknown[] = [];
  let built = 0;
  const builder = new Builder({
    graph,
    quietMs: 0,
    maxMs: 0,
    publish: () => {
      built += 1;
    },
    onFailed: (error) => failures.push(error),
  });
  t.teardown(() => builder.stop());
  builder.open();
  await builder.settled();
  t.is(built, 1);
  builder.obstruct('Secret', 'secrets may not be read');
  put(graph, route('a'));
  builder.changed();
  await builder.settled();
  t.is(built, 1);
  t.true(failures.length > 0);
  t.like(failures.at(-1), { subject: 'Secret', message: 'secrets may not be read' });
  builder.obstruct('Secret', undefined);
  await builder.settled();
  t.is(built, 2);
  t.is(graph.snapshot()?.counts.routes, 1);
});
