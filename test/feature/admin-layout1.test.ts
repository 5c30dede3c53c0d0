import anyTest, { type TestFn } from 'ava';
import type { z } from 'zod';
import type { ErrorBody } from '../../src/admin/index.ts';
import { nodeView, someTime, startAdmin, type TestAdmin } from '../support/admin.ts';
import { testCertificates } from '../support/certificates.ts';
import * as schemas from '../support/layout1-schemas.ts';
import {
  backendTlsPolicy,
  configMap,
  endpointSlice,
  gateway,
  gatewayClass,
  httpRoute,
  l4Route,
  listenerSet,
  ownObject,
  secret,
  service,
  xObject,
} from '../support/objects.ts';

const test = anyTest as TestFn<TestAdmin>;

const [pair] = testCertificates;

/** An edge with HTTP and HTTPS, a Service of two pods of which one is not ready, one good route and one without a home. */
const world = [
  gatewayClass(),
  gateway('edge', [
    {},
    {
      name: 'https',
      port: 443,
      protocol: 'HTTPS',
      hostname: 'a.example.com',
      tls: { mode: 'Terminate', certificateRefs: [{ name: 'cert' }] },
    },
  ]),
  secret('cert', { 'tls.crt': pair.certificate, 'tls.key': pair.key }),
  service('web'),
  endpointSlice('web', ['10.0.0.1']),
  {
    ...endpointSlice('web', [], { suffix: '2' }),
    endpoints: [{ addresses: ['10.0.0.2'], conditions: { ready: false }, zone: 'a', nodeName: 'n1' }],
  },
  httpRoute('web', { hostnames: ['a.example.com'] }),
  httpRoute('lost', { parentRefs: [{ name: 'nowhere' }] }, { namespace: 'other' }),
];

test.beforeEach(async (t) => {
  t.context = await startAdmin();
});
test.afterEach.always((t) => t.context.close());

const buildWorld = (admin: TestAdmin): string => admin.build(...world);

