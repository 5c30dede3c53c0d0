import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { parse } from 'yaml';
import { freePort } from '../../scripts/free-port.ts';
import { root } from '../../scripts/paths.mjs';
import { TokenSecret } from '../../src/admin/index.ts';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { KubeClient } from '../../src/kube/index.ts';
import type { KubeApiServer } from '../support/kube-apiserver.ts';
import {
  bearer,
  type ShippedOperator,
  shippedUser,
  startShippedApi,
  startShippedOperator,
  systemNamespace,
  tokenOf,
} from '../support/shipped-operator.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until, untilFits } from '../support/until.ts';

// Strangers and tenants at the admin API of a cluster, with the configuration and the rights of the manifests.

interface World {
  api: KubeApiServer;
  /** As shipped. */
  shipped: ShippedOperator;
  /** With tokens of the cluster, and the right to write: what can be taken by it must be the person's own. */
  open: ShippedOperator;
  /** The same, whatever it answers. */
  openOnce: ShippedOperator;
}

const test = anyTest as TestFn<World>;
const patient = 600_000;
const secretName = 'gatewright-admin-token';
const secrets = { group: '', version: 'v1', plural: 'secrets' };

const people = `
apiVersion: v1
kind: Namespace
metadata: {name: tenant}
---
apiVersion: v1
kind: Namespace
metadata: {name: other}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: dev, namespace: tenant}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: stranger, namespace: tenant}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: viewer, namespace: tenant}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: leaver, namespace: tenant}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: admin-writers}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: gatewright-admin-writer}
subjects:
- {kind: ServiceAccount, name: dev, namespace: tenant}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: admin-readers}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: gatewright-admin-reader}
subjects:
- {kind: ServiceAccount, name: viewer, namespace: tenant}
- {kind: ServiceAccount, name: leaver, namespace: tenant}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: routes, namespace: tenant}
rules:
- apiGroups: [gateway.networking.k8s.io]
  resources: [httproutes]
  verbs: [get, create, update, patch, delete]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: routes, namespace: tenant}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: routes}
subjects:
- {kind: ServiceAccount, name: dev, namespace: tenant}
`;

test.before(async (t) => {
  t.timeout(patient);
  const api = await startShippedApi(['gatewayclasses', 'gateways', 'httproutes', 'referencegrants'], {
    own: ['dataplanes'],
  });
  t.context.api = api;
  await api.apply(people);
  t.context.shipped = await startShippedOperator(api);
  // From here on the control plane may write everything, so that rejections are the person's.
  await api.apply(readFileSync(join(root, 'rbac/resource-writer.yaml'), 'utf8'));
  const open = await startShippedOperator(api, (config) => ({
    ...config,
    adminAuth: { ...config.adminAuth, kubernetes: { enabled: true } },
  }));
  Object.assign(t.context, { open: { ...open, layout1: untilJudged(open) }, openOnce: open });
});

/** An API server that is too late to say who someone is, on a busy machine, makes a 503 of it: nothing was done, and the request is made again. */
const untilJudged =
  ({ layout1 }: ShippedOperator): ShippedOperator['layout1'] =>
  (path, init) =>
    untilFits(
      `${path} to be judged`,
      () => layout1(path, init),
      ({ status }) => status !== 503,
    );

test.after.always(async (t) => {
  await t.context.shipped?.stop();
  await t.context.open?.stop();
  await t.context.api?.stop();
});

interface Tokens {
  readonly full: string;
  readonly reading: string;
}

async function tokensIn({ client }: KubeApiServer): Promise<Tokens> {
  const { data } = await client.get<KubernetesObject & { data: Record<string, string> }>(secrets, {
    namespace: systemNamespace,
    name: secretName,
  });
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString();
  return { full: text('token'), reading: text('read-only-token') };
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly tags: readonly string[] }>>>>;
}

const probes = new Set(['/livez', '/readyz', '/healthz']);

