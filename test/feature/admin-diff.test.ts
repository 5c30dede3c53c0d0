import test, { type ExecutionContext } from 'ava';
import type { z } from 'zod';
import { diff } from '../../src/admin/diff/record.ts';
import { DirectoryResourceStore } from '../../src/admin/index.ts';
import { SecretText } from '../../src/config/index.ts';
import { startAdmin, type TestAdmin } from '../support/admin.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, secret, service } from '../support/objects.ts';
import { DirectoryHarness, validator } from '../unit/sources/directory-harness.ts';

type Answer = z.infer<typeof diff>;

/** A graph with one route, and a directory that has the same route. */
async function startWorld(t: ExecutionContext): Promise<TestAdmin> {
  const route = httpRoute('web', { hostnames: ['a.test'] });
  const harness = await DirectoryHarness.create({ 'web.yaml': JSON.stringify(route) });
  t.teardown(() => harness[Symbol.asyncDispose]());
  await harness.start();
  const store = new DirectoryResourceStore({ source: { live: harness.live() }, validator: await validator });
  const admin = await startAdmin(
    { bearerToken: new SecretText('full'), readOnlyBearerToken: new SecretText('reader'), protect: [] },
    { resources: store },
  );
  t.teardown(() => admin.close());
  admin.build(
    gatewayClass(),
    gateway('edge'),
    service('web'),
    endpointSlice('web', ['10.0.0.1']),
    secret('cert', { 'tls.key': 'old' }),
    route,
  );
  return admin;
}

async function ask(
  admin: TestAdmin,
  items: readonly object[],
  token = 'reader',
): Promise<{ status: number; text: string }> {
  const response = await admin.layout1('/v1/diff', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  });
  return { status: response.status, text: await response.text() };
}

async function compared(t: ExecutionContext, admin: TestAdmin, ...items: readonly object[]): Promise<Answer> {
  const { status, text } = await ask(admin, items);
  t.is(status, 200, text);
  return diff.parse(JSON.parse(text));
}

const route = (name: string, hostname: string, service_ = 'web') => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name, namespace: 'default' },
  spec: {
    parentRefs: [{ name: 'edge' }],
    hostnames: [hostname],
    rules: [{ backendRefs: [{ name: service_, port: 80 }] }],
  },
});

test('what is there already changes nothing', async (t) => {
  const admin = await startWorld(t);
  const same = await compared(t, admin, route('web', 'a.test'), service('web'));
  t.deepEqual(
    same.resources.map(({ kind, operation }) => [kind, operation]),
    [
      ['HTTPRoute', 'unchanged'],
      ['Service', 'unchanged'],
    ],
  );
  t.deepEqual([same.statuses, same.ir, same.envoy, same.skipped], [[], [], [], []]);
});

test('objects of one request are tried together, and statuses show the effect', async (t) => {
  const admin = await startWorld(t);
  const before = admin.graph.snapshot();
  const both = await compared(t, admin, route('new', 'b.test', 'other'), service('other'));
  t.deepEqual(
    both.resources.map(({ operation }) => operation),
    ['created', 'created'],
  );
  const status = both.statuses.find(({ kind }) => kind === 'HTTPRoute');
  t.is(status?.before, null);
  t.regex(JSON.stringify(status?.after), /"type":"ResolvedRefs","status":"True"/);
  t.deepEqual(both.envoy.map(({ operation, typeUrl, name }) => [operation, typeUrl.split('.').at(-1), name]).sort(), [
    ['created', 'Cluster', 'default/other/80'],
    ['created', 'ClusterLoadAssignment', 'default/other/80'],
    ['created', 'ScopedRouteConfiguration', 'http/80|b.test'],
  ]);
  t.deepEqual(both.ir.map(({ gateway: of, kind, name, before }) => [of, kind, name, before]).sort(), [
    ['default/edge', 'backend', 'default/other/80', null],
    ['default/edge', 'endpoints', 'default/other/80', null],
    ['default/edge', 'route', 'http/80 b.test', null],
  ]);
  const alone = await compared(t, admin, route('new', 'b.test', 'other'));
  t.regex(JSON.stringify(alone.statuses), /BackendNotFound/);
  t.is(admin.graph.snapshot(), before);
});

test('of a Secret only the fact of a change is shown, and nothing of its content', async (t) => {
  const admin = await startWorld(t);
  const changed = await compared(t, admin, secret('cert', { 'tls.key': 'hush-hush' }));
  t.like(changed.resources[0], { operation: 'updated', before: { data: { 'tls.key': '[redacted]' } } });
  t.false(JSON.stringify(changed).includes(Buffer.from('hush-hush').toString('base64')));
  t.false(JSON.stringify(changed).includes('hush-hush'));
});

test('kinds that are not read are skipped, and invalid objects are rejected with the place', async (t) => {
  const admin = await startWorld(t);
  const { skipped } = await compared(t, admin, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
  });
  t.deepEqual(skipped, [
    { kind: 'Deployment', namespace: '', name: 'web', reason: 'objects of this kind are not read' },
  ]);
  const wrong = await ask(admin, [{ ...route('web', 'a.test'), spec: { hostname: 'a.test' } }]);
  t.is(wrong.status, 422, wrong.text);
  t.regex(wrong.text, /spec\.hostname/);
  const noList = await ask(admin, [{ kind: 'HTTPRoute' }]);
  t.is(noList.status, 400);
  t.regex(noList.text, /items\.0/);
});