/** A 200 whose body is what the schema says. */
async function get<T extends z.ZodType>(admin: TestAdmin, path: string, schema: T): Promise<z.output<T>> {
  const response = await admin.layout1(path);
  const body = await response.json();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`);
  return schema.parse(body);
}

test('probes: alive from the start, ready when the world has been read', async (t) => {
  const admin = t.context;
  admin.readiness = { ready: false, reason: 'waiting for HTTPRoute' };
  t.is((await admin.layout1('/livez')).status, 200);
  const before = await admin.layout1('/readyz');
  t.is(before.status, 503);
  t.deepEqual(await before.json(), { error: { code: 'not_ready', message: 'waiting for HTTPRoute' } });
  admin.readiness = { ready: true };
  await get(admin, '/readyz', schemas.readyz);
  await get(admin, '/livez', schemas.livez);
  t.pass();
});

test('before the first snapshot the summary says so and the snapshot is a 503', async (t) => {
  const admin = t.context;
  t.like(await get(admin, '/v1/summary', schemas.summary), {
    snapshotVersion: null,
    routeCount: 0,
    warnings: [{ code: 'snapshot_missing' }],
  });
  const response = await admin.layout1('/v1/snapshot');
  t.is(response.status, 503);
  t.like(await response.json(), { error: { code: 'not_ready' } });
  t.is(response.headers.get('x-snapshot-id'), null);
  t.deepEqual(await (await admin.layout1('/v1/nodes')).json(), []);
});

test('the summary counts what is there', async (t) => {
  const admin = t.context;
  const id = buildWorld(admin);
  admin.nodes.set('n1', nodeView('n1', { lastAckVersion: id }));
  admin.nodes.set('n2', nodeView('n2', { connected: false, ready: false, lastAckVersion: 'older' }));
  t.like(await get(admin, '/v1/summary', schemas.summary), {
    snapshotVersion: id,
    generatedAt: someTime.toISOString(),
    gatewayCount: 1,
    listenerCount: 2,
    routeCount: 2,
    httpRouteCount: 2,
    grpcRouteCount: 0,
    backendCount: 1,
    endpointCount: 1,
    healthyEndpointCount: 1,
    secretCount: 1,
    nodeCount: 2,
    connectedNodeCount: 1,
    readyNodeCount: 1,
    currentVersionNodeCount: 1,
    currentVersionReadyCount: 1,
    streamRouteCount: 0,
    driftedNodeCount: 0,
    lostNodeCount: 1,
    notAcceptedRouteCount: 1,
    leader: { identity: 'replica-1', isLeader: true },
    version: '1.2.3',
  });
});

test('a certificate that ends soon is counted and warned of', async (t) => {
  const admin = t.context;
  buildWorld(admin);
  const [listener] = await get(admin, '/v1/listeners?name=https', schemas.listener.array());
  const notAfter = listener?.tls?.certificates[0]?.notAfter ?? '';
  admin.now = new Date(Date.parse(notAfter) - 31 * 86_400_000);
  t.is((await get(admin, '/v1/summary', schemas.summary)).expiringCertificateCount, 0);
  admin.now = new Date(Date.parse(notAfter) - 29 * 86_400_000);
  const late = await get(admin, '/v1/summary', schemas.summary);
  t.is(late.expiringCertificateCount, 1);
  t.true(late.warnings.some(({ code }) => code === 'certificate_expiring'));
});

test('listeners: with their routes, conditions and certificates', async (t) => {
  const admin = t.context;
  buildWorld(admin);
  const listeners = await get(admin, '/v1/listeners', schemas.listener.array());
  t.deepEqual(
    listeners.map(({ name }) => name),
    ['default.edge.http', 'default.edge.https'],
  );
  const [http, https] = listeners;
  t.like(http, {
    section: 'http',
    port: 80,
    protocol: 'HTTP',
    hostname: null,
    tls: null,
    attachedRoutes: 1,
    accepted: true,
  });
  t.deepEqual(http?.routes, [{ kind: 'HTTPRoute', namespace: 'default', name: 'web' }]);
  t.like(https, { hostname: 'a.example.com', resolvedRefs: true, tls: { mode: 'Terminate' } });
  const [certificate] = https?.tls?.certificates ?? [];
  t.like(certificate, { namespace: 'default', name: 'cert', sans: ['a.example.com'] });
  t.regex(certificate?.fingerprint ?? '', /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
});

test('a listener is found by its full name, with slashes, and by its section when that is unique', async (t) => {
  const admin = t.context;
  buildWorld(admin);
  const full = await get(admin, '/v1/listeners/default.edge.https', schemas.listener);
  t.deepEqual(await get(admin, '/v1/listeners/default%2Fedge%2Fhttps', schemas.listener), full);
  t.deepEqual(await get(admin, '/v1/listeners/https', schemas.listener), full);
  admin.build(gateway('second'));
  const ambiguous = await admin.layout1('/v1/listeners/http');
  t.is(ambiguous.status, 409);
  const { error } = (await ambiguous.json()) as ErrorBody;
  t.is(error.code, 'name_ambiguous');
  t.deepEqual(
    error.details?.map(({ path }) => path),
    ['default.edge.http', 'default.second.http'],
  );
  t.is((await admin.layout1('/v1/listeners/nowhere')).status, 404);
});

test('routes: as written, with what our conditions say', async (t) => {
  const admin = t.context;
  buildWorld(admin);
  const routes = await get(admin, '/v1/routes', schemas.route.array());
  t.deepEqual(
    routes.map(({ namespace, name, accepted }) => [namespace, name, accepted]),
    [
      ['default', 'web', true],
      ['other', 'lost', false],
    ],
  );
  t.like(routes[0], {
    kind: 'HTTPRoute',
    hostnames: ['a.example.com'],
    rules: [{ backendRefs: [{ name: 'web', port: 80 }] }],
    parents: [{ parentRef: { name: 'edge' }, controllerName: 'gatewright.dev/gateway-controller' }],
    resolvedRefs: true,
    createdAt: '2026-01-01T00:00:00.000Z',
    generation: 1,
  });
  t.deepEqual(routes[1]?.parents, []);
});

test("another controller's verdict on a route is shown beside ours", async (t) => {
  const admin = t.context;
  buildWorld(admin);
  const condition = { type: 'Accepted', status: 'True', reason: 'Accepted', message: '', observedGeneration: 1 };
  const other = {
    parentRef: { name: 'nowhere' },
    controllerName: 'other.example/controller',
    conditions: [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }],
  };
  const lost = httpRoute('lost', { parentRefs: [{ name: 'nowhere' }] }, { namespace: 'other' });
  admin.build({ ...lost, status: { parents: [other] } } as typeof lost);
  const shown = await get(admin, '/v1/routes/httproute/other/lost', schemas.route);
  t.deepEqual(shown.parents, [{ ...other, conditions: [condition] }] as typeof shown.parents);
  t.true(shown.accepted);
});

test('routes by kind, by Gateway, by host and grouped', async (t) => {
  const admin = t.context;
  buildWorld(admin);
  const names = async (query: string) =>
    (await get(admin, `/v1/routes?${query}`, schemas.route.array())).map(({ name }) => name);
  t.deepEqual(await names('kind=HTTPRoute'), ['web', 'lost']);
  t.deepEqual(await names('kind=GRPCRoute'), []);
  t.deepEqual(await names('gateway=default/edge'), ['web']);
  t.deepEqual(await names('gateway=nowhere'), ['lost']);
  admin.build(
    listenerSet('set', [{}], { namespace: 'team', parent: { name: 'edge', namespace: 'default' } }),
    httpRoute('by-set', { parentRefs: [{ kind: 'ListenerSet', name: 'set' }] }, { namespace: 'team' }),
  );
  t.deepEqual(await names('gateway=default/edge&namespace=team'), ['by-set']);
  t.deepEqual(await names('gateway=team/edge'), []);
  t.deepEqual(await names('hostname=a.example.com'), ['web']);
  t.deepEqual(await names('namespace=other&name=lost'), ['lost']);
  const grouped = await get(admin, '/v1/routes?view=grouped', schemas.groupedRoutes);
  t.is(grouped.http.length, 3);
  t.is((await admin.layout1('/v1/routes?kind=Pod')).status, 400);
  t.is((await admin.layout1('/v1/routes?view=tree')).status, 400);
});

test('one route, by either form of its kind', async (t) => {
  const admin = t.context;
  buildWorld(admin);
  const route = await get(admin, '/v1/routes/httproute/default/web', schemas.route);
  t.deepEqual(await get(admin, '/v1/routes/http/default/web', schemas.route), route);
  const codeOf = async (path: string) => {
    const response = await admin.layout1(path);
    t.is(response.status, 404);
    return ((await response.json()) as ErrorBody).error.code;
  };
  t.is(await codeOf('/v1/routes/httproute/default/nowhere'), 'route_not_found');
  t.is(await codeOf('/v1/routes/grpcroute/default/web'), 'route_not_found');
  t.is(await codeOf('/v1/routes/pod/default/web'), 'route_kind_unknown');
});

/** What Kubernetes says of an endpoint, where no proxy has said anything. */
const verdictOf = (verdict: string) => ({
  source: 'kubernetes',
  verdict,
  detail: null,
  since: null,
  node: null,
  count: null,
});

test('backends: every address, and only those that take requests are healthy', async (t) => {
  const admin = t.context;
  buildWorld(admin);
  const [backend, ...others] = await get(admin, '/v1/backends', schemas.backend.array());
  t.deepEqual(others, []);
  t.like(backend, { name: 'web:80', namespace: 'default', service: 'web', port: 80, protocol: 'http1' });
  t.deepEqual(backend?.endpoints, [
    {
      address: '10.0.0.1:8080',
      healthy: true,
      ready: true,
      serving: true,
      terminating: false,
      zone: null,
      node: null,
      verdicts: [verdictOf('serving')],
    },
    {
      address: '10.0.0.2:8080',
      healthy: false,
      ready: false,
      serving: false,
      terminating: false,
      zone: 'a',
      node: 'n1',
      verdicts: [verdictOf('not_ready')],
    },
  ]);
  t.deepEqual(backend?.referencedBy, [{ kind: 'HTTPRoute', namespace: 'default', name: 'web' }]);
});

test('a backend is found by SERVICE:PORT, and by the Service when it has one port', async (t) => {
  const admin = t.context;
  buildWorld(admin);
  const backend = await get(admin, '/v1/backends/default/web:80', schemas.backend);
  t.deepEqual(await get(admin, '/v1/backends/default/web', schemas.backend), backend);
  admin.build(service('web', [80, 81]), httpRoute('second', { rules: [{ backendRefs: [{ name: 'web', port: 81 }] }] }));
  t.is((await admin.layout1('/v1/backends/default/web')).status, 409);
  t.is((await get(admin, '/v1/backends/default/web:81', schemas.backend)).port, 81);
  t.is((await admin.layout1('/v1/backends/default/nowhere:80')).status, 404);
  t.is((await admin.layout1('/v1/backends/default/web:80:80')).status, 404);
});

test('nodes: who is connected, and what they answered', async (t) => {
  const admin = t.context;
  const id = buildWorld(admin);
  admin.nodes.set('n1', nodeView('n1', { lastAckVersion: id, lastConfigStatus: 'ACK', lastNonce: '7' }));
  admin.nodes.set('n/2', nodeView('n/2', { connected: false, ready: false, disconnectedAt: someTime }));
  const nodes = await get(admin, '/v1/nodes', schemas.node.array());
  t.deepEqual(
    nodes.map(({ nodeId }) => nodeId),
    ['n/2', 'n1'],
  );
  t.like(nodes[1], { name: 'n1', lastConfigStatus: 'ACK', lastNonce: '7', replica: 'replica-1', disconnectedAt: null });
  t.is((await get(admin, '/v1/nodes/n%2F2', schemas.node)).disconnectedAt, someTime.toISOString());
  t.is((await get(admin, '/v1/nodes?connected=false', schemas.node.array())).length, 1);
  t.is((await admin.layout1('/v1/nodes/n3')).status, 404);
});

test('a node id that two Gateways gave out: one of the two, by the query or the one that is connected, never a mix', async (t) => {
  const admin = t.context;
  buildWorld(admin);
  const other = { cluster: 'default/other', gateway: 'default/other' };
  admin.nodes.set('theirs', nodeView('n', { ...other, connected: false }));
  admin.nodes.set('ours', nodeView('n', { peer: '127.0.0.1:1' }));
  t.like(await get(admin, '/v1/nodes/n', schemas.node), { gateway: 'default/edge', connected: true });
  t.like(await get(admin, '/v1/nodes/n?gateway=default/edge', schemas.node), { gateway: 'default/edge' });
  t.like(await get(admin, '/v1/nodes/n?gateway=default/other', schemas.node), { ...other, connected: false });
  const client = await admin.layout2('/api/v1/clients/n?gateway=default/other');
  t.is(client.status, 200);
  t.is((await admin.layout1('/v1/nodes/n?gateway=default/third')).status, 404);
  t.is((await admin.layout1('/v1/nodes/n?strict=true&of=default/other')).status, 400);
  t.like(await get(admin, '/v1/snapshot?format=envoy&node=n&gateway=default/other', schemas.envoySnapshot), {
    gateway: 'default/other',
  });
  const topology = await get(admin, '/v1/topology?type=dataplane', schemas.topology);
  t.deepEqual(topology.nodes.map(({ id }) => id).sort(), ['dataplane/default/edge/n', 'dataplane/n']);
});

test('snapshot-sync says of each node whether it is current, and why not', async (t) => {
  const admin = t.context;
  const id = buildWorld(admin);
  admin.nodes.set('a', nodeView('a', { lastAckVersion: id }));
  admin.nodes.set(
    'b',
    nodeView('b', { lastAckVersion: 'old', lastConfigStatus: 'NACK', lastNackMessage: 'bad regex' }),
  );
  admin.nodes.set(
    'c',
    nodeView('c', { connected: false, ready: false, lastAckVersion: id, disconnectReason: 'reset' }),
  );
  admin.nodes.set('d', nodeView('d', { ready: false }));
  admin.now = new Date(someTime.getTime() + 65_000);
  const sync = await get(admin, '/v1/snapshot-sync', schemas.snapshotSync);
  t.like(sync, { snapshotVersion: id, publishedFor: '1m5s' });
  t.deepEqual(
    sync.nodes.map(({ nodeId, sync, state }) => [nodeId, sync, state]),
    [
      ['a', 'current', 'current-ready'],
      ['b', 'drifted', 'rejected'],
      ['c', 'current', 'disconnected'],
      ['d', 'drifted', 'drifted'],
    ],
  );
  t.like(sync.summary, {
    nodeCount: 4,
    currentVersionNodeCount: 1,
    driftedNodeCount: 2,
    lostNodeCount: 1,
    disconnectedNodeCount: 1,
  });
  t.deepEqual(sync.warnings, [{ code: 'node_rejected', message: 'data plane b rejects its configuration: bad regex' }]);
});

test('the snapshot is the whole IR, with facts of certificates', async (t) => {
  const admin = t.context;
  const id = buildWorld(admin);
  const snapshot = await get(admin, '/v1/snapshot', schemas.snapshot);
  t.is(snapshot.id, id);
  t.deepEqual(
    snapshot.listeners.map(({ gateway, key }) => [gateway, key]),
    [
      ['default/edge', 'http/80'],
      ['default/edge', 'https/443'],
    ],
  );
  t.true(
    snapshot.routes.some((route) => route.host === 'a.example.com' && route.id.startsWith('httproute/default/web/')),
  );
  t.deepEqual(Object.keys(snapshot.endpoints), ['default/web/80']);
  t.like(snapshot.secrets[0], { key: 'default/cert', sans: ['a.example.com'] });
});

test('routes of every kind are listed, found and shown with where their connections go', async (t) => {
  const admin = t.context;
  admin.build(
    gatewayClass(),
    gateway('edge', [
      { name: 'tcp', port: 9000, protocol: 'TCP' },
      { name: 'tls', port: 443, protocol: 'TLS', tls: { mode: 'Passthrough' } },
      { name: 'dns', port: 53, protocol: 'UDP' },
    ]),
    service('web', [80, { port: 80, name: 'dns', protocol: 'UDP' } as never]),
    l4Route('TCPRoute', 'same'),
    l4Route('TLSRoute', 'same', { hostnames: ['a.example.com'] }),
    l4Route('UDPRoute', 'same'),
  );
  const counts = { routeCount: 3, httpRouteCount: 0, tcpRouteCount: 1, udpRouteCount: 1, tlsRouteCount: 1 };
  t.like(await get(admin, '/v1/summary', schemas.summary), { ...counts, notAcceptedRouteCount: 0, backendCount: 2 });
  const listed = await get(admin, '/v1/routes?hostname=a.example.com', schemas.route.array());
  t.deepEqual(
    listed.map(({ kind, name, accepted }) => [kind, name, accepted]),
    [['TLSRoute', 'same', true]],
  );
  t.deepEqual((await get(admin, '/v1/routes/udp/default/same', schemas.route)).hostnames, []);
  const { tcp, udp, tls } = await get(admin, '/v1/routes?view=grouped', schemas.groupedRoutes);
  t.deepEqual([tcp.length, udp.length, tls.length], [1, 1, 1]);
  const listeners = await get(admin, '/v1/listeners', schemas.listener.array());
  t.deepEqual(Object.fromEntries(listeners.map(({ section, routes }) => [section, routes.map(({ kind }) => kind)])), {
    dns: ['UDPRoute'],
    tcp: ['TCPRoute'],
    tls: ['TLSRoute'],
  });
  const { streams } = await get(admin, '/v1/snapshot', schemas.snapshot);
  t.deepEqual(
    streams.map(({ table, host, shares }) => [table, host, shares.map(({ backend }) => backend)]),
    [
      ['tcp/9000/tcp', '*', ['default/web/80/plain']],
      ['tls/443/tls', '*', []],
      ['tls/443/tls', 'a.example.com', ['default/web/80/plain']],
      ['udp/53/dns', '*', ['default/web/80/udp']],
    ],
  );
  const backends = await get(admin, '/v1/backends', schemas.backend.array());
  t.deepEqual(
    backends.map(({ name, protocol }) => [name, protocol]),
    [
      ['web:80', 'tcp'],
      ['web:80', 'udp'],
    ],
  );
});

test('no private key and no certificate text comes out anywhere', async (t) => {
  const admin = t.context;
  buildWorld(admin);
  admin.nodes.set('n1', nodeView('n1'));
  const planted = [pair.key, pair.certificate].flatMap((pem) => {
    const body = pem.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));
    return [...body, Buffer.from(pem).toString('base64').slice(20, 60)];
  });
  const layout1 = ['summary', 'snapshot', 'snapshot-sync', 'listeners', 'routes', 'backends', 'nodes'].map(
    (name) => `/v1/${name}`,
  );
  const layout2 = [
    'config/snapshot',
    'config/snapshot/version',
    'gateways',
    'routes',
    'backends',
    'clients',
    'metrics',
  ];
  const texts = await Promise.all([
    ...layout1.map(async (path) => (await admin.layout1(path)).text()),
    ...layout2.map(async (path) => (await admin.layout2(`/api/v1/${path}`)).text()),
  ]);
  for (const secret of planted) t.false([...texts, ...admin.logLines].some((text) => text.includes(secret)));
});

test('the snapshot has the policies that rule its backends, and of TLS what may be shown', async (t) => {
  const admin = t.context;
  buildWorld(admin);
  const targetRefs = [{ group: '', kind: 'Service', name: 'web' }] as never;
  admin.build(
    configMap('ca', { 'ca.crt': pair.certificate }),
    backendTlsPolicy('tls', {
      targetRefs,
      validation: {
        hostname: 'web.internal',
        caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'ca' }],
      } as never,
    }),
    backendTlsPolicy('elsewhere', {
      targetRefs: [{ group: '', kind: 'Service', name: 'missing' }] as never,
      validation: { hostname: 'other', wellKnownCACertificates: 'System' } as never,
    }),
    xObject('XBackendTrafficPolicy', 'retries', {
      targetRefs,
      retryConstraint: { budget: { percent: 30, interval: '5s' } },
    }),
  );
  const { policies, backends } = await get(admin, '/v1/snapshot', schemas.snapshot);
  t.deepEqual(
    policies.map(({ kind, name, gateways, accepted }) => [kind, name, gateways, accepted]),
    [
      ['BackendTLSPolicy', 'tls', ['default/edge'], true],
      ['XBackendTrafficPolicy', 'retries', ['default/edge'], true],
    ],
  );
  const tagOf = async () => (await admin.layout1('/v1/snapshot')).headers.get('etag') ?? '';
  const tag = await tagOf();
  t.is(await tagOf(), tag);
  const loser = xObject('XBackendTrafficPolicy', 'retries-too', {
    targetRefs,
    retryConstraint: { budget: { percent: 20, interval: '5s' } },
  });
  const { id } = await get(admin, '/v1/snapshot', schemas.snapshot);
  admin.build(loser);
  const after = await get(admin, '/v1/snapshot', schemas.snapshot);
  t.is(after.id, id, 'nothing is another for proxies');
  t.like(after.policies.at(-1), { name: 'retries-too', accepted: false });
  t.is((await admin.layout1('/v1/snapshot', { headers: { 'If-None-Match': tag } })).status, 200);
  t.like(backends[0], {
    tls: { serverName: 'web.internal', authorities: 'configured' },
    retryBudget: { percent: 30, intervalMs: 5000, minPerSecond: 10 },
  });
  t.deepEqual((await get(admin, '/v1/backends', schemas.backend.array()))[0]?.loadBalancing, {
    policy: 'round_robin',
    prefersZone: false,
  });
});

test('a backend says how its endpoints are chosen', async (t) => {
  const admin = t.context;
  const policies = {
    plain: undefined,
    turns: { type: 'RoundRobin' },
    idle: { type: 'LeastRequest' },
    any: { type: 'Random' },
    sticky: { type: 'ConsistentHash', consistentHash: { type: 'SourceIP' } },
  };
  const names = Object.keys(policies);
  admin.build(
    gatewayClass(),
    gateway('edge'),
    httpRoute('all', { rules: [{ backendRefs: names.map((name) => ({ name, port: 80 })) }] }),
    ...names.map((name) => service(name)),
    ...Object.entries(policies).map(([name, loadBalancer]) =>
      ownObject('BackendPolicy', name, {
        targetRefs: [{ group: '', kind: 'Service', name }],
        ...(loadBalancer && { loadBalancer }),
      }),
    ),
  );
  const backends = await get(admin, '/v1/backends', schemas.backend.array());
  t.deepEqual(Object.fromEntries(backends.map(({ service: name, loadBalancing: { policy } }) => [name, policy])), {
    plain: 'round_robin',
    turns: 'round_robin',
    idle: 'least_request',
    any: 'random',
    sticky: 'hash',
  });
});
