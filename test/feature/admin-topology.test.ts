import anyTest, { type TestFn } from 'ava';
import type { z } from 'zod';
import type { topology } from '../../src/admin/topology/record.ts';
import { nodeView, startAdmin, type TestAdmin } from '../support/admin.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, inferencePool, pod, service } from '../support/objects.ts';
import { counted, failureReport, trafficReport, trafficRow } from '../support/traffic.ts';

const test = anyTest as TestFn<TestAdmin>;

test.beforeEach(async (t) => {
  t.context = await startAdmin();
});
test.afterEach.always((t) => t.context.close());

type Topology = z.output<typeof topology>;

const read = async (admin: TestAdmin, query = ''): Promise<Topology> =>
  (await (await admin.layout1(`/v1/topology${query}`)).json()) as Topology;

const to = (...names: string[]) => names.map((name) => ({ backendRefs: [{ name, port: 80 }] }));

const world = [
  gatewayClass(),
  gateway('edge'),
  ...['web', 'api'].flatMap((name, at) => [service(name), endpointSlice(name, [`10.0.0.${at + 1}`])]),
  httpRoute('shop', { rules: to('web') }),
  httpRoute('docs', { rules: to('api') }),
  httpRoute('old', { rules: to('api') }),
];

/** How often all routes are gone through from now on. */
function countReadings({ graph }: TestAdmin): { readonly times: number } {
  const seen = { times: 0 };
  const list = graph.list.bind(graph);
  graph.list = ((kind: 'HTTPRoute') => {
    if (kind === 'HTTPRoute') seen.times += 1;
    return list(kind);
  }) as typeof graph.list;
  return seen;
}

const statusOf = ({ nodes }: Topology, id: string) => {
  const found = nodes.find((node) => node.id === id);
  return found && [found.status, found.detail];
};

test('while nothing changes it is made once, for all questions', async (t) => {
  const admin = t.context;
  admin.build(...world);
  const readings = countReadings(admin);
  const first = await read(admin);
  for (const query of ['', '?focus=HTTPRoute/default/shop', '?group=namespace', '?gateway=edge'])
    await read(admin, query);
  t.deepEqual(await read(admin), first);
  t.is(readings.times, 1);
});

test('every change is in the next answer: of routes, of what they lead to, and of proxies', async (t) => {
  const admin = t.context;
  const id = admin.build(...world);
  const around = '?focus=HTTPRoute/default/shop';
  const edges = async (query: string) =>
    (await read(admin, query)).edges.map(({ type, source, target, status }) => `${type} ${source} ${target} ${status}`);
  t.true((await edges(around)).includes('forward route/httproute/default/shop backend/default/web/80 healthy'));
  admin.build(httpRoute('shop', { rules: to('web', 'gone') }, { generation: 2 }));
  t.true((await edges(around)).includes('forward route/httproute/default/shop backend/default/gone/80 failed'));
  // The route is the same, and what it leads to is not.
  admin.build(endpointSlice('api', []));
  t.true(
    (await edges('?focus=HTTPRoute/default/docs')).includes(
      'forward route/httproute/default/docs backend/default/api/80 failed',
    ),
  );
  admin.graph.remove('HTTPRoute', 'default/old');
  admin.build();
  t.is(statusOf(await read(admin), 'route/httproute/default/old'), undefined);
  admin.nodes.set('n1', nodeView('n1', { lastAckVersion: id }));
  t.is(statusOf(await read(admin), 'dataplane/n1')?.[0], 'degraded');
  admin.nodes.set('n1', nodeView('n1', { lastAckVersion: admin.graph.snapshot()?.id ?? '' }));
  t.is(statusOf(await read(admin), 'dataplane/n1')?.[0], 'healthy');
});

test('many who ask at once, each after a change, have it made for all of them together, and each sees its own change', async (t) => {
  const admin = t.context;
  admin.build(...world);
  await read(admin);
  const readings = countReadings(admin);
  const asked = 12;
  const answers = await Promise.all(
    Array.from({ length: asked }, (_, at) => {
      admin.build(httpRoute(`new-${at}`, { rules: to('web') }));
      return read(admin);
    }),
  );
  for (const [at, answer] of answers.entries()) t.truthy(statusOf(answer, `route/httproute/default/new-${at}`));
  t.true(readings.times < asked, `${readings.times} readings for ${asked} questions`);
});

