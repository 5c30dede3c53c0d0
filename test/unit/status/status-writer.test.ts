import test from 'ava';
import type { KindName, KubernetesObject, RouteStatus, Status } from '../../../src/gateway-api/index.ts';
import {
  type StatusApi,
  StatusWriter,
  type StatusWriterOptions,
  type WriteOutcome,
} from '../../../src/status/index.ts';
import type { Clock } from '../../../src/std/queue/index.ts';

const CONTROLLER = 'gatewright.dev/gateway-controller';

/** Objects with versions, as the API server keeps them: a write against an old version is a conflict. */
class Server implements StatusApi {
  readonly objects = new Map<string, KubernetesObject>();
  readonly writes: string[] = [];
  inFlight = 0;
  mostInFlight = 0;
  faults = 0;
  #version = 0;

  put(kind: KindName, key: string, status?: object): KubernetesObject {
    const [namespace, name = ''] = key.split('/');
    const object = {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind,
      metadata: { namespace, name, resourceVersion: String(++this.#version) },
      status,
    };
    this.objects.set(`${kind} ${key}`, object);
    return object;
  }

  async read(kind: KindName, key: string): Promise<KubernetesObject | undefined> {
    return this.objects.get(`${kind} ${key}`);
  }

  async patchStatus(kind: KindName, key: string, status: object, version: string): Promise<WriteOutcome> {
    this.mostInFlight = Math.max(this.mostInFlight, ++this.inFlight);
    await new Promise((resolve) => setImmediate(resolve));
    this.inFlight--;
    if (this.faults-- > 0) throw new Error('connection refused');
    const live = this.objects.get(`${kind} ${key}`);
    if (live === undefined) return { result: 'gone' };
    if (live.metadata.resourceVersion !== version) return { result: 'conflict' };
    this.writes.push(`${kind} ${key}`);
    return { result: 'written', object: this.put(kind, key, { ...(live.status as object), ...status }) };
  }
}

function setUp(more: Partial<StatusWriterOptions> = {}) {
  const server = new Server();
  const results: string[] = [];
  const writer = new StatusWriter({
    api: server,
    lookup: (kind, key) => server.objects.get(`${kind} ${key}`),
    controllerName: CONTROLLER,
    isLeader: () => true,
    now: () => new Date('2026-01-02T03:04:05.678Z'),
    onResult: (kind, result) => results.push(`${kind} ${result}`),
    ...more,
  });
  return { server, writer, results };
}

const route = (reason = 'Accepted', name = 'gw'): RouteStatus => ({
  kind: 'HTTPRoute',
  parents: [
    {
      parentRef: { name },
      controllerName: CONTROLLER,
      conditions: [{ type: 'Accepted', status: 'True', reason, message: '', observedGeneration: 1 }],
    },
  ],
});
const gateway = (attachedRoutes: number): Status => ({
  kind: 'Gateway',
  addresses: [],
  conditions: [],
  listeners: [{ name: 'http', attachedRoutes, supportedKinds: [], conditions: [] }],
});
const reasonOf = (object: KubernetesObject | undefined): string | undefined =>
  (object?.status as RouteStatus | undefined)?.parents[0]?.conditions[0]?.reason;

test('a desired status is written once, with whole seconds; the same status again sends nothing', async (t) => {
  const { server, writer, results } = setUp();
  server.put('HTTPRoute', 'ns/r');
  writer.setDesired('HTTPRoute', 'ns/r', route());
  await writer.settled();
  t.like(server.objects.get('HTTPRoute ns/r')?.status, {
    parents: [{ conditions: [{ lastTransitionTime: '2026-01-02T03:04:05Z' }] }],
  });
  writer.setDesired('HTTPRoute', 'ns/r', route());
  writer.observe('HTTPRoute', 'ns/r');
  await writer.settled();
  t.is(server.writes.length, 1);
  t.deepEqual([...new Set(results)], ['HTTPRoute written', 'HTTPRoute unchanged']);
});

test('a write begins in a later turn than the one that asks for it, so that what that one sends to proxies leaves first', async (t) => {
  const { server, writer } = setUp();
  server.put('HTTPRoute', 'ns/r');
  const turn = new Promise((resolve) => setImmediate(resolve));
  writer.setDesired('HTTPRoute', 'ns/r', route());
  await turn;
  t.is(server.mostInFlight, 0);
  await writer.settled();
  t.is(server.mostInFlight, 1);
});

test('a conflict is answered by reading again, and what the other wrote is kept', async (t) => {
  const server = new Server();
  const stale = server.put('HTTPRoute', 'ns/r');
  const theirs = { parentRef: { name: 'gw' }, controllerName: 'example.com/other', conditions: [] };
  server.put('HTTPRoute', 'ns/r', { parents: [theirs] });
  const { writer, results } = setUp({ api: server, lookup: () => stale });
  writer.setDesired('HTTPRoute', 'ns/r', route());
  await writer.settled();
  t.like(server.objects.get('HTTPRoute ns/r')?.status, { parents: [theirs, { controllerName: CONTROLLER }] });
  t.deepEqual(results, ['HTTPRoute conflict', 'HTTPRoute written']);
});

test('a watch that lags behind our own write causes no conflict', async (t) => {
  const server = new Server();
  const stale = server.put('HTTPRoute', 'ns/r');
  const { writer, results } = setUp({ api: server, lookup: () => stale });
  writer.setDesired('HTTPRoute', 'ns/r', route('Accepted'));
  await writer.settled();
  writer.setDesired('HTTPRoute', 'ns/r', route('Other'));
  await writer.settled();
  t.deepEqual(results, ['HTTPRoute written', 'HTTPRoute written']);
  t.is(reasonOf(server.objects.get('HTTPRoute ns/r')), 'Other');
});

test('the newest desired status wins, and no more than the given number of writes are in flight', async (t) => {
  const { server, writer } = setUp({ concurrency: 4 });
  for (let i = 0; i < 50; i++) {
    server.put('HTTPRoute', `ns/r${i}`);
    writer.setDesired('HTTPRoute', `ns/r${i}`, route('First'));
  }
  for (let i = 0; i < 50; i++) writer.setDesired('HTTPRoute', `ns/r${i}`, route('Last'));
  await writer.settled();
  t.is(server.mostInFlight, 4);
  for (const object of server.objects.values()) t.is(reasonOf(object), 'Last');
  t.true(server.writes.length <= 54, 'only those already in flight were written twice');
});

test('a route that is no longer ours loses our parents and keeps the others', async (t) => {
  const { server, writer } = setUp();
  const theirs = { parentRef: { name: 'gw' }, controllerName: 'example.com/other', conditions: [] };
  server.put('HTTPRoute', 'ns/r', { parents: [theirs] });
  writer.setDesired('HTTPRoute', 'ns/r', route());
  await writer.settled();
  writer.setDesired('HTTPRoute', 'ns/r', undefined);
  await writer.settled();
  t.deepEqual(server.objects.get('HTTPRoute ns/r')?.status, { parents: [theirs] });
});

test('only a leader writes; a new leader writes what was desired before', async (t) => {
  let leader = false;
  const { server, writer } = setUp({ isLeader: () => leader });
  server.put('HTTPRoute', 'ns/r');
  writer.setDesired('HTTPRoute', 'ns/r', route());
  await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(server.writes, []);
  leader = true;
  writer.resume();
  await writer.settled();
  t.deepEqual(server.writes, ['HTTPRoute ns/r']);
});

test('what came and went while another one led is nothing to a new leader', async (t) => {
  let leader = false;
  const { server, writer, results } = setUp({ isLeader: () => leader });
  for (const kind of ['HTTPRoute', 'BackendTLSPolicy'] as const) {
    server.put(kind, 'ns/r');
    writer.setDesired(kind, 'ns/r', route());
    server.objects.delete(`${kind} ns/r`);
    writer.forget(kind, 'ns/r');
    writer.setDesired(kind, 'ns/r', undefined);
  }
  leader = true;
  writer.resume();
  await writer.settled();
  t.deepEqual(results, []);
});

test('a failed write is tried again and reported', async (t) => {
  const failures: unknown[] = [];
  const { server, writer, results } = setUp({ onFailure: (failure) => failures.push(failure) });
  server.put('HTTPRoute', 'ns/r');
  server.faults = 1;
  writer.setDesired('HTTPRoute', 'ns/r', route());
  await writer.settled();
  t.deepEqual(results, ['HTTPRoute error', 'HTTPRoute written']);
  t.deepEqual(failures, [{ kind: 'HTTPRoute', key: 'ns/r', message: 'connection refused', willRetry: true }]);
});

test('what the API server calls invalid is reported and not tried again', async (t) => {
  const failures: unknown[] = [];
  const server = new Server();
  server.put('HTTPRoute', 'ns/r');
  server.patchStatus = async () => ({ result: 'invalid', message: 'status.parents: Too many' });
  const { writer, results } = setUp({
    api: server,
    lookup: (kind, key) => server.objects.get(`${kind} ${key}`),
    onFailure: (failure) => failures.push(failure),
  });
  writer.setDesired('HTTPRoute', 'ns/r', route());
  await writer.settled();
  t.deepEqual(results, ['HTTPRoute invalid']);
  t.deepEqual(failures, [{ kind: 'HTTPRoute', key: 'ns/r', message: 'status.parents: Too many', willRetry: false }]);
});

test('the desired status of an object that is gone is dropped', async (t) => {
  const { writer, results } = setUp();
  writer.setDesired('HTTPRoute', 'ns/r', route());
  await writer.settled();
  writer.observe('HTTPRoute', 'ns/r');
  await writer.settled();
  t.deepEqual(results, ['HTTPRoute gone']);
});

/** A clock whose timers wait to be fired, which is when time passes. */
function handClock() {
  let now = 0;
  const timers: { delayMs: number; callback: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    after(delayMs, callback) {
      const timer = { delayMs, callback };
      timers.push(timer);
      return () => timers.splice(timers.indexOf(timer), 1);
    },
  };
  const fire = () => {
    const timer = timers.shift();
    now += timer?.delayMs ?? 0;
    timer?.callback();
  };
  return { clock, timers, fire };
}
const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

test('a storm of attached routes is one write of the Gateway at once and one after 500 ms', async (t) => {
  const { clock, timers, fire } = handClock();
  const { server, writer } = setUp({ clock });
  server.put('Gateway', 'ns/gw');
  writer.setDesired('Gateway', 'ns/gw', gateway(1));
  while (server.mostInFlight === 0) await turn();
  for (let i = 2; i <= 500; i++) writer.setDesired('Gateway', 'ns/gw', gateway(i));
  while (timers.length === 0) await turn();
  t.is(server.writes.length, 1);
  t.is(timers[0]?.delayMs, 500);
  fire();
  await writer.settled();
  t.is(server.writes.length, 2);
  t.like(server.objects.get('Gateway ns/gw')?.status, { listeners: [{ attachedRoutes: 500 }] });
});

test('what is no count does not wait as long as one', async (t) => {
  const { clock, timers, fire } = handClock();
  const { server, writer } = setUp({ clock });
  server.put('Gateway', 'ns/gw');
  for (let i = 1; i <= 3; i++) writer.setDesired('Gateway', 'ns/gw', gateway(i));
  while (timers.length === 0) await turn();
  const moved = { ...gateway(4), addresses: [{ value: '192.0.2.1' }] };
  writer.setDesired('Gateway', 'ns/gw', moved as Status);
  t.deepEqual(
    timers.map(({ delayMs }) => delayMs),
    [100],
  );
  fire();
  await writer.settled();
  t.is(server.writes.length, 2);
  t.like(server.objects.get('Gateway ns/gw')?.status, { addresses: [{ value: '192.0.2.1' }] });
});

test('where another writer undoes ours, we come back after 30 s and not sooner', async (t) => {
  const { clock, timers } = handClock();
  const { server, writer } = setUp({ clock });
  server.put('HTTPRoute', 'ns/r');
  writer.setDesired('HTTPRoute', 'ns/r', route());
  await writer.settled();
  for (let i = 0; i < 3; i++) {
    server.put('HTTPRoute', 'ns/r', { parents: [] });
    writer.observe('HTTPRoute', 'ns/r');
    await writer.settled();
  }
  t.is(server.writes.length, 1);
  t.deepEqual(
    timers.map(({ delayMs }) => delayMs),
    [30_000],
  );
  writer.setDesired('HTTPRoute', 'ns/r', route('New'));
  await writer.settled();
  t.is(server.writes.length, 2, 'a new desired status does not wait');
  t.is(timers.length, 0);
});