test.serial(
  'a stranger gets 401 on every path of both layouts but the probes, with the shipped configuration',
  async (t) => {
    t.timeout(patient);
    const { paths } = parse(readFileSync(join(root, 'docs/openapi.yaml'), 'utf8')) as Description;
    const asked: string[] = [];
    for (const { layout1, layout2 } of [t.context.shipped, t.context.open]) {
      for (const [path, operations] of Object.entries(paths)) {
        for (const [method, { tags }] of Object.entries(operations)) {
          if (tags.includes('Layout 2, data plane')) continue;
          const ask = tags.includes('Layout 2, control plane') ? layout2 : layout1;
          const url = path.replaceAll(/\{\w+\}/g, 'x');
          const { status } = await ask(url, { method: method.toUpperCase() });
          if (probes.has(path)) t.not(status, 401, path);
          else t.is(status, 401, `${method} ${path}`);
          asked.push(path);
        }
      }
      for (const path of ['/livez/', '/v1/summary?x=/livez', '//v1/summary', '/V1/summary', '/v1/replicas/feed'])
        t.is((await layout1(path)).status, 401, path);
    }
    t.true(asked.length > 80);
  },
);

test.serial(
  'the token is made by the control plane, is in no manifest, and reads or writes as its key says',
  async (t) => {
    t.timeout(patient);
    const { api, shipped } = t.context;
    const { full, reading } = await tokensIn(api);
    t.true(full.length >= 43 && reading.length >= 43);
    t.not(full, reading);
    t.is((await shipped.layout1('/v1/summary', bearer(full))).status, 200);
    t.like(await (await shipped.layout1('/v1/auth/verify', bearer(reading))).json(), {
      authenticated: true,
      readOnly: true,
    });
    t.is((await shipped.layout1('/v1/resources', bearer(reading, { method: 'POST' }))).status, 403);
    for (const token of [full, reading]) t.false(shipped.logLines.join('').includes(token));
  },
);

test.serial('replicas that start at the same moment make one Secret', async (t) => {
  const { api } = t.context;
  const client = new KubeClient(api.kubeConfigOf(shippedUser));
  t.teardown(() => client.close());
  const onFailure = (error: Error) => t.fail(error.message);
  // The shipped rights are for one name; the Secret of that name goes first.
  await api.client.delete(secrets, { namespace: systemNamespace, name: secretName });
  const opened = await Promise.all(
    Array.from({ length: 8 }, () =>
      TokenSecret.open({ client, namespace: systemNamespace, name: secretName, onFailure }),
    ),
  );
  const tokens = await Promise.all(opened.map(async ({ full }) => (await full()).reveal()));
  t.deepEqual([...new Set(tokens)], [(await tokensIn(api)).full]);
});

test.serial('a changed or deleted Secret counts without a restart, and the former token no more', async (t) => {
  t.timeout(patient);
  const { api, shipped } = t.context;
  const before = await tokensIn(api);
  await until('the answer', async () => (await shipped.layout1('/v1/summary', bearer(before.full))).status === 200);
  const rotated = randomBytes(20).toString('hex');
  const data = { token: Buffer.from(rotated).toString('base64') };
  await api.client.json({
    method: 'PATCH',
    path: `/api/v1/namespaces/${systemNamespace}/secrets/${secretName}`,
    body: JSON.stringify({ data }),
    contentType: 'application/merge-patch+json',
  });
  // The new token was not shown yet.
  await until('the answer', async () => (await shipped.layout1('/v1/summary', bearer(before.full))).status === 401);
  t.is((await shipped.layout1('/v1/summary', bearer(rotated))).status, 200);
  t.is((await shipped.layout1('/v1/summary', bearer(before.reading))).status, 200);

  await api.client.delete(secrets, { namespace: systemNamespace, name: secretName });
  await until('the answer', async () => (await shipped.layout1('/v1/summary', bearer(rotated))).status === 401);
  const made = await until('the answer', async () => await tokensIn(api).catch(() => undefined));
  await until('the answer', async () => (await shipped.layout1('/v1/summary', bearer(made.full))).status === 200);
  // An emptied one is never an open door.
  await api.client.json({
    method: 'PATCH',
    path: `/api/v1/namespaces/${systemNamespace}/secrets/${secretName}`,
    body: JSON.stringify({ data: { token: '', 'read-only-token': null } }),
    contentType: 'application/merge-patch+json',
  });
  await until('the answer', async () => (await shipped.layout1('/v1/summary', bearer(made.full))).status === 401);
  for (const init of [{}, bearer(''), bearer('x')]) t.is((await shipped.layout1('/v1/summary', init)).status, 401);
  t.true(
    (await until('the answer', async () => ((await tokensIn(api)).full.length >= 43 ? await tokensIn(api) : undefined)))
      .full !== made.full,
  );
});

