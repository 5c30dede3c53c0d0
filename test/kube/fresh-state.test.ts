import anyTest, { type TestFn } from 'ava';
import { kinds } from '../../src/gateway-api/index.ts';
import { KubeError, type ResourceType } from '../../src/kube/index.ts';
import { borrowApiServer } from '../support/kube-apiserver/borrow.ts';
import { FreshState } from '../support/kube-apiserver/fresh-state.ts';
import type { KubeApiServer } from '../support/kube-apiserver.ts';

// The way in which an API server that a file of tests has used goes to the next one.

const test = anyTest as TestFn<{ api: KubeApiServer; fresh: FreshState }>;

const clusterRoles: ResourceType = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterroles' };
const leases: ResourceType = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases' };
const configMaps: ResourceType = { group: '', version: 'v1', plural: 'configmaps' };
const inDefault = (name: string) => ({ namespace: 'default', name });

test.before(async (t) => {
  const api = await borrowApiServer();
  t.context = { api, fresh: await FreshState.of(api.etcd, api.client) };
});
test.after.always(async (t) => {
  await t.context.api?.stop();
});

test.serial('what was made is gone, at once, and can be made again', async (t) => {
  const { api, fresh } = t.context;
  const made = `
{apiVersion: v1, kind: Namespace, metadata: {name: made, finalizers: [example.com/never]}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: inside, namespace: made}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: held, namespace: default, finalizers: [example.com/never]}}`;
  for (const round of ['first', 'second']) {
    await api.apply(made);
    await fresh.restore();
    t.is(await api.client.find(kinds.Namespace, { name: 'made' }), undefined, round);
    t.is(await api.client.find(configMaps, { namespace: 'made', name: 'inside' }), undefined, round);
    t.is(await api.client.find(configMaps, inDefault('held')), undefined, round);
  }
});

test.serial('what was changed or deleted is as it was, with its uid', async (t) => {
  const { api, fresh } = t.context;
  const [view, edit] = [{ name: 'view' }, { name: 'edit' }];
  const before = [await api.client.get(clusterRoles, view), await api.client.get(clusterRoles, edit)];
  await api.client.delete(clusterRoles, view);
  await api.client.replace(clusterRoles, { ...before[1], metadata: { ...edit, labels: { changed: 'yes' } } } as never);
  await fresh.restore();
  for (const role of before) {
    const now = await api.client.get(clusterRoles, { name: role.metadata.name });
    // A new version is one more change that watches see.
    t.deepEqual({ ...now, metadata: { ...now.metadata, resourceVersion: undefined } }, {
      ...role,
      metadata: { ...role.metadata, resourceVersion: undefined },
    } as never);
  }
});

test.serial('a port that a Service took is free again', async (t) => {
  const { api, fresh } = t.context;
  const service = (name: string) =>
    `{apiVersion: v1, kind: Service, metadata: {name: ${name}, namespace: default}, spec: {type: NodePort, clusterIP: 10.0.77.7, ports: [{port: 80, nodePort: 31777}]}}`;
  await api.apply(service('first'));
  await fresh.restore();
  t.is(await api.client.find(kinds.Service, inDefault('first')), undefined);
  await t.notThrowsAsync(api.apply(service('second')));
  await fresh.restore();
});

test.serial('a definition goes with its objects and its group, and comes back without them', async (t) => {
  const { api, fresh } = t.context;
  const definition = 'gatewayclasses.gateway.networking.k8s.io';
  const objects =
    '{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: left}, spec: {controllerName: example.com/x}}';
  await api.installCrd(definition);
  await api.apply(objects);
  await fresh.restore();
  const error = await t.throwsAsync<KubeError>(api.client.list(kinds.GatewayClass), { instanceOf: KubeError });
  t.is(error?.status, 404);
  await api.installCrd(definition);
  t.deepEqual(await api.client.list(kinds.GatewayClass), []);
  await fresh.restore();
});

test.serial('leases stay, for the server renews its own meanwhile', async (t) => {
  const { api, fresh } = t.context;
  const lease = { namespace: 'kube-system', name: 'of-server' };
  await api.apply(
    '{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: of-server, namespace: kube-system}}',
  );
  await fresh.restore();
  t.not(await api.client.find(leases, lease), undefined);
  await api.client.delete(leases, lease);
});
