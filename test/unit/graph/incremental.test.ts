import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import fc from 'fast-check';
import { changesBetween } from '../../../src/graph/hosts/changes-between.ts';
import type { BuildResult, Graph } from '../../../src/graph/index.ts';
import { allChanges, type Snapshot } from '../../../src/ir/index.ts';
import { type Steps, toEnd } from '../../../src/std/steps/index.ts';
import { throwMishap } from '../../support/mishaps.ts';
import { gatewayClass } from '../../support/objects.ts';
import { repetitions } from '../../support/repetitions.ts';
import { type AnyObject, describeWorld, keyed, newGraph, ProxyResources, put, someTime } from '../../support/world.ts';
import { worlds } from './arbitraries/worlds.ts';

type Step =
  | { readonly put: AnyObject }
  | { readonly remove: AnyObject }
  | { readonly build: true }
  /** Takes so many steps of a build, which begins if none is under way. Other steps come between. */
  | { readonly steps: number }
  /** What a copy has that is made now, everything has that is built next. */
  | { readonly copy: true }
  /** A proxy rejects something of what it has: which, by a share of the list. */
  | { readonly reject: number; readonly message: string };

const stepsOf = (made: fc.Arbitrary<AnyObject>): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      { arbitrary: made.map((object): Step => ({ put: object })), weight: 12 },
      {
        // Whether proxies are shared is remembered while what says it is away, so that it has to stay for the comparison.
        arbitrary: made.map((object): Step => (object.metadata.name === 'pool' ? { put: object } : { remove: object })),
        weight: 4,
      },
      { arbitrary: fc.constant<Step>({ build: true }), weight: 4 },
      { arbitrary: fc.record({ steps: fc.integer({ min: 1, max: 25 }) }) as fc.Arbitrary<Step>, weight: 8 },
      { arbitrary: fc.constant<Step>({ copy: true }), weight: 1 },
      {
        arbitrary: fc.record({
          reject: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
          message: fc.constantFrom('not this', 'cannot bind: Address already in use'),
        }) as fc.Arbitrary<Step>,
        weight: 2,
      },
    ),
    { minLength: 10, maxLength: 120 },
  );

/**
 * Runs the steps through one graph, building now and then, at once or with other steps between, and holds the end against a graph that saw only the survivors,
 * and the rejections that still count; and against proxies that were sent nothing between the middle and the end.
 */
function incrementalEqualsCold(
  all: readonly Step[],
  shuffled: (objects: AnyObject[]) => AnyObject[],
  onOneMachine: boolean,
): void {
  const graph = newGraph(undefined, onOneMachine);
  const proxies = new ProxyResources();
  const statuses = new Map<string, unknown>();
  const survivors = new Map<string, AnyObject>();
  const late = new ProxyResources();
  let middle: Snapshot | undefined;
  let underWay:
    | { readonly building: Steps<BuildResult>; readonly seen: () => string; readonly before: string }
    | undefined;
  const advance = (steps: number) => {
    if (!underWay) {
      const seen = onlooker(graph, [...survivors.values()]);
      underWay = { building: graph.building(someTime), seen, before: seen() };
    }
    for (let taken = 0; taken < steps; taken++) {
      const step = underWay.building.next();
      if (step.done) {
        underWay = undefined;
        publish(step.value);
        return;
      }
    }
    same(underWay.before, underWay.seen(), 'what is seen before and in the midst of a build');
  };
  const build = () => {
    if (underWay) advance(Number.POSITIVE_INFINITY);
    advance(Number.POSITIVE_INFINITY);
  };
  const publish = ({ snapshot, changes, statuses: changed }: BuildResult) => {
    proxies.apply(snapshot, changes);
    if (!middle) late.apply(snapshot, changes);
    for (const { kind, key, status } of changed) statuses.set(`${kind} ${key}`, status);
  };
  put(graph, gatewayClass());
  survivors.set('GatewayClass gatewright', gatewayClass());
  for (const [index, step] of all.entries()) {
    if (index === all.length >> 1) middle = graph.snapshot();
    if ('build' in step) build();
    else if ('steps' in step) advance(step.steps);
    else if ('copy' in step) {
      const { id } = toEnd(graph.copy(someTime)).snapshot() ?? {};
      build();
      same(String(id), String(graph.snapshot()?.id), 'a copy and what it is a copy of');
    } else if ('reject' in step) {
      const held = proxies.origins();
      const rejected = held[Math.floor(step.reject * held.length)];
      if (rejected) graph.reject({ ...rejected, message: step.message });
    } else {
      const object = 'put' in step ? step.put : step.remove;
      const { kind, key } = keyed(object);
      if ('put' in step) {
        put(graph, object);
        survivors.set(`${kind} ${key}`, object);
      } else {
        graph.remove(kind, key);
        survivors.delete(`${kind} ${key}`);
      }
    }
  }
  build();
  const end = graph.snapshot() as Snapshot;
  if (middle) late.apply(end, changesBetween(middle, end));
  const cold = newGraph(undefined, onOneMachine);
  put(cold, ...shuffled([...survivors.values()]));
  for (const rejection of graph.rejections()) cold.reject(rejection);
  const result = cold.build(someTime);
  throwMishap(cold);
  throwMishap(graph);
  const coldStatuses = new Map(result.statuses.map(({ kind, key, status }) => [`${kind} ${key}`, status]));
  const coldProxies = new ProxyResources();
  coldProxies.apply(result.snapshot, allChanges(result.snapshot));
  same(describeWorld(graph, statuses), describeWorld(cold, coldStatuses), 'incremental and cold builds');
  same(proxies.describe(), coldProxies.describe(), "the proxies' resources after incremental and cold builds");
  same(late.describe(), coldProxies.describe(), 'the resources of proxies that were updated late, and of cold ones');
}