test.serial('with the shipped rights a write is rejected, and the rejection names the role and the file', async (t) => {
  t.timeout(patient);
  const { api, shipped } = t.context;
  const { full } = await tokensIn(api);
  await api.client.delete(
    { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterrolebindings' },
    { name: 'gatewright-resource-writer' },
  );
  const grant = {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'ReferenceGrant',
    metadata: { name: 'pwn', namespace: 'other' },
    spec: {
      from: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace: 'tenant' }],
      to: [{ group: '', kind: 'Secret' }],
    },
  };
  const write = (query = '') =>
    shipped.layout1(
      `/v1/resources${query}`,
      bearer(full, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(grant),
      }),
    );
  // The API server hears of a binding that is gone a moment later.
  const rejected = await until('the answer', async () => {
    const answer = await write();
    return answer.status === 403 ? answer : undefined;
  });
  const { error } = (await rejected.json()) as { error: { code: string; message: string } };
  t.is(error.code, 'cluster_forbidden');
  t.regex(error.message, /gatewright-resource-writer/);
  t.regex(error.message, /rbac\/resource-writer\.yaml/);
  const fresh = await startShippedOperator(api);
  t.teardown(() => fresh.stop());
  const kinds = await until('the answer', async () => {
    const answer = await fresh.layout1('/v1/resource-kinds', bearer((await tokensIn(api)).full));
    return answer.status === 200
      ? ((await answer.json()) as { kind: string; writable: boolean; writableMessage: string }[])
      : undefined;
  });
  const route = kinds.find(({ kind }) => kind === 'HTTPRoute');
  t.like(route, { writable: false });
  t.regex(route?.writableMessage ?? '', /rbac\/resource-writer\.yaml/);
  const capabilities = await fresh.layout1('/v1/dashboard/capabilities', bearer((await tokensIn(api)).full));
  t.like(await capabilities.json(), { writes: false });
  await api.apply(readFileSync(join(root, 'rbac/resource-writer.yaml'), 'utf8'));
  await until('the right to be back', async () => (await write('?dryRun=true')).status !== 403);
});

const route = (namespace: string, name = 'shop') => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name, namespace },
  spec: { parentRefs: [{ name: 'web' }] },
});

