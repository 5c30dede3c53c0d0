import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import type { z } from 'zod';
import type { ErrorBody, InfrastructurePart } from '../../src/admin/index.ts';
import { SecretText } from '../../src/config/index.ts';
import type { NodeView } from '../../src/xds/index.ts';
import { nodeView, startAdmin, type TestAdmin } from '../support/admin.ts';
import { testCertificates } from '../support/certificates.ts';
import * as schemas from '../support/layout1-schemas.ts';
import {
  aiObject,
  backendTlsPolicy,
  configMap,
  endpointSlice,
  gateway,
  gatewayClass,
  httpRoute,
  l4Route,
  namespace,
  secret,
  service,
} from '../support/objects.ts';
import { thorough } from '../support/repetitions.ts';

const test = anyTest as TestFn<TestAdmin>;

const [pair] = testCertificates;

const https = {
  name: 'https',
  port: 443,
  protocol: 'HTTPS',
  tls: { mode: 'Terminate' as const, certificateRefs: [{ name: 'cert' }, { name: 'lost' }] },
};

/** Two Gateways; a route that splits and mirrors, one to nowhere, and one of the other Gateway. */
const world = [
  gatewayClass(),
  gatewayClass('others', 'other.example/controller'),
  namespace('empty'),
  gateway('edge', [{}, https]),
  gateway('inner', [{ name: 'tcp', port: 9000, protocol: 'TCP' }]),
  secret('cert', { 'tls.crt': pair.certificate, 'tls.key': pair.key }),
  service('web'),
  service('spare', [80]),
  service('idle', [8080], { namespace: 'other' }),
  endpointSlice('web', ['10.0.0.1']),
  {
    ...endpointSlice('web', [], { suffix: '2' }),
    endpoints: [{ addresses: ['10.0.0.2'], conditions: { ready: false } }],
  },
  httpRoute('split', {
    rules: [
      {
        backendRefs: [
          { name: 'web', port: 80, weight: 3 },
          { name: 'spare', port: 80, weight: 1 },
        ],
        filters: [{ type: 'RequestMirror', requestMirror: { backendRef: { name: 'web', port: 80 } } }],
      },
      { backendRefs: [{ name: 'web', port: 80, weight: 2 }] },
    ],
  }),
  httpRoute('broken', { rules: [{ backendRefs: [{ name: 'gone', port: 80 }] }] }),
  l4Route('TCPRoute', 'bytes', { parentRefs: [{ name: 'inner' }] }),
];

test.beforeEach(async (t) => {
  t.context = await startAdmin();
});
test.afterEach.always((t) => t.context.close());