/** All that the graph reports to observers about these objects. */
function onlooker(graph: Graph, objects: readonly AnyObject[]): () => string {
  const sorted = (values: Iterable<unknown>) => [...values].map((value) => JSON.stringify(value)).sort();
  const all = objects.map(keyed);
  return () => {
    const backends = [...(graph.snapshot()?.backends.keys() ?? [])].sort();
    const gateways = all.flatMap(({ kind, key }) => (kind === 'Gateway' ? [key] : []));
    return [
      String(graph.snapshot()?.id),
      ...all.map(({ kind, key }) => `${kind} ${key} ${JSON.stringify(graph.statusOf(kind, key))}`),
      ...sorted(graph.listeners()),
      ...backends.map((backend) => `${backend} ${sorted(graph.routesOfBackend(backend))}`),
      ...gateways.map((key) => `${key} ${graph.fleetOf(key)} ${[...graph.gatewaysOf(graph.fleetOf(key))]}`),
    ].join('\n');
  };
}

function same(a: string, b: string, what: string): void {
  if (a !== b) throw new Error(`${what} differ:\n${firstDifference(a, b)}`);
}

function firstDifference(a: string, b: string): string {
  const one = a.split('\n');
  const other = b.split('\n');
  const index = one.findIndex((line, i) => line !== other[i]);
  return `one:   ${one[index]}\nother: ${other[index]}`;
}

const macro = test.macro(async (t, made: fc.Arbitrary<AnyObject>, all: number, onOneMachine: boolean = false) => {
  t.timeout(600_000);
  // They compute without a pause; AVA would hear of that limit, and of the first result, when the last has ended.
  await setImmediate();
  fc.assert(
    fc.property(stepsOf(made), fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (steps, random) => {
      const shuffled = (objects: AnyObject[]) =>
        objects
          .map((object) => ({ object, rank: random.next().value as number }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ object }) => object);
      incrementalEqualsCold(steps, shuffled, onOneMachine);
    }),
    { numRuns: repetitions({ few: all / 20, all }), includeErrorInReport: true },
  );
  t.pass();
});

test(
  'any sequence of changes builds, byte for byte, what a cold start builds from what is left',
  macro,
  worlds.anywhere,
  400,
);
test('the same for routes of connections that get in each other’s way', macro, worlds.streams, 200);
test('the same for ListenerSets that share the ports of a Gateway', macro, worlds.sets, 300);
test('the same for kinds and fields of the experimental channel', macro, worlds.experimental, 200);
test('the same for services of models', macro, worlds.models, 300);
test('the same for Gateways that share their proxies, and stop sharing them', macro, worlds.fleets, 400);
test('the same for Gateways whose proxies are on one machine', macro, worlds.fleets, 200, true);
test('the same for policies of access', macro, worlds.access, 300);
test('the same for policies of traffic', macro, worlds.traffic, 300);