const json = (method: string, body: object) => ({
  method,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

test.serial('a tenant writes what RBAC lets him write, and nothing that only the control plane may', async (t) => {
  t.timeout(patient);
  const { api, open } = t.context;
  const dev = await tokenOf(api, 'tenant', 'dev');
  const verified = await until('the answer', async () => {
    const answer = await open.layout1('/v1/auth/verify', bearer(dev));
    return answer.status === 200 ? await answer.json() : undefined;
  });
  t.like(verified, { authenticated: true, readOnly: false });
  const mine = await open.layout1('/v1/resources', bearer(dev, json('POST', route('tenant'))));
  t.is(mine.status, 201, await mine.text());
  t.is(
    (await open.layout1('/v1/resources/httproute/tenant/shop', bearer(dev, json('PUT', route('tenant'))))).status,
    200,
  );

  const grant = {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'ReferenceGrant',
    metadata: { name: 'pwn', namespace: 'other' },
    spec: {
      from: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: 'tenant' }],
      to: [{ group: '', kind: 'Service' }],
    },
  };
  const dataPlane = {
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'DataPlane',
    metadata: { name: 'pwn', namespace: 'tenant' },
    spec: { image: 'evil/image:1', hostNetwork: true },
  };
  const gatewayClass = {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'GatewayClass',
    metadata: { name: 'pwn' },
    spec: { controllerName: 'gatewright.dev/gateway-controller' },
  };
  for (const object of [
    grant,
    dataPlane,
    gatewayClass,
    route('other'),
    { ...grant, metadata: { name: 'pwn', namespace: 'tenant' } },
  ]) {
    for (const query of ['', '?force=true', '?dryRun=true']) {
      const answer = await open.layout1(`/v1/resources${query}`, bearer(dev, json('POST', object)));
      t.is(answer.status, 403, `${object.kind}${query}`);
      t.is(((await answer.json()) as { error: { code: string } }).error.code, 'write_denied');
    }
  }
  await api.client.apply({ group: 'gateway.networking.k8s.io', version: 'v1', plural: 'httproutes' }, route('other'));
  t.is((await open.layout1('/v1/resources/httproute/other/shop', bearer(dev, { method: 'DELETE' }))).status, 403);
  t.is(
    (await open.layout1('/v1/resources/httproute/other/shop', bearer(dev, json('PUT', route('other'))))).status,
    403,
  );
  t.is((await open.layout1('/v1/resources/httproute/tenant/shop', bearer(dev, { method: 'DELETE' }))).status, 200);
  const log = open.logLines.join('');
  t.regex(log, /"audit":true.*"write_denied".*"user":"system:serviceaccount:tenant:dev"/);
  t.regex(log, /"operation":"created".*"by":"kubernetes","user":"system:serviceaccount:tenant:dev"/);
  t.false(log.includes(dev));
});

test.serial('a person without a role here, or with the one for reading, gets no further than that', async (t) => {
  t.timeout(patient);
  const { api, open, shipped } = t.context;
  const stranger = await tokenOf(api, 'tenant', 'stranger');
  const viewer = await tokenOf(api, 'tenant', 'viewer');
  for (const path of ['/v1/summary', '/v1/snapshot', '/v1/auth/verify', '/v1/replicas/feed', '/v1/nothing']) {
    const answer = await open.layout1(path, bearer(stranger));
    t.is(answer.status, 403, path);
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    t.is(error.code, 'access_denied');
    t.regex(error.message, /serviceaccount:tenant:stranger may not get .*gatewright-admin-reader/);
  }
  await until('the answer', async () => (await open.layout1('/v1/summary', bearer(viewer))).status === 200);
  t.like(await (await open.layout1('/v1/auth/verify', bearer(viewer))).json(), {
    authenticated: true,
    readOnly: true,
    user: 'system:serviceaccount:tenant:viewer',
  });
  t.is((await open.layout1('/v1/resources', bearer(viewer, json('POST', route('tenant'))))).status, 403);
  t.is((await open.layout1('/v1/chatbot/config', bearer(viewer, json('PUT', {})))).status, 403);
  t.is((await open.layout1('/v1/chatbot/chat', bearer(viewer, json('POST', { prompt: 'hi' })))).status, 403);
  // Where such tokens are not asked for, they are worth nothing.
  t.is((await shipped.layout1('/v1/summary', bearer(viewer))).status, 401);
});