test('a backend all of whose requests fail is failed, and one of which others may be served is degraded', async (t) => {
  const admin = t.context;
  admin.build(...world);
  const now = admin.now.getTime();
  const report = (rows: ReturnType<typeof trafficRow>[], failures = [] as ReturnType<typeof failureReport>[]) =>
    admin.traffic.take(
      { nodeId: 'n1', cluster: 'default/edge' },
      trafficReport({ now, counted: counted(rows, now), failures }),
    );
  const resets = (route: string, backend: string) =>
    trafficRow(`httproute/default/${route}/rule/0`, { bad: 5, flag: 'UC', backend });
  t.deepEqual(statusOf(await read(admin), 'backend/default/web/80'), ['healthy', '1 of 1 endpoints healthy']);
  report([resets('shop', 'default/web/80'), resets('docs', 'default/api/80')]);
  const answer = await read(admin);
  t.is(statusOf(answer, 'backend/default/web/80')?.[0], 'failed');
  t.regex(
    statusOf(answer, 'backend/default/web/80')?.[1] ?? '',
    /^1 of 1 endpoints healthy; all of its requests fail: /,
  );
  // Nothing is known of requests of the other route.
  t.is(statusOf(answer, 'backend/default/api/80')?.[0], 'degraded');
  t.deepEqual(statusOf(answer, 'endpoints/default/web/80'), ['healthy', '1 of 1 endpoints healthy']);
  const failures = [
    failureReport('httproute/default/docs/rule/0', { at: now, backend: 'default/api/80', endpoint: '10.0.0.2:8080' }),
  ];
  report([trafficRow('httproute/default/docs/rule/0', { bad: 3, backend: 'default/api/80' })], failures);
  const unreachable = await read(admin);
  t.deepEqual(statusOf(unreachable, 'endpoints/default/api/80'), ['failed', '0 of 1 endpoints healthy']);
  t.is(statusOf(unreachable, 'backend/default/api/80')?.[0], 'failed');
  t.regex(statusOf(unreachable, 'backend/default/api/80')?.[1] ?? '', /10\.0\.0\.2:8080 refuses connections/);
  const forward = unreachable.edges.find(({ source, type }) => source.endsWith('/docs') && type === 'forward');
  t.is(forward?.status, 'failed');
});

const llama = (endpointPickerRef?: object) =>
  inferencePool('llama', {
    selector: { matchLabels: { app: 'llama' } },
    targetPorts: [{ number: 8000 }],
    ...(endpointPickerRef && { endpointPickerRef }),
  });
const toPicker = (failureMode = 'FailClose', name = 'picker') => ({ name, port: { number: 80 }, failureMode });
const toLlama = [{ backendRefs: [{ group: 'inference.networking.k8s.io', kind: 'InferencePool', name: 'llama' }] }];
const pooled = [
  gatewayClass(),
  gateway('edge'),
  service('picker'),
  endpointSlice('picker', ['10.0.0.9']),
  pod('llama-0', { app: 'llama' }, '10.0.0.1'),
  llama(toPicker()),
  httpRoute('models', { rules: toLlama }),
];
const [poolId, pickerId] = ['backend/default/llama/8000/servers', 'backend/default/picker/80'];

test('a pool leads to its picker, without which it serves as its failure mode says', async (t) => {
  const admin = t.context;
  admin.build(...pooled);
  const topology = await read(admin, '?focus=InferencePool/default/llama');
  t.is(topology.nodes.find(({ id }) => id === poolId)?.kind, 'InferencePool');
  t.deepEqual(statusOf(topology, poolId), [
    'healthy',
    '1 of 1 endpoints healthy; endpoint picker default/picker (its certificate is not verified)',
  ]);
  const pick = topology.edges.find(({ type }) => type === 'pick');
  t.deepEqual([pick?.source, pick?.target, pick?.status], [poolId, pickerId, 'healthy']);
  const poolOf = async (object: ReturnType<typeof endpointSlice> | ReturnType<typeof llama>) => {
    admin.build(object);
    return statusOf(await read(admin), poolId);
  };
  const mute = 'endpoint picker default/picker (its certificate is not verified) has no healthy endpoint';
  t.deepEqual(await poolOf(endpointSlice('picker', [])), [
    'failed',
    `1 of 1 endpoints healthy; ${mute}: requests are answered 503`,
  ]);
  t.deepEqual(await poolOf(llama(toPicker('FailOpen'))), [
    'degraded',
    `1 of 1 endpoints healthy; ${mute}: any model server gets each request`,
  ]);
  t.deepEqual(await poolOf(llama(toPicker('FailOpen', 'gone'))), [
    'failed',
    '1 of 1 endpoints healthy; its endpoint picker cannot be found: requests are answered 503',
  ]);
  t.deepEqual(await poolOf(llama()), [
    'healthy',
    '1 of 1 endpoints healthy; no endpoint picker: the least busy endpoint gets each request',
  ]);
});

test('a pool has the picks of the last minutes, also where the topology was kept', async (t) => {
  const admin = t.context;
  admin.build(...pooled);
  const picksOf = async (query = '') => (await read(admin, query)).nodes.find(({ id }) => id === poolId)?.picks;
  const focus = '?focus=InferencePool/default/llama';
  t.deepEqual([await picksOf(), await picksOf(focus)], [[], []]);
  const now = admin.now.getTime();
  const picks = [
    ['default/llama/8000/pool', 'picked', '10.0.0.1:8000', 3],
    ['default/llama/8000/pool', 'failed', '', 1],
  ] as const;
  admin.traffic.take(
    { nodeId: 'n1', cluster: 'default/edge' },
    trafficReport({ now, counted: { ...counted([], now), picks } }),
  );
  const known = [
    { outcome: 'picked', endpoint: '10.0.0.1:8000', requests: 3 },
    { outcome: 'failed', endpoint: null, requests: 1 },
  ];
  t.deepEqual([await picksOf(), await picksOf(focus)], [known, known] as never);
  t.is((await read(admin)).nodes.find(({ id }) => id === pickerId)?.picks, undefined);
});
