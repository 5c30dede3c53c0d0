import test from 'ava';
import { openEvents } from '../support/event-reader.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, inferencePool, service } from '../support/objects.ts';
import { ofAllReplicas } from '../support/of-all-replicas.ts';
import { startTwo, type TestReplica } from '../support/replica.ts';
import { counted, failureReport, sendTrafficReport, trafficReport, trafficRow } from '../support/traffic.ts';
import { untilFits } from '../support/until.ts';

const objects = [
  gatewayClass(),
  gateway('edge'),
  service('web'),
  endpointSlice('web', ['10.0.0.1']),
  httpRoute('web'),
  inferencePool('llama', {
    selector: { matchLabels: { app: 'llama' } },
    targetPorts: [{ number: 8000 }],
    endpointPickerRef: { name: 'web', port: { number: 80 } },
  }),
  httpRoute('models', {
    hostnames: ['models.test'],
    rules: [{ backendRefs: [{ group: 'inference.networking.k8s.io', kind: 'InferencePool', name: 'llama' }] }],
  }),
];
const rule = 'httproute/default/web/rule/0';
const backend = 'default/web/80';

/** One report of a proxy of `default/edge`. */
const report = ({ control }: TestReplica, message: Readonly<Record<string, unknown>>): Promise<void> =>
  sendTrafficReport(control.ports.xds, message);

test('what proxies of two replicas report is one sum at either; a report that comes twice, to whichever replica, counts once', async (t) => {
  t.timeout(300_000);
  const [a, b] = await startTwo(t, objects);
  for (const each of [a, b])
    await untilFits(
      'the other one',
      () => each.json('/v1/replicas'),
      (list: { state: string }[]) => list.some(({ state }) => state === 'connected'),
    );
  for (const each of [a, b])
    await untilFits(
      'a snapshot',
      () => each.json('/v1/problems'),
      ({ verdict }: { verdict: string }) => verdict !== 'unknown',
    );
  const picks = [
    ['default/llama/8000/pool', 'picked', '10.0.0.7:8000', 5],
    ['default/llama/8000/pool', 'failed', '', 1],
  ] as const;
  const rows = (good: number, bad: number) => ({ ...counted([trafficRow(rule, { good, bad, backend })]), picks });
  const ofA = trafficReport({ nodeId: 'on-a', counted: rows(70, 30), failures: [failureReport(rule, { backend })] });
  await report(a, ofA);
  await report(a, ofA);
  // The answer of the first got lost, and the agent came to the other one.
  await report(b, { ...ofA, again: true });
  const ofB = trafficReport({
    nodeId: 'on-b',
    counted: rows(899, 1),
    failures: [failureReport(rule, { backend, host: 'other' })],
  });
  // It came to none before.
  await report(b, { ...ofB, again: true });
  for (const each of [a, b]) {
    const { totals, items } = await ofAllReplicas(each, '/v1/traffic?series=true');
    t.is(totals.requests, 1000, each.identity);
    t.is(totals.errors, 31);
    t.is(items[0].name, 'web');
    t.is(items[0].flags.UF, 31);
    t.is(
      items[0].series.reduce((sum: number, [, requests]: [number, number]) => sum + requests, 0),
      1000,
    );
    const { items: nodes } = await ofAllReplicas(each, '/v1/traffic?by=node');
    t.deepEqual(nodes.map(({ name }: { name: string }) => name).sort(), ['on-a', 'on-b']);
    const [pool] = (await ofAllReplicas(each, '/v1/picks')).items;
    t.like(pool, { namespace: 'default', name: 'llama', picker: 'default/web', requests: 12 });
    t.like(pool.outcomes, { picked: 10, failed: 2, any: 0 });
    t.deepEqual(
      pool.endpoints.map(({ endpoint, requests }: { endpoint: string; requests: number }) => [endpoint, requests]),
      [['10.0.0.7:8000', 10]],
    );
    const failures = await ofAllReplicas(each, '/v1/failures');
    t.deepEqual(failures.items.map(({ node }: { node: string }) => node).sort(), ['on-a', 'on-b']);
    t.is(failures.sampled.seen, 31);
    // Who did not answer is not named here.
    const [problem] = await untilFits(
      'the problem of all proxies together',
      async () => (await each.json('/v1/problems?area=traffic')).items,
      ([one]) => /^3 % of 100\d requests failed/.test(one?.message),
    );
    t.is(problem.code, 'traffic_failing');
    t.is(problem.severity, 'warning', 'three in a hundred, of all proxies together');
  }
  await b.stop();
  const { complete, warnings } = await a.json('/v1/traffic');
  t.false(complete);
  t.true(warnings.length > 0);
  // What a replica had went with it.
  t.is((await a.json('/v1/traffic')).totals.requests, 100);
  await report(a, { ...ofB, again: true });
  t.is((await a.json('/v1/traffic')).totals.requests, 1000);
});

