import anyTest, { type TestFn } from 'ava';
import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { KubeClient, KubeError, loadKubeConfig } from '../../src/kube/index.ts';
import { borrowApiServer } from '../support/kube-apiserver/borrow.ts';
import type { KubeApiServer } from '../support/kube-apiserver.ts';

const test = anyTest as TestFn<{ api: KubeApiServer; client: KubeClient }>;

test.before(async (t) => {
  t.context.api = await borrowApiServer({ crds: 'standard' });
  t.context.client = new KubeClient(loadKubeConfig({ kubeconfig: t.context.api.kubeconfig }).kubeConfig);
});
test.after.always(async (t) => {
  t.context.client?.close();
  await t.context.api?.stop();
});

const gatewayClass = (name: string): KubernetesObject => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'GatewayClass',
  metadata: { name },
  spec: { controllerName: 'example.com/x' },
});

test('create, get, list, replace, delete', async (t) => {
  const { client } = t.context;
  const created = await client.create(kinds.GatewayClass, gatewayClass('crud'));
  t.like(await client.get(kinds.GatewayClass, { name: 'crud' }), { metadata: { uid: created.metadata.uid } });
  t.true((await client.list(kinds.GatewayClass)).some((item) => item.metadata.name === 'crud'));
  const replaced = await client.replace(kinds.GatewayClass, {
    ...created,
    metadata: { ...created.metadata, labels: { a: 'b' } },
  });
  t.deepEqual(replaced.metadata.labels, { a: 'b' });
  t.like(await t.throwsAsync(client.replace(kinds.GatewayClass, created)), {
    code: 'conflict',
    status: 409,
    reason: 'Conflict',
  });
  t.like(await t.throwsAsync(client.create(kinds.GatewayClass, gatewayClass('crud'))), {
    code: 'already-exists',
    reason: 'AlreadyExists',
  });
  t.like(await t.throwsAsync(client.delete(kinds.GatewayClass, { name: 'crud' }, { uid: 'another' })), {
    code: 'conflict',
  });
  await client.delete(kinds.GatewayClass, { name: 'crud' }, { uid: created.metadata.uid });
  t.is(await client.find(kinds.GatewayClass, { name: 'crud' }), undefined);
});

test('a list longer than a page', async (t) => {
  const { client } = t.context;
  for (let index = 0; index < 7; index += 1)
    await client.create(kinds.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `page-${index}` } });
  const names = (await client.list(kinds.Namespace, { limit: 3 })).map((item) => item.metadata.name);
  t.is(names.filter((name) => name.startsWith('page-')).length, 7);
  t.is((await client.listPage(kinds.Namespace, { limit: 3 })).items.length, 3);
});

test('apply makes it so, twice the same', async (t) => {
  const { client } = t.context;
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'applied', namespace: 'default' },
    spec: { ports: [{ port: 80 }] },
  };
  const first = await client.apply(kinds.Service, service);
  const second = await client.apply(kinds.Service, service);
  t.is(first.metadata.resourceVersion, second.metadata.resourceVersion);
  t.like(first, { spec: { ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }] } });
});

test('a status is written for one version only', async (t) => {
  const { client } = t.context;
  const created = await client.create(kinds.GatewayClass, gatewayClass('status'));
  const condition = {
    type: 'Accepted',
    status: 'True',
    reason: 'Accepted',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const patch = { resourceVersion: String(created.metadata.resourceVersion), status: { conditions: [condition] } };
  const patched = await client.patchStatus(kinds.GatewayClass, { name: 'status' }, patch);
  t.like(patched, { status: { conditions: [condition] } });
  t.like(await t.throwsAsync(client.patchStatus(kinds.GatewayClass, { name: 'status' }, { ...patch, status: {} })), {
    code: 'conflict',
  });
});

test('what the API server rejects says why', async (t) => {
  const { client } = t.context;
  const error = await t.throwsAsync(
    client.create(kinds.GatewayClass, { ...gatewayClass('bad'), spec: { controllerName: 'x' } }),
    {
      instanceOf: KubeError,
    },
  );
  t.like(error, { code: 'invalid', status: 422, reason: 'Invalid' });
  t.regex(String(error?.message), /spec\.controllerName/);
});

test('the version of the API server', async (t) => {
  t.regex(await t.context.client.version(), /^v1\.\d+/);
});
