import anyTest, { type TestFn } from 'ava';
import { ClusterResourceStore } from '../../src/admin/index.ts';
import { KubeClient } from '../../src/kube/index.ts';
import { startAdmin, type TestAdmin } from '../support/admin.ts';
import { borrowApiServer } from '../support/kube-apiserver/borrow.ts';
import type { KubeApiServer } from '../support/kube-apiserver.ts';

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at any answer
  readonly body: any;
}

type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;

interface World {
  api: KubeApiServer;
  admin: TestAdmin;
  reader: TestAdmin;
  nowhere: TestAdmin;
  clients: KubeClient[];
  send: Send;
}

const test = anyTest as TestFn<World>;

const sendTo =
  (admin: TestAdmin): Send =>
  async (method, path, body) => {
    const response = await admin.layout1(`/v1/resources${path}`, {
      method,
      ...(body !== undefined && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };

/** May look at routes and do nothing else. */
const readerRights = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
rules: [{apiGroups: [gateway.networking.k8s.io], resources: [httproutes], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: reader}]
`;

const definitions = ['gatewayclasses', 'gateways', 'httproutes'].map((plural) => `${plural}.gateway.networking.k8s.io`);

test.before(async (t) => {
  const api = await borrowApiServer({ users: ['reader'] });
  t.context.api = api;
  for (const name of definitions) await api.installCrd(name);
  await api.apply(readerRights);
  const clients = [
    api.client,
    new KubeClient(api.kubeConfigOf('reader')),
    // Port 1 is always free.
    new KubeClient(api.kubeConfigOf('admin', 'https://127.0.0.1:1')),
  ] as const;
  t.context.clients = clients.slice(1);
  const [admin, reader, nowhere] = await Promise.all(
    clients.map((client) => startAdmin(undefined, { resources: new ClusterResourceStore(client) })),
  );
  Object.assign(t.context, { admin, reader, nowhere, send: sendTo(admin as TestAdmin) });
});

test.after.always(async (t) => {
  const { admin, reader, nowhere, clients = [], api } = t.context;
  await Promise.all([admin, reader, nowhere].map((one) => one?.close()));
  for (const client of clients) client.close();
  await api?.stop();
});

const routeBody = (name: string, hostname = 'shop.example') => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name, namespace: 'default' },
  spec: { parentRefs: [{ name: 'web' }], hostnames: [hostname] },
});

test('an object is created, updated, replaced and deleted in the cluster', async (t) => {
  const { api, send } = t.context;
  const created = await send('POST', '', { ...routeBody('crud'), status: { parents: [] } });
  t.is(created.status, 201, JSON.stringify(created.body));
  t.like(created.body, { kind: 'HTTPRoute', namespace: 'default', name: 'crud', generation: 1, managed: true });
  t.is(created.body.resource.metadata.managedFields, undefined);
  const same = await send('POST', '', routeBody('crud'));
  t.is(same.status, 200);
  t.is(same.body.resource.metadata.resourceVersion, created.body.resource.metadata.resourceVersion);
  const updated = await send('POST', '', routeBody('crud', 'new.example'));
  t.is(updated.status, 200);
  t.is(updated.body.generation, 2);

  const stale = await send('PUT', '/httproutes/default/crud', created.body.resource);
  t.is(stale.status, 409);
  t.is(stale.body.error.code, 'resource_conflict');
  const current = (await send('GET', '/httproute/default/crud')).body.resource;
  const replaced = await send('PUT', '/httproute/default/crud', { ...current, spec: { hostnames: ['put.example'] } });
  t.is(replaced.status, 200);
  t.is(replaced.body.resource.spec.parentRefs, undefined);
  // Without a version it is the last word.
  t.is((await send('PUT', '/httproute/default/crud', routeBody('crud'))).status, 200);

  const type = { group: 'gateway.networking.k8s.io', version: 'v1', plural: 'httproutes' };
  const ref = { namespace: 'default', name: 'crud' };
  t.like(await api.client.get(type, ref), { spec: { hostnames: ['shop.example'] } });
  const deleted = await send('DELETE', '/httproute/default/crud');
  t.is(deleted.status, 200);
  t.is(deleted.body.name, 'crud');
  t.is(await api.client.find(type, ref), undefined);
  for (const [method, body] of [['GET'], ['DELETE'], ['PUT', routeBody('crud')]] as const)
    t.is((await send(method, '/httproute/default/crud', body)).body.error.code, 'resource_not_found');
});

test('a dry run is the API server’s, and changes nothing', async (t) => {
  const { send } = t.context;
  const dry = await send('POST', '?dryRun=true', routeBody('dry'));
  t.is(dry.status, 200, JSON.stringify(dry.body));
  t.like(dry.body, { dryRun: true, operation: 'created', name: 'dry' });
  t.is((await send('GET', '/httproute/default/dry')).status, 404);
  await send('POST', '', routeBody('dry'));
  const changed = await send('POST', '?dryRun=true', routeBody('dry', 'other.example'));
  t.is(changed.body.operation, 'updated');
  t.deepEqual(changed.body.changes, [{ path: 'spec.hostnames[0]', before: 'shop.example', after: 'other.example' }]);
  t.is((await send('PUT', '/httproute/default/dry?dryRun=true', routeBody('dry'))).body.operation, 'unchanged');
  t.is((await send('DELETE', '/httproute/default/dry?dryRun=true')).body.operation, 'deleted');
  const kept = (await send('GET', '/httproute/default/dry')).body;
  t.deepEqual(kept.resource.spec.hostnames, ['shop.example']);
});

test('fields of another manager are a conflict that names it, unless forced', async (t) => {
  const { api, send } = t.context;
  const type = { group: 'gateway.networking.k8s.io', version: 'v1', plural: 'httproutes' };
  await api.client.apply(type, routeBody('owned') as never, { fieldManager: 'kubectl' });
  t.false((await send('GET', '/httproute/default/owned')).body.managed);
  const conflict = await send('POST', '', routeBody('owned', 'mine.example'));
  t.is(conflict.status, 409);
  t.is(conflict.body.error.code, 'field_conflict');
  t.is(conflict.body.error.details[0].path, 'spec.hostnames');
  t.regex(conflict.body.error.details[0].message, /kubectl/);
  const forced = await send('POST', '?force=true', routeBody('owned', 'mine.example'));
  t.is(forced.status, 200);
  t.true(forced.body.managed);
});

test('what schema and rules reject comes with every cause', async (t) => {
  const { send } = t.context;
  const schema = await send('POST', '', {
    ...routeBody('bad'),
    spec: { hostnames: ['not a name'], parentRefs: [{ name: 'web', port: 99_999 }] },
  });
  t.is(schema.status, 422);
  t.is(schema.body.error.code, 'resource_invalid');
  const paths = schema.body.error.details.map(({ path }: { path: string }) => path).sort();
  t.deepEqual(paths, ['spec.hostnames[0]', 'spec.parentRefs[0].port']);
  const redirect = { type: 'RequestRedirect', requestRedirect: { statusCode: 301 } };
  const rule = await send('POST', '', { ...routeBody('bad'), spec: { rules: [{ filters: [redirect, redirect] }] } });
  t.is(rule.status, 422);
  t.regex(JSON.stringify(rule.body.error.details), /RequestRedirect/);
  for (const [method, path] of [
    ['POST', ''],
    ['PUT', '/httproute/default/strict'],
  ] as const) {
    if (method === 'PUT') await send('POST', '', routeBody('strict'));
    const unknown = await send(method, path, { ...routeBody('strict'), spec: { ruls: [] } });
    t.is(unknown.status, 422, JSON.stringify(unknown.body));
    t.is(unknown.body.error.details[0].path, 'spec.ruls', JSON.stringify(unknown.body));
  }
  const version = await send('POST', '', { ...routeBody('x'), apiVersion: 'gateway.networking.k8s.io/v7' });
  t.is(version.body.error.code, 'kind_unavailable');
});

test('a kind that is not installed, a namespace that is not there', async (t) => {
  const { send } = t.context;
  const grpc = { ...routeBody('x'), kind: 'GRPCRoute' };
  const missing = await send('POST', '', grpc);
  t.is(missing.status, 501);
  t.is(missing.body.error.code, 'kind_unavailable');
  t.is((await send('GET', '/grpcroute/default/x')).status, 501);
  t.deepEqual((await send('GET', '?kind=grpcroute')).body, []);
  const nowhere = await send('POST', '', { ...routeBody('x'), metadata: { name: 'x', namespace: 'nowhere' } });
  t.is(nowhere.status, 404);
  t.is(nowhere.body.error.code, 'namespace_not_found');
});

test('what is being deleted already is a conflict', async (t) => {
  const { send } = t.context;
  const body = routeBody('held');
  await send('POST', '', { ...body, metadata: { ...body.metadata, finalizers: ['example.com/hold'] } });
  t.is((await send('DELETE', '/httproute/default/held')).status, 200);
  const again = await send('DELETE', '/httproute/default/held');
  t.is(again.status, 409);
  t.is(again.body.error.code, 'resource_conflict');
});

test('lists have every kind, filtered where the cluster can', async (t) => {
  const { send } = t.context;
  await send('POST', '', {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'GatewayClass',
    metadata: { name: 'listed' },
    spec: { controllerName: 'example.com/x' },
  });
  await send('POST', '', routeBody('listed'));
  const named = await send('GET', '?name=listed');
  t.deepEqual(
    named.body.map(({ kind, namespace }: { kind: string; namespace: string }) => [kind, namespace]),
    [
      ['GatewayClass', '_cluster'],
      ['HTTPRoute', 'default'],
    ],
  );
  t.is((await send('GET', '?name=listed&namespace=default')).body.length, 1);
  t.is((await send('GET', '?kind=gc&namespace=_cluster&name=listed')).body.length, 1);
  t.deepEqual((await send('GET', '?name=a%2Cb')).body, []);
});

test('rights that the control plane does not have are a 403 that names them', async (t) => {
  const send = sendTo(t.context.reader);
  const rejected = await send('POST', '', routeBody('rejected'));
  t.is(rejected.status, 403);
  t.is(rejected.body.error.code, 'cluster_forbidden');
  t.regex(rejected.body.error.message, /cannot patch resource "httproutes"/);
  t.is((await send('GET', '?kind=httproute')).status, 200);
  t.is((await send('GET', '?kind=gateway')).status, 403);
});

test('a cluster that cannot be reached is a 503', async (t) => {
  const { status, body } = await sendTo(t.context.nowhere)('POST', '', routeBody('x'));
  t.is(status, 503);
  t.is(body.error.code, 'cluster_unavailable');
});
