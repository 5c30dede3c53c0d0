import test from 'ava';
import {
  aiObject,
  endpointSlice,
  gateway,
  gatewayClass,
  httpRoute,
  inferencePool,
  pod,
  service,
} from '../../support/objects.ts';
import { type Outcome, Pipeline } from '../../support/pipeline.ts';
import { WorkCounter } from '../../support/work-count.ts';

// Both take two bytes in the manifest, which contains the number of routes.
const few = 150;
const many = 400;
/** As in work-per-change: a walk over all would take at least one block for each. */
const tolerance = (many - few) / 2;
const podsOfPool = 10;

const parentRefs = [{ name: 'edge', namespace: 'default' }];
const ref = { group: 'gatewright.dev', kind: 'AIService', name: 'llama' };

/** Each pool is of a team, in its own namespace. */
const pool = (namespace: string, failureMode: 'FailOpen' | 'FailClose' = 'FailClose') =>
  inferencePool(
    'llama',
    {
      selector: { matchLabels: { app: 'llama' } },
      targetPorts: [{ number: 8000 }],
      endpointPickerRef: { name: 'picker', port: { number: 80 }, failureMode },
    },
    { namespace },
  );

const server = (namespace: string, at: number) =>
  pod(`llama-${at}`, { app: 'llama' }, `10.0.1.${at}`, 'True', namespace);

const team = (index: number) => {
  const namespace = `team-${index}`;
  return [
    service('picker', [80], { namespace }),
    pool(namespace),
    server(namespace, 1),
    aiObject(
      'AIService',
      'llama',
      { provider: 'custom', pool: { name: 'llama' }, models: [{ name: 'm' }] },
      { namespace },
    ),
    httpRoute(
      'models',
      { parentRefs, hostnames: [`t${index}.example.com`], rules: [{ backendRefs: [ref] }] },
      { namespace },
    ),
  ];
};

const plainRoute = (name: string) => httpRoute(name, { hostnames: [`${name}.example.org`] });

function worldOf(pools: number): Pipeline {
  const pipeline = new Pipeline('default/edge');
  pipeline.put(
    gatewayClass(),
    gateway('edge', [{ allowedRoutes: { namespaces: { from: 'All' } } }]),
    service('web'),
    endpointSlice('web', ['10.0.0.1']),
    plainRoute('shop'),
    ...Array.from({ length: pools }, (_, index) => team(index)).flat(),
  );
  return pipeline;
}

const steps: Readonly<Record<string, (pipeline: Pipeline) => Outcome>> = {
  'a Pod comes': (pipeline) => pipeline.put(server('team-3', 2)),
  'a Pod goes': (pipeline) => pipeline.remove(server('team-3', 2)),
  'a pool fails open': (pipeline) => pipeline.put(pool('team-4', 'FailOpen')),
  'a route that names no pool comes': (pipeline) => pipeline.put(plainRoute('cart')),
  'a backend that is no pool moves': (pipeline) => pipeline.put(endpointSlice('web', ['10.0.0.2'])),
  'another team has a pool': (pipeline) => pipeline.put(...team(5_000)),
};

test('what one change costs does not follow the number of pools, and that of a Pod is its address', (t) => {
  t.timeout(300_000);
  using counter = new WorkCounter();
  const worlds = [worldOf(few), worldOf(many)];
  const sizes = new Map<string, number>();
  for (const [name, step] of Object.entries(steps)) {
    const [small, large] = worlds.map((world) => {
      let outcome: Outcome | undefined;
      const blocks = counter.count(() => {
        outcome = step(world);
      });
      return { blocks, ...(outcome as Outcome) };
    }) as [Outcome & { blocks: number }, Outcome & { blocks: number }];
    t.log(`${name}: ${small.blocks} / ${large.blocks} blocks, ${large.bytes} bytes in ${large.responses} responses`);
    t.true(large.blocks > 0 && large.blocks - small.blocks < tolerance, `${name}: ${small.blocks}, ${large.blocks}`);
    t.is(large.bytes, small.bytes, name);
    t.is(large.responses, small.responses, name);
    sizes.set(name, large.bytes);
  }
  // Beside the endpoints of the pool, the manifest is sent.
  t.true((sizes.get('a Pod comes') ?? 0) < 1_000, `${sizes.get('a Pod comes')} bytes`);
});

/** All pools of one namespace, with ten Pods each. One label is on every Pod. */
const labelsOf = (index: number) => ({ 'inference/role': 'true', app: `llama-${index}` });

const shared = (index: number) => [
  inferencePool(`llama-${index}`, {
    selector: { matchLabels: labelsOf(index) },
    targetPorts: [{ number: 8000 }],
    endpointPickerRef: { name: 'picker', port: { number: 80 } },
  }),
  ...Array.from({ length: podsOfPool }, (_, at) => sharedServer(index, at)),
  httpRoute(`models-${index}`, {
    hostnames: [`t${index}.example.com`],
    rules: [{ backendRefs: [{ group: 'inference.networking.k8s.io', kind: 'InferencePool', name: `llama-${index}` }] }],
  }),
];

const sharedServer = (index: number, at: number) =>
  pod(`llama-${index}-${at}`, labelsOf(index), `10.1.${index % 200}.${at + 1}`);

function sharedWorld(pools: number): Pipeline {
  const pipeline = new Pipeline('default/edge');
  pipeline.put(
    gatewayClass(),
    gateway('edge'),
    service('picker'),
    endpointSlice('picker', ['10.0.0.1']),
    ...Array.from({ length: pools }, (_, index) => shared(index)).flat(),
  );
  return pipeline;
}

const sharedSteps: Readonly<Record<string, (pipeline: Pipeline) => Outcome>> = {
  'a Pod of a pool comes': (pipeline) => pipeline.put(sharedServer(103, podsOfPool)),
  'it goes to another pool': (pipeline) =>
    pipeline.put({ ...sharedServer(103, podsOfPool), metadata: podOf(104, sharedServer(103, podsOfPool)) }),
  'it goes': (pipeline) => pipeline.remove(sharedServer(103, podsOfPool)),
  'a Pod of no pool comes': (pipeline) =>
    pipeline.put(pod('web-1', { app: 'web', 'inference/role': 'true' }, '10.2.0.1')),
};

const podOf = (index: number, { metadata }: ReturnType<typeof sharedServer>) => ({
  ...metadata,
  labels: labelsOf(index),
});

test('what the change of a Pod costs does not follow the pools and Pods of its namespace', (t) => {
  t.timeout(300_000);
  using counter = new WorkCounter();
  // 2,000 Pods in the second.
  const worlds = [sharedWorld(110), sharedWorld(200)];
  for (const [name, step] of Object.entries(sharedSteps)) {
    const [small, large] = worlds.map((world) => counter.count(() => void step(world))) as [number, number];
    t.log(`${name}: ${small} / ${large} blocks`);
    t.true(large > 0 && large - small < (200 - 110) / 2, `${name}: ${small}, ${large}`);
  }
});