test('failed requests that one replica learns of are signalled to those who follow the other', async (t) => {
  t.timeout(300_000);
  const [a, b] = await startTwo(t, objects, { timing: { signalMs: 1 } });
  for (const each of [a, b])
    await untilFits(
      'the other one',
      () => each.json('/v1/replicas'),
      (list: { state: string }[]) => list.some(({ state }) => state === 'connected'),
    );
  const events = await openEvents(t, a.port, '?types=traffic');
  for (const host of ['first', 'second']) {
    await report(b, trafficReport({ nodeId: 'on-b', failures: [failureReport(rule, { backend, host })] }));
    // One comes when they meet, too. Without another the test ends here.
    for (let isKnown = false; !isKnown; ) {
      t.is((await events.next()).type, 'traffic');
      const { items } = await a.json('/v1/failures');
      isKnown = items.some((failure: { host: string }) => failure.host === host);
    }
  }
  t.pass();
});

test('wrong questions are 400 and name the parameter', async (t) => {
  t.timeout(300_000);
  const [a] = await startTwo(t, objects);
  const wrong = [
    ['traffic?by=colour', 'by'],
    ['traffic?by=pick', 'by'],
    ['picks?window=30s', 'window'],
    ['traffic?window=30s', 'window'],
    ['traffic?window=25h', 'window'],
    ['traffic?window=24h&step=1m', 'step'],
    ['traffic?window=15m&step=10s', 'step'],
    ['traffic?limit=501', 'limit'],
    ['traffic?sort=name', 'sort'],
    ['traffic?gateway=edge', 'gateway'],
    ['failures?route=web', 'route'],
    ['failures?route=Pod/a/b', 'route'],
    ['failures?since=never', 'since'],
    ['failures?status=600x', 'status'],
    ['failures?cursor=x', 'cursor'],
  ] as const;
  for (const [path, name] of wrong) {
    const response = await a.get(`/v1/${path}`);
    t.is(response.status, 400, path);
    const { error } = (await response.json()) as { error: { code: string; details: { path: string }[] } };
    t.is(error.code, 'query_invalid');
    t.is(error.details[0]?.path, name);
  }
});

test('what the counters of a Gateway say of routes, backends and listeners of others counts for none of them', async (t) => {
  t.timeout(300_000);
  const more = [gateway('other'), httpRoute('theirs', { parentRefs: [{ name: 'other' }] })];
  const [a] = await startTwo(t, [...objects, ...more]);
  await untilFits(
    'a snapshot',
    () => a.json('/v1/problems'),
    ({ verdict }: { verdict: string }) => verdict !== 'unknown',
  );
  const theirs = 'httproute/default/theirs/rule/0';
  const rows = [trafficRow(theirs, { bad: 50, backend: 'default/none/80', listener: 'https/1' })];
  await report(
    a,
    trafficReport({ counted: counted(rows), failures: [failureReport(theirs, { backend: 'default/none/80' })] }),
  );
  const { items } = await a.json('/v1/traffic');
  t.deepEqual(
    items.map(({ kind, reason, gateway: of }: { kind: null; reason: string; gateway: string }) => [kind, reason, of]),
    [[null, 'unknown_route', 'default/edge']],
  );
  t.deepEqual((await a.json('/v1/problems?area=traffic')).items, []);
  const [failure] = (await a.json('/v1/failures')).items;
  t.like(failure, { route: null, backend: null });
  t.deepEqual((await a.json('/v1/failures?route=HTTPRoute/default/theirs')).items, []);
});

const malformed: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['a negative count', { counted: counted([trafficRow(rule, { good: -1 })]) }],
  ['a fraction', { counted: counted([trafficRow(rule, { good: 0.5 })]) }],
  ['rows that are none', { counted: { from: 0, to: 1, rows: [{}] } }],
  ['too many rows', { counted: counted(Array.from({ length: 2002 }, () => trafficRow(rule, { good: 1 }))) }],
  ['a long path', { failures: [failureReport(rule, { path: `/${'x'.repeat(600)}` })] }],
  ['a flag that is none', { failures: [failureReport(rule, { flags: ['<script>'] })] }],
  ['no failures', { failures: 'none' }],
];

test('a report that is not as it should be is rejected as a whole', async (t) => {
  t.timeout(300_000);
  const [a] = await startTwo(t, objects);
  await untilFits(
    'a snapshot',
    () => a.json('/v1/problems'),
    ({ verdict }: { verdict: string }) => verdict !== 'unknown',
  );
  for (const [title, part] of malformed) {
    const error = await t.throwsAsync(report(a, { ...trafficReport({}), ...part }), undefined, title);
    t.regex(error?.message ?? '', /^3 INVALID_ARGUMENT: the message is not what the method takes/, title);
  }
  const flood = Array.from({ length: 200 }, () => failureReport(rule, { backend }));
  for (let round = 0; round < 20; round += 1) await report(a, trafficReport({ failures: flood }));
  t.true((await a.json('/v1/failures?limit=500')).items.length <= 50);
  t.is((await a.json('/v1/traffic')).totals.requests, 0);
});
