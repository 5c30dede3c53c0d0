import anyTest, { type TestFn } from 'ava';
import type { z } from 'zod';
import type { ErrorBody } from '../../src/admin/index.ts';
import * as schemas from '../../src/admin/layout2/schemas.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import { nodeView, someTime, startAdmin, type TestAdmin } from '../support/admin.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, service } from '../support/objects.ts';

const test = anyTest as TestFn<TestAdmin>;

test.beforeEach(async (t) => {
  t.context = await startAdmin();
});
test.afterEach.always((t) => t.context.close());

const buildWorld = (admin: TestAdmin): string =>
  admin.build(
    gatewayClass(),
    gatewayClass('others', 'other.example/controller'),
    gateway('edge'),
    { ...gateway('foreign'), spec: { ...gateway('foreign').spec, gatewayClassName: 'others' } },
    service('web'),
    endpointSlice('web', ['10.0.0.1']),
    httpRoute('web', { hostnames: ['a.example.com'] }),
  );

/** A 200 whose body is what the schema says. */
async function get<T extends z.ZodType>(admin: TestAdmin, path: string, schema: T): Promise<z.output<T>> {
  const response = await admin.layout2(path);
  const body = await response.json();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`);
  return schema.parse(body);
}

test('probes answer in plain text, ready only when the world has been read', async (t) => {
  const admin = t.context;
  admin.readiness = { ready: false, reason: 'waiting for HTTPRoute' };
  const healthz = await admin.layout2('/healthz');
  t.is(healthz.status, 200);
  t.is(await healthz.text(), 'ok');
  const before = await admin.layout2('/readyz');
  t.is(before.status, 503);
  t.is(await before.text(), 'not ready: waiting for HTTPRoute');
  admin.readiness = { ready: true };
  const after = await admin.layout2('/readyz');
  t.is(after.status, 200);
  t.is(await after.text(), 'ready');
  t.regex(after.headers.get('content-type') ?? '', /^text\/plain/);
});

test('the snapshot version counts, and only connected clients', async (t) => {
  const admin = t.context;
  t.is((await admin.layout2('/api/v1/config/snapshot/version')).status, 503);
  const id = buildWorld(admin);
  admin.nodes.set('n1', nodeView('n1'));
  admin.nodes.set('n2', nodeView('n2', { connected: false, ready: false }));
  t.deepEqual(await get(admin, '/api/v1/config/snapshot/version', schemas.snapshotVersion), {
    id,
    generated_at: someTime.toISOString(),
    gateways: 1,
    routes: 1,
    backends: 1,
    clients_connected: 1,
  });
});

test('the snapshot is that of Layout 1 in snake_case', async (t) => {
  const admin = t.context;
  const id = buildWorld(admin);
  const snapshot = await get(admin, '/api/v1/config/snapshot', schemas.snapshot);
  t.is(snapshot.id, id);
  t.deepEqual(Object.keys(snapshot.endpoints), ['default/web/80']);
  t.true(snapshot.routes.some(({ host }) => host === 'a.example.com'));
});

test('clients: as the contract has them', async (t) => {
  const admin = t.context;
  buildWorld(admin);
  const subscriptions = [
    typeUrls.cluster,
    typeUrls.scopedRoute,
    typeUrls.route,
    typeUrls.extension,
    typeUrls.snapshot,
    'type.googleapis.com/some.Other',
  ];
  admin.nodes.set('n1', nodeView('n1', { subscriptions }));
  admin.nodes.set('n2', nodeView('n2', { lastConfigVersion: 'v', lastNonce: '3', lastConfigStatus: 'NACK' }));
  const [first, second] = await get(admin, '/api/v1/clients', schemas.client.array());
  t.like(first, {
    node_id: 'n1',
    connected_since: someTime.toISOString(),
    last_config_version: '',
    last_config_status: null,
  });
  t.deepEqual(first?.subscriptions, [
    'backends',
    'http_routes',
    'listeners',
    'snapshot',
    'type.googleapis.com/some.Other',
  ]);
  t.like(second, { last_config_version: 'v', last_config_nonce: '3', last_config_status: 'NACK' });
  t.deepEqual(await get(admin, '/api/v1/clients/n2', schemas.client), second as NonNullable<typeof second>);
  const missing = await admin.layout2('/api/v1/clients/n3');
  t.is(missing.status, 404);
  t.is(((await missing.json()) as ErrorBody).error.code, 'node_not_found');
});

test('gateways: those of our classes, with who serves them', async (t) => {
  const admin = t.context;
  buildWorld(admin);
  admin.nodes.set('n1', nodeView('n1'));
  const [edge, ...others] = await get(admin, '/api/v1/gateways', schemas.gateway.array());
  t.deepEqual(others, []);
  t.like(edge, { namespace: 'default', name: 'edge', gateway_class: 'gatewright', clients: ['n1'] });
  t.like(edge?.listeners[0], { name: 'http', port: 80, attached_routes: 1, hostname: null });
  t.deepEqual(await get(admin, '/api/v1/gateways/default/edge', schemas.gateway), edge as NonNullable<typeof edge>);
  t.is((await admin.layout2('/api/v1/gateways/default/foreign')).status, 404);
});

test('routes and backends', async (t) => {
  const admin = t.context;
  buildWorld(admin);
  const [route] = await get(admin, '/api/v1/routes?sort=created_at', schemas.route.array());
  t.like(route, { kind: 'HTTPRoute', name: 'web', rules: [{ backend_refs: [{ name: 'web', port: 80 }] }] });
  t.deepEqual(await get(admin, '/api/v1/routes/default/web', schemas.route), route as NonNullable<typeof route>);
  t.is((await admin.layout2('/api/v1/routes/default/web?kind=HTTPRoute')).status, 200);
  t.is((await admin.layout2('/api/v1/routes/default/web?kind=TCPRoute')).status, 404);
  t.is((await admin.layout2('/api/v1/routes/default/web?kind=Pod')).status, 400);
  const backend = {
    name: 'web:80',
    namespace: 'default',
    endpoints: [{ address: '10.0.0.1:8080', healthy: true, zone: '' }],
  };
  t.deepEqual(await get(admin, '/api/v1/backends', schemas.backend.array()), [backend]);
  t.deepEqual(await get(admin, '/api/v1/backends/default/web', schemas.backend), backend);
});

test('metrics are the same on both ports that show them', async (t) => {
  const admin = t.context;
  admin.metrics.builds.failed(0.1);
  admin.metrics.xds.nodeReady({ nodeId: 'n1', gateway: 'infra/edge' }, true);
  for (const response of [await admin.layout2('/api/v1/metrics'), await admin.metricsPort('/metrics')]) {
    t.is(response.status, 200);
    t.regex(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    const text = await response.text();
    t.regex(text, /^gatewright_gateway_snapshot_last_build_success 0$/m);
    t.regex(text, /^gatewright_gateway_snapshot_build_failures_total 1$/m);
    t.regex(text, /^gatewright_gateway_dataplane_ready\{node_id="n1",gateway="infra\/edge"\} 1$/m);
  }
  t.is((await admin.metricsPort('/')).status, 404);
});