/** A 200 whose body is what the schema says. */
async function get<T extends z.ZodType>(admin: TestAdmin, path: string, schema: T): Promise<z.output<T>> {
  const response = await admin.layout1(path);
  const body = await response.json();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`);
  return schema.parse(body);
}

test('gateways: those of our classes', async (t) => {
  const admin = t.context;
  admin.build(...world, { ...gateway('foreign'), spec: { ...gateway('foreign').spec, gatewayClassName: 'others' } });
  admin.nodes.set('n1', nodeView('n1'));
  const gateways = await get(admin, '/v1/gateways', schemas.gateway.array());
  t.deepEqual(
    gateways.map(({ name, clients }) => [name, clients]),
    [
      ['edge', ['n1']],
      ['inner', []],
    ],
  );
  const edge = await get(admin, '/v1/gateways/default/edge', schemas.gateway);
  t.deepEqual(edge, gateways[0] as NonNullable<(typeof gateways)[0]>);
  t.like(edge.listeners[0], { name: 'http', port: 80, attachedRoutes: 2, hostname: null });
  t.deepEqual([edge.attachedRoutes, edge.listeners.map(({ attachedRoutes }) => attachedRoutes)], [2, [2, 2]]);
  t.is((await admin.layout1('/v1/gateways/default/foreign')).status, 404);
});

test('certificates: days left, who uses them, and those that are missing', async (t) => {
  const admin = t.context;
  admin.build(...world);
  const [cert, lost] = await get(admin, '/v1/certificates', schemas.certificateUse.array());
  const user = { kind: 'Listener', namespace: 'default', name: 'default.edge.https' };
  t.like(cert, { namespace: 'default', name: 'cert', sans: ['a.example.com'], usedBy: [user] });
  t.like(lost, { name: 'lost', subject: null, daysLeft: null, state: 'missing', usedBy: [user] });
  const ends = Date.parse(cert?.notAfter ?? '');
  const stateAt = async (now: number) => {
    admin.now = new Date(now);
    const [first] = await get(admin, '/v1/certificates?name=cert', schemas.certificateUse.array());
    return [first?.state, first?.daysLeft];
  };
  t.deepEqual(await stateAt(ends - 30.5 * 86_400_000), ['valid', 30]);
  t.deepEqual(await stateAt(ends - 29.5 * 86_400_000), ['expiring', 29]);
  t.deepEqual(await stateAt(ends + 1), ['expired', -1]);
  t.deepEqual(await stateAt(Date.parse(cert?.notBefore ?? '') - 1000).then(([state]) => state), 'not-yet-valid');
  t.deepEqual((await get(admin, '/v1/certificates?hostname=a.example.com', schemas.certificateUse.array())).length, 1);
});

test('certificates: authorities with those who check by them, where they may', async (t) => {
  const admin = t.context;
  const authorities = { 'ca.crt': `${testCertificates[1].certificate}\n${pair.certificate}` };
  const asking = gateway('edge', [{}, https]);
  const refs = ['own', 'foreign'].map((name) => ({
    group: '',
    kind: 'ConfigMap',
    name,
    ...(name === 'foreign' && { namespace: 'other' }),
  }));
  admin.build(
    ...world.filter((object) => object.kind !== 'Gateway'),
    {
      ...asking,
      spec: { ...asking.spec, tls: { frontend: { default: { validation: { caCertificateRefs: refs } } } } },
    } as typeof asking,
    configMap('own', authorities),
    configMap('idle', authorities),
    configMap('foreign', authorities, { namespace: 'other' }),
    configMap('backends', { 'ca.crt': 'nothing' }),
    backendTlsPolicy('to-web', {
      targetRefs: [{ group: '', kind: 'Service', name: 'web' }],
      validation: { hostname: 'web.test', caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'backends' }] },
    }),
  );
  const held = await get(admin, '/v1/certificates', schemas.certificateUse.array());
  t.deepEqual(
    held.filter(({ kind }) => kind !== 'Secret').map(({ kind, name, usedBy }) => [kind, name, usedBy[0]?.kind]),
    [
      ['ConfigMap', 'own', 'Gateway'],
      ['ConfigMap', 'backends', 'BackendTLSPolicy'],
    ].toSorted(),
  );
  const own = held.find(({ name }) => name === 'own');
  admin.now = new Date(Date.parse(own?.notAfter ?? '') - 86_400_000);
  t.like(
    await get(admin, '/v1/summary', schemas.summary),
    { expiringCertificateCount: 2 },
    'with the one that is served',
  );
  const { items } = await get(admin, '/v1/problems', schemas.problems);
  t.like(
    items.find(({ object }) => object.kind === 'ConfigMap' && object.name === 'own'),
    { code: 'certificate_expiring' },
  );
});

test('namespaces: declared ones and those that something is in', async (t) => {
  const admin = t.context;
  admin.build(...world);
  t.deepEqual(await get(admin, '/v1/namespaces', schemas.namespace.array()), ['default', 'empty', 'other']);
  t.deepEqual(await get(admin, '/v1/namespaces?limit=1&offset=1', schemas.namespace.array()), ['empty']);
});

test('kinds: what is missing says why, and nothing is writable without something that writes', async (t) => {
  const missing = { available: false, message: 'TCPRoute is not installed' };
  const admin = await startAdmin(undefined, {
    availability: (kind) => (kind === 'TCPRoute' ? missing : { available: true, message: '' }),
  });
  t.teardown(() => admin.close());
  const kinds = await get(admin, '/v1/resource-kinds', schemas.resourceKind.array());
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  t.like(byName.get('HTTPRoute'), { apiVersion: 'gateway.networking.k8s.io/v1', category: 'route', writable: false });
  t.like(byName.get('TCPRoute'), {
    available: false,
    availabilityMessage: 'TCPRoute is not installed',
    writable: false,
  });
  t.like(byName.get('Secret'), { apiVersion: 'v1', category: 'core', writable: false });
  t.is(kinds[0]?.category, 'gateway');
  const routes = await get(admin, '/v1/resource-kinds?category=route', schemas.resourceKind.array());
  t.deepEqual(routes.map(({ kind }) => kind).sort(), [
    'GRPCRoute',
    'HTTPRoute',
    'Ingress',
    'TCPRoute',
    'TLSRoute',
    'UDPRoute',
  ]);
  const without = await get(t.context, '/v1/resource-kinds', schemas.resourceKind.array());
  t.false(without.some(({ writable }) => writable));
});

test('services: whether or not a route forwards to them', async (t) => {
  const admin = t.context;
  admin.build(...world);
  const services = await get(admin, '/v1/service-catalog', schemas.catalogService.array());
  t.deepEqual(
    services.map(({ namespace: where, name }) => `${where}/${name}`),
    ['default/spare', 'default/web', 'other/idle'],
  );
  const [, web, idle] = services;
  t.like(web, { type: 'ClusterIP', endpoints: { ready: 1, total: 2 } });
  t.deepEqual(web?.ports, [{ name: 'p80', port: 80, protocol: 'TCP', appProtocol: null, targetPort: 80 }]);
  t.deepEqual(web?.referencedBy, [
    { kind: 'TCPRoute', namespace: 'default', name: 'bytes' },
    { kind: 'HTTPRoute', namespace: 'default', name: 'split' },
  ]);
  t.deepEqual(idle?.referencedBy, []);
  t.is((await get(admin, '/v1/service-catalog?namespace=other', schemas.catalogService.array())).length, 1);
});

test('topology: from class to endpoints, with weights, mirrors and what leads nowhere', async (t) => {
  const admin = t.context;
  const id = admin.build(...world);
  admin.nodes.set('n1', nodeView('n1', { lastAckVersion: id }));
  const { nodes, edges, snapshotVersion, warnings } = await get(admin, '/v1/topology', schemas.topology);
  t.is(snapshotVersion, id);
  t.deepEqual(warnings, []);
  const statusOf = Object.fromEntries(nodes.map((node) => [node.id, node.status]));
  t.like(statusOf, {
    'gatewayclass/gatewright': 'healthy',
    'listener/default.edge.https': 'failed',
    'route/httproute/default/split': 'healthy',
    'route/httproute/default/broken': 'degraded',
    'backend/default/web/80': 'degraded',
    'backend/default/gone/80': 'failed',
    'endpoints/default/spare/80': 'failed',
    'dataplane/n1': 'healthy',
  });
  t.is(statusOf['gatewayclass/others'], undefined);
  const from = (source: string) => edges.filter((edge) => edge.source === source).map(({ source: _, ...edge }) => edge);
  t.deepEqual(from('route/httproute/default/split'), [
    { target: 'listener/default.edge.http', type: 'attach', weight: null, status: 'healthy' },
    { target: 'listener/default.edge.https', type: 'attach', weight: null, status: 'healthy' },
    { target: 'backend/default/web/80', type: 'forward', weight: 5, status: 'degraded' },
    { target: 'backend/default/spare/80', type: 'forward', weight: 1, status: 'failed' },
    { target: 'backend/default/web/80', type: 'mirror', weight: null, status: 'degraded' },
  ]);
  t.deepEqual(from('dataplane/n1'), [
    { target: 'gateway/default/edge', type: 'serve', weight: null, status: 'healthy' },
  ]);
  const known = new Set(nodes.map((node) => node.id));
  t.true(edges.every(({ source, target }) => known.has(source) && known.has(target)));
  t.is(known.size, nodes.length);
});

test('topology: a service of models is referred to without a port, and found', async (t) => {
  const admin = t.context;
  admin.build(
    ...world,
    aiObject('AIService', 'gpt', { provider: 'stub', endpoint: { hostname: 'api.test' }, models: [{ name: 'm' }] }),
    httpRoute('chat', {
      hostnames: ['chat.test'],
      rules: [{ backendRefs: [{ group: 'gatewright.dev', kind: 'AIService', name: 'gpt' }] }],
    }),
  );
  const { nodes, edges } = await get(admin, '/v1/topology?name=chat', schemas.topology);
  t.deepEqual(
    edges.filter(({ type }) => type === 'forward'),
    [
      {
        source: 'route/httproute/default/chat',
        target: 'backend/default/gpt/443/ai',
        type: 'forward',
        weight: 1,
        status: 'healthy',
      },
    ],
  );
  t.deepEqual(
    nodes.flatMap(({ id, type }) => (type === 'backend' ? [id] : [])),
    ['backend/default/gpt/443/ai'],
  );
});

test('topology: parts of it', async (t) => {
  const admin = t.context;
  admin.build(...world);
  const idsOf = async (query: string) =>
    (await get(admin, `/v1/topology?${query}`, schemas.topology)).nodes.map(({ id }) => id);
  t.deepEqual(await idsOf('type=gateway'), ['gateway/default/edge', 'gateway/default/inner']);
  t.deepEqual(await idsOf('gateway=inner'), [
    'backend/default/web/80',
    'endpoints/default/web/80',
    'gateway/default/inner',
    'gatewayclass/gatewright',
    'listener/default.inner.tcp',
    'route/tcproute/default/bytes',
  ]);
  t.deepEqual(await idsOf('name=broken'), [
    'backend/default/gone/80',
    'listener/default.edge.http',
    'listener/default.edge.https',
    'route/httproute/default/broken',
  ]);
  t.deepEqual(await idsOf('namespace=nowhere'), []);
  t.is((await admin.layout1('/v1/topology?type=pod')).status, 400);
});

test('topology: around one object, without what else hangs on its listener', async (t) => {
  const admin = t.context;
  admin.build(...world);
  const read = (query: string) => get(admin, `/v1/topology?${query}`, schemas.topology);
  const idsOf = async (query: string) => (await read(query)).nodes.map(({ id }) => id);
  const broken = [
    'backend/default/gone/80',
    'listener/default.edge.http',
    'listener/default.edge.https',
    'route/httproute/default/broken',
  ];
  t.deepEqual(await idsOf('focus=HTTPRoute/default/broken&depth=1'), broken);
  t.deepEqual(
    await idsOf('focus=httproute/default/broken'),
    [...broken, 'gateway/default/edge', 'gatewayclass/gatewright'].sort(),
  );
  t.deepEqual(await idsOf('focus=HTTPRoute/default/broken&depth=0'), ['route/httproute/default/broken']);
  t.true((await idsOf('focus=Backend/default/web:80')).includes('route/tcproute/default/bytes'));
  t.deepEqual(await idsOf('focus=Service/default/web&depth=0'), ['backend/default/web/80']);
  t.deepEqual(await idsOf('focus=Listener//default.edge.http&depth=0'), ['listener/default.edge.http']);
  t.deepEqual(await idsOf('focus=GatewayClass//gatewright&depth=1'), [
    'gateway/default/edge',
    'gateway/default/inner',
    'gatewayclass/gatewright',
  ]);
  const { nodes, total } = await read('focus=HTTPRoute/default/broken&limit=3');
  t.is(total, 6);
  t.deepEqual(
    nodes.map(({ id }) => id),
    ['backend/default/gone/80', 'listener/default.edge.http', 'route/httproute/default/broken'],
    'the nearest first, of these the worst',
  );
  t.is((await admin.layout1('/v1/topology?focus=HTTPRoute/default/none')).status, 404);
  for (const query of ['focus=broken', 'depth=1', 'limit=0', 'limit=2001', 'group=kind', 'focus=a/b/c&depth=6'])
    t.is((await admin.layout1(`/v1/topology?${query}`)).status, 400, query);
});

thorough(test)('topology: thousands of routes are few nodes by namespace, with the worst of them', async (t) => {
  const admin = t.context;
  const many = Array.from({ length: 3000 }, (_, i) => httpRoute(`r${i}`, { hostnames: [`h${i}.test`] }));
  admin.build(...world, ...many);
  const whole = JSON.stringify(await get(admin, '/v1/topology', schemas.topology));
  const { nodes, edges, total } = await get(admin, '/v1/topology?group=namespace', schemas.topology);
  t.true(whole.length > 1_000_000);
  t.true(JSON.stringify({ nodes, edges }).length < 10_000);
  t.is(total, nodes.length);
  const routes = nodes.find(({ id }) => id === 'group/route/default');
  t.like(routes, { type: 'route', namespace: 'default', status: 'degraded' });
  t.true((routes?.count ?? 0) > 3000);
  t.regex(routes?.detail ?? '', /^\d+ degraded/);
  const ids = new Set(nodes.map(({ id }) => id));
  t.true(edges.every(({ source, target }) => ids.has(source) && ids.has(target)));
  t.is(new Set(edges.map(({ source, target, type }) => `${type} ${source} ${target}`)).size, edges.length);
  const around = await get(admin, '/v1/topology?focus=Gateway/default/edge', schemas.topology);
  t.is(around.nodes.length, 300);
  t.true((around.total ?? 0) > 3000);
  const own = await get(admin, '/v1/topology?focus=HTTPRoute/default/r7&group=namespace', schemas.topology);
  t.deepEqual(
    own.nodes.filter(({ type }) => type === 'route').map(({ id }) => id),
    ['route/httproute/default/r7'],
  );
  const idsOf = async (query: string) =>
    (await get(admin, `/v1/topology?${query}`, schemas.topology)).nodes.map(({ id }) => id);
  t.deepEqual(await idsOf('group=many'), await idsOf('group=namespace'));
  const few = 'focus=HTTPRoute/default/r7';
  t.deepEqual(await idsOf(`${few}&group=many`), await idsOf(few));
});

test('infrastructure: what runs, counted', async (t) => {
  const part = (name: string, state: InfrastructurePart['state']): InfrastructurePart => ({
    kind: 'Deployment',
    namespace: 'default',
    name,
    role: 'proxies',
    owner: 'default/edge',
    state,
    reasons: state === 'ready' ? [] : ['why'],
    replicas: { desired: 1, ready: state === 'ready' ? 1 : 0 },
    addresses: [],
  });
  const parts = [part('d', 'orphan'), part('a', 'ready'), part('b', 'missing'), part('c', 'drifted')];
  const admin = await startAdmin(undefined, { infrastructure: { parts: async () => ({ parts, warnings: [] }) } });
  t.teardown(() => admin.close());
  const shown = await get(admin, '/v1/infrastructure', schemas.infrastructure);
  t.deepEqual(shown.summary, { resourceCount: 4, readyCount: 1, driftedCount: 1, missingCount: 1, orphanCount: 1 });
  t.deepEqual(
    shown.resources.map(({ name }) => name),
    ['a', 'b', 'c', 'd'],
  );
});

test('data planes: where their agents are, and nowhere else', async (t) => {
  const admin = t.context;
  const peers = {
    v4: '127.0.0.1:50000',
    v6: '[fd00::7]:50000',
    mapped: '[::ffff:10.0.0.9]:50000',
    odd: 'unix:/tmp/x',
  };
  for (const [name, peer] of Object.entries(peers)) admin.nodes.set(name, nodeView(name, { peer, adminPort: 8082 }));
  admin.nodes.set('envoy', nodeView('envoy'));
  const planes = await get(admin, '/v1/dataplanes', schemas.dataPlane.array());
  t.deepEqual(Object.fromEntries(planes.map(({ nodeId, url }) => [nodeId, url])), {
    envoy: null,
    mapped: 'http://10.0.0.9:8082',
    odd: null,
    v4: 'http://127.0.0.1:8082',
    v6: 'http://[fd00::7]:8082',
  });
});

test('a data plane that cannot be asked is a 502 that says why', async (t) => {
  const admin = await startAdmin(undefined, { agentTimeoutMs: 90_000 });
  t.teardown(() => admin.close());
  for (const [name, text] of [
    ['wrong', '{}'],
    ['html', '<p>'],
  ] as const) {
    admin.nodes.set(name, nodeView(name, { adminPort: await stranger(t, text) }));
  }
  admin.nodes.set('away', nodeView('away', { connected: false, adminPort: 8082 }));
  admin.nodes.set('closed', nodeView('closed', { adminPort: 1 }));
  admin.nodes.set('bare', nodeView('bare'));
  const expected = {
    wrong: /is not what an agent of this version answers/,
    html: /no JSON/,
    away: /not connected/,
    closed: /ECONNREFUSED/,
    bare: /did not say where/,
  };
  for (const [name, message] of Object.entries(expected)) {
    const response = await admin.layout1(`/v1/dataplanes/${name}/summary`);
    t.is(response.status, 502, name);
    const { error } = (await response.json()) as ErrorBody;
    t.is(error.code, 'dataplane_unreachable');
    t.regex(error.message, message);
  }
  t.is((await admin.layout1('/v1/dataplanes/missing/summary')).status, 404);
});

test('a report of megabytes passes through: its keys are redacted once more, and one that is none is a 502', async (t) => {
  const admin = await startAdmin(undefined, { agentTimeoutMs: 90_000 });
  t.teardown(() => admin.close());
  const ask = async (name: string, text: string, report = 'config-dump') => {
    admin.nodes.set(name, nodeView(name, { adminPort: await stranger(t, text) }));
    return await admin.layout1(`/v1/dataplanes/${name}/reports/${report}`);
  };
  const configs = Array.from({ length: 20_000 }, (_, at) => ({ name: `r${at}`, tls: { private_key: `SECRET${at}` } }));
  const passed = await ask('large', JSON.stringify({ configs }, null, 1));
  t.deepEqual([passed.status, passed.headers.get('content-type')], [200, 'application/json; charset=utf-8']);
  const text = await passed.text();
  t.false(text.includes('SECRET'));
  t.deepEqual((JSON.parse(text) as { configs: object[] }).configs.at(-1), {
    name: 'r19999',
    tls: { private_key: '[redacted]' },
  });
  for (const report of ['config', 'config-dump'])
    for (const [name, answer] of Object.entries({ html: '<p>', nothing: '', list: '[1]', torn: '}' })) {
      const rejected = await ask(`${name}-${report}`, answer, report);
      t.is(rejected.status, 502, `${name} ${report}`);
      t.is(((await rejected.json()) as ErrorBody).error.code, 'dataplane_unreachable');
    }
  admin.nodes.set('closed', nodeView('closed', { adminPort: 1 }));
  t.is((await admin.layout1('/v1/dataplanes/closed/reports/config')).status, 502);
  // What ends in the middle is no answer to a client either.
  await t.throwsAsync(ask('half', `{"configs": [${'1,'.repeat(100_000)}`));
});

test('an agent is shown the token that it sent, and one that sent none is shown nothing', async (t) => {
  const admin = await startAdmin(undefined, { agentTimeoutMs: 90_000 });
  t.teardown(() => admin.close());
  const shown = new Map<string, string | undefined>();
  const agent = async (name: string, more: Partial<NodeView>) => {
    const server = createServer(({ headers }, response) => {
      shown.set(name, headers.authorization);
      response.writeHead(headers.authorization === 'Bearer wrong' ? 401 : 200).end('{"node_id": "x"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => server.close());
    admin.nodes.set(name, nodeView(name, { adminPort: (server.address() as AddressInfo).port, ...more }));
    return await admin.layout1(`/v1/dataplanes/${name}/reports/status`);
  };
  t.is((await agent('older', {})).status, 200);
  t.is((await agent('newer', { reportToken: new SecretText('made-up') })).status, 200);
  const rejected = await agent('confused', { reportToken: new SecretText('wrong') });
  t.deepEqual([...shown.values()], [undefined, 'Bearer made-up', 'Bearer wrong']);
  t.is(rejected.status, 502);
  t.regex(await rejected.text(), /status 401/);
  const nodes = await (await admin.layout1('/v1/nodes')).text();
  t.notRegex(nodes, /made-up|reportToken|redacted/);
});

test('a data plane that keeps silent is a 502 in time', async (t) => {
  const admin = await startAdmin(undefined, { agentTimeoutMs: 100 });
  t.teardown(() => admin.close());
  admin.nodes.set('silent', nodeView('silent', { adminPort: await stranger(t, undefined) }));
  const response = await admin.layout1('/v1/dataplanes/silent/summary');
  t.is(response.status, 502);
  t.regex(((await response.json()) as ErrorBody).error.message, /no answer in time/);
  const dump = await admin.layout1('/v1/dataplanes/silent/reports/config-dump');
  t.regex(((await dump.json()) as ErrorBody).error.message, /no answer in time/);
});

/** A server that is no agent: it answers this to everything, or never. */
async function stranger(t: ExecutionContext<TestAdmin>, text: string | undefined): Promise<number> {
  const server = createServer((_, response) => (text === undefined ? undefined : response.end(text)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test('capabilities are true only for what works', async (t) => {
  const admin = t.context;
  const before = await get(admin, '/v1/dashboard/capabilities', schemas.capabilities);
  t.deepEqual(
    Object.entries(before).filter(([, works]) => works),
    [['nodes', true]],
  );
  admin.build(...world);
  admin.nodes.set('n1', nodeView('n1', { adminPort: 8082 }));
  const after = await get(admin, '/v1/dashboard/capabilities', schemas.capabilities);
  t.like(after, { overview: true, gateways: true, routes: true, topology: true, observability: true });
  t.like(after, { writes: false, managedResources: false, aiOverview: false, chatbot: false, metrics: false });
});

test('what is not there yet is a 501 with its own code', async (t) => {
  for (const [method, path] of [
    ['GET', '/v1/ai/overview'],
    ['GET', '/v1/ai/cost'],
    ['PUT', '/v1/chatbot/config'],
    ['POST', '/v1/chatbot/chat'],
    ['GET', '/v1/metrics/config'],
    ['POST', '/v1/metrics/query_range'],
  ] as const) {
    const response = await t.context.layout1(path, { method });
    t.is(response.status, 501, path);
    t.is(((await response.json()) as ErrorBody).error.code, 'not_implemented');
  }
  t.is((await t.context.layout1('/v1/ai/nothing')).status, 404);
});

test('the certificate of an admitted client is verified', async (t) => {
  t.deepEqual(await get(t.context, '/v1/auth/verify', schemas.verified), {
    authenticated: true,
    readOnly: false,
    mode: 'cluster',
    directory: null,
  });
});