test.serial('tokens for another audience, of deleted accounts, and forged ones are rejected with 401', async (t) => {
  t.timeout(patient);
  const { api, open } = t.context;
  const leaver = await tokenOf(api, 'tenant', 'leaver');
  await until('the answer', async () => (await open.layout1('/v1/summary', bearer(leaver))).status === 200);
  await api.client.delete(
    { group: '', version: 'v1', plural: 'serviceaccounts' },
    { namespace: 'tenant', name: 'leaver' },
  );
  await until('the answer', async () => (await open.layout1('/v1/summary', bearer(leaver))).status === 401);
  // The token that a proxy shows to the xDS server.
  const proxys = await tokenOf(api, 'tenant', 'viewer', ['gatewright']);
  const [header, payload, signature] = (await tokenOf(api, 'tenant', 'viewer')).split('.');
  const claims = { ...JSON.parse(Buffer.from(payload ?? '', 'base64url').toString()), exp: 1 };
  const forged = [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
  for (const token of [proxys, forged, unsigned, 'x', 'x'.repeat(7000), 'abcdef.0123456789abcdef', '../../etc']) {
    const answer = await open.layout1('/v1/summary', bearer(token));
    t.is(answer.status, 401, token.slice(0, 40));
    t.is(answer.headers.get('www-authenticate'), 'Bearer realm="kubernetes"');
    t.true((await answer.text()).length < 1000);
  }
});

test.serial(
  'without an API server people of the cluster get 503 with the reason, and configured tokens work on',
  async (t) => {
    t.timeout(patient);
    const { api } = t.context;
    const proxy = await TcpProxy.start(api.port);
    t.teardown(() => proxy[Symbol.asyncDispose]());
    const cut = await startShippedOperator(
      api,
      (config) => ({ ...config, adminAuth: { ...config.adminAuth, kubernetes: { enabled: true } } }),
      api.kubeConfigOf(shippedUser, `https://127.0.0.1:${proxy.port}`),
    );
    t.teardown(() => cut.stop());
    const { full, reading } = await tokensIn(api);
    const viewer = await tokenOf(api, 'tenant', 'viewer');
    await until('the answer', async () => (await cut.layout1('/v1/summary', bearer(viewer))).status === 200);
    await until('the control plane', async () => (await cut.layout1('/readyz')).status === 200);
    proxy.cut();
    const answer = await until('the answer', async () => {
      const got = await cut.layout1('/v1/summary', bearer(viewer));
      return got.status === 503 ? got : undefined;
    });
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    t.is(error.code, 'identity_unavailable');
    t.regex(error.message, /the API server cannot say now/);
    for (const token of [full, reading]) t.is((await cut.layout1('/v1/summary', bearer(token))).status, 200);
    t.is((await cut.layout1('/v1/summary')).status, 401);
  },
);

test.serial('replicas follow each other by the token of the Secret, also when it is another one by then', async (t) => {
  t.timeout(patient);
  const { api } = t.context;
  const port = await freePort();
  const listening = (config: Record<string, object>) => ({
    ...config,
    admin: { ...config.admin, listen: `127.0.0.1:${port}` },
  });
  let first = await startShippedOperator(api, listening);
  t.teardown(() => first.stop());
  const second = await startShippedOperator(api, (config) => ({
    ...config,
    replicas: { peers: [`127.0.0.1:${port}`] },
  }));
  t.teardown(() => second.stop());
  const connected = (but?: string) =>
    until('the other replica', async () => {
      const { full } = await tokensIn(api);
      const answer = await second.layout1('/v1/replicas', bearer(full));
      if (answer.status !== 200) return undefined;
      const replicas = (await answer.json()) as { identity: string; state: string }[];
      return replicas.find(({ state, identity }) => state === 'connected' && identity !== but)?.identity;
    });
  const before = await connected();
  const data = { token: Buffer.from(randomBytes(20).toString('hex')).toString('base64'), 'read-only-token': null };
  await api.client.json({
    method: 'PATCH',
    path: `/api/v1/namespaces/${systemNamespace}/secrets/${secretName}`,
    body: JSON.stringify({ data }),
    contentType: 'application/merge-patch+json',
  });
  await first.stop();
  first = await startShippedOperator(api, listening);
  t.not(await connected(before), before);
});

test.serial('many unknown tokens at once leave a known person and a configured token served', async (t) => {
  t.timeout(patient);
  const { api, openOnce: open } = t.context;
  const viewer = await tokenOf(api, 'tenant', 'viewer');
  const { full } = await tokensIn(api);
  await until('the answer', async () => (await open.layout1('/v1/summary', bearer(viewer))).status === 200);
  const flood = Array.from({ length: 100 }, async () => {
    const { status } = await open.layout1('/v1/summary', bearer(randomBytes(40).toString('base64url')));
    return status;
  });
  const served = await Promise.all([viewer, full].map((token) => open.layout1('/v1/summary', bearer(token))));
  t.deepEqual(
    served.map(({ status }) => status),
    [200, 200],
  );
  const answers = new Set(await Promise.all(flood));
  t.false(answers.has(200));
  t.deepEqual(
    [...answers].filter((status) => ![401, 503].includes(status)),
    [],
  );
});
