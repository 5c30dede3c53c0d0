import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { status } from '@grpc/grpc-js';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import {
  defaultAuthorityTiming,
  IdentityError,
  KubeAuthorities,
  TokenReviewer,
} from '../../src/cluster/identity/index.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { placeOf } from '../../src/infrastructure/index.ts';
import { KubeClient, KubeError, type ResourceType } from '../../src/kube/index.ts';
import { envoyPath } from '../support/envoy.ts';
import { DeltaClient } from '../support/grpc.ts';
import { borrowApiServer } from '../support/kube-apiserver/borrow.ts';
import type { KubeApiServer } from '../support/kube-apiserver.ts';
import { programFile } from '../support/program.ts';
import { thorough } from '../support/repetitions.ts';
import { until, untilFits } from '../support/until.ts';
import { filesFor, trusting } from '../support/xds-tls.ts';

/** Who the control plane is in a cluster: it has the rights of rbac/ and no more. */
const serviceAccount = 'system:serviceaccount:gatewright-system:gatewright';
const namespace = 'gatewright-system';
const audience = 'gatewright-xds';
const patient = 600_000;
/** For processes of ours to start where cores are few and shared. */
const startMs = 300_000;
const secrets: ResourceType = { group: '', version: 'v1', plural: 'secrets' };
const configMaps: ResourceType = { group: '', version: 'v1', plural: 'configmaps' };

const test = anyTest as TestFn<{ api: KubeApiServer }>;

test.before(async (t) => {
  t.timeout(patient);
  const api = await borrowApiServer({ users: [serviceAccount, 'stranger'] });
  t.context.api = api;
  for (const plural of ['gatewayclasses', 'gateways', 'httproutes', 'referencegrants'])
    await api.installCrd(`${plural}.gateway.networking.k8s.io`);
  for (const name of [namespace, 'shop', 'bank'])
    await api.apply(`{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}`);
  await api.apply(await readFile(new URL('../../rbac/control-plane.yaml', import.meta.url), 'utf8'));
});
test.after.always(async (t) => {
  await t.context.api?.stop();
});

type T = ExecutionContext<{ api: KubeApiServer }>;

const account = (t: T, name: string, inNamespace = 'shop') =>
  t.context.api.apply(`{apiVersion: v1, kind: ServiceAccount, metadata: {name: ${name}, namespace: ${inNamespace}}}`);

/** A token as the kubelet gets it for a pod. */
async function tokenOf(
  { context: { api } }: T,
  name: string,
  options: {
    readonly namespace?: string;
    readonly audiences?: readonly string[];
    readonly pod?: KubernetesObject;
  } = {},
): Promise<string> {
  const { namespace: inNamespace = 'shop', audiences = [audience], pod } = options;
  const boundObjectRef = pod && { apiVersion: 'v1', kind: 'Pod', name: pod.metadata.name, uid: pod.metadata.uid };
  const { status: issued } = await api.client.json<{ status: { token: string } }>({
    method: 'POST',
    path: `/api/v1/namespaces/${inNamespace}/serviceaccounts/${name}/token`,
    body: JSON.stringify({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { audiences, expirationSeconds: 600, boundObjectRef },
    }),
  });
  return issued.token;
}

/** A client of the API server that counts, with the control plane's rights. */
function counting(t: T) {
  const client = new KubeClient(t.context.api.kubeConfigOf(serviceAccount));
  t.teardown(() => client.close());
  let calls = 0;
  const json: KubeClient['json'] = (request, options) => {
    calls += 1;
    return client.json(request, options);
  };
  return { client: { json }, calls: () => calls };
}

test('a token of a Gateway’s ServiceAccount is for that Gateway; the API server is asked once', async (t) => {
  t.timeout(patient);
  await account(t, 'gatewright-once');
  const { client, calls } = counting(t);
  const reviewer = new TokenReviewer({ client, audience, accountOf: (key) => placeOf(key) });
  const token = await tokenOf(t, 'gatewright-once');
  const [first, second] = await Promise.all([reviewer.admit(token), reviewer.admit(token)]);
  t.is(first.subject, 'shop/gatewright-once');
  for (const { rejects } of [first, second, await reviewer.admit(token)]) {
    t.is(rejects({ nodeId: 'n', cluster: 'shop/once' }), undefined);
    for (const cluster of ['bank/once', 'shop/other', 'once', '/once', 'shop/once/more']) {
      t.is(typeof rejects({ nodeId: 'n', cluster }), 'string', cluster);
    }
  }
  t.is(calls(), 1);
});

test('a token of the ServiceAccount of shared proxies is for those, and for no Gateway of the same name', async (t) => {
  t.timeout(patient);
  await account(t, 'gatewayclass-pool');
  const reviewer = new TokenReviewer({ client: counting(t).client, audience, accountOf: (key) => placeOf(key) });
  const { rejects } = await reviewer.admit(await tokenOf(t, 'gatewayclass-pool'));
  t.is(rejects({ nodeId: 'n', cluster: 'shop/class:pool' }), undefined);
  for (const cluster of ['bank/class:pool', 'shop/class:other', 'shop/pool', 'shop/class-pool', 'shop/class:']) {
    t.is(typeof rejects({ nodeId: 'n', cluster }), 'string', cluster);
  }
});

test('a token that was made for a pod is for the node of that name only', async (t) => {
  t.timeout(patient);
  await account(t, 'gatewright-pod');
  const [pod] = await t.context.api.apply(
    '{apiVersion: v1, kind: Pod, metadata: {name: pod-1, namespace: shop}, spec: {serviceAccountName: gatewright-pod, automountServiceAccountToken: false, containers: [{name: a, image: a}]}}',
  );
  const reviewer = new TokenReviewer({ client: counting(t).client, audience, accountOf: (key) => placeOf(key) });
  const { rejects, subject } = await reviewer.admit(await tokenOf(t, 'gatewright-pod', { pod: pod! }));
  t.is(subject, 'shop/gatewright-pod in pod pod-1');
  t.is(rejects({ nodeId: 'pod-1', cluster: 'shop/pod' }), undefined);
  t.regex(rejects({ nodeId: 'pod-2', cluster: 'shop/pod' }) ?? '', /pod-2 is not the pod that the token is for/);
});

test('tokens that are not for us, not true, or of no use any more are rejected', async (t) => {
  t.timeout(patient);
  await account(t, 'gatewright-rejected');
  const { client, calls } = counting(t);
  const later = new TokenReviewer({
    client,
    audience,
    accountOf: (key) => placeOf(key),
    now: () => new Date(Date.now() + 3_600_000),
  });
  const reviewer = new TokenReviewer({ client, audience, accountOf: (key) => placeOf(key) });
  const rejected = (admitted: Promise<unknown>, message: RegExp) => t.throwsAsync(admitted, { message });
  const good = await tokenOf(t, 'gatewright-rejected');
  await rejected(
    reviewer.admit(await tokenOf(t, 'gatewright-rejected', { audiences: ['other'] })),
    /for audience other/,
  );
  await rejected(reviewer.admit('hello'), /no ServiceAccount token/);
  await rejected(later.admit(good), /has expired/);
  t.is(calls(), 0, 'none of these is worth a question');
  const [head, claims, signature] = good.split('.') as [string, string, string];
  const forged = Buffer.from(claims, 'base64url').toString().replaceAll('rejected', 'another');
  const forgery = `${head}.${Buffer.from(forged).toString('base64url')}.${signature}`;
  await rejected(reviewer.admit(forgery), /^the token is rejected: /);
  await rejected(reviewer.admit(forgery), /^the token is rejected: /);
  t.is(calls(), 1, 'a rejection counts for a while too');
});

thorough(test)('a token that cannot be checked now is no reason to reject its proxy for good', async (t) => {
  t.timeout(patient);
  await account(t, 'gatewright-away');
  const token = await tokenOf(t, 'gatewright-away');
  let away = true;
  const { client } = counting(t);
  const json: KubeClient['json'] = (request, options) =>
    away ? Promise.reject(new KubeError({ code: 'unreachable', message: 'away' })) : client.json(request, options);
  const reviewer = new TokenReviewer({ client: { json }, audience, accountOf: (key) => placeOf(key) });
  await t.throwsAsync(reviewer.admit(token), { code: 'unavailable', message: /cannot be checked now.*away/ });
  away = false;
  t.is((await reviewer.admit(token)).subject, 'shop/gatewright-away');
});

const authorities = (t: T, name: string, user = serviceAccount) => {
  const client = new KubeClient(t.context.api.kubeConfigOf(user));
  t.teardown(() => client.close());
  return new KubeAuthorities({ client, namespace, name, timing: defaultAuthorityTiming, now: () => new Date() });
};

test('replicas that start at the same moment come to one authority, and keep it', async (t) => {
  t.timeout(patient);
  const name = 'race';
  const loaded = await Promise.all(Array.from({ length: 8 }, () => authorities(t, name, 'admin').load()));
  t.is(new Set(loaded.map((all) => all.map(({ certificate }) => certificate).join())).size, 1);
  t.is(loaded[0]?.length, 1);
  t.deepEqual(await authorities(t, name, 'admin').load(), loaded[0]);
});

thorough(test)('replicas that find at the same moment that another authority is due make one', async (t) => {
  t.timeout(patient);
  const name = 'due';
  await authorities(t, name, 'admin').load();
  const client = t.context.api.client;
  const soon = () => new Date(Date.now() + 300 * 86_400_000);
  const due = () => new KubeAuthorities({ client, namespace, name, timing: defaultAuthorityTiming, now: soon });
  const loaded = await Promise.all(Array.from({ length: 5 }, () => due().load()));
  t.is(new Set(loaded.map((all) => all.map(({ certificate }) => certificate).join())).size, 1);
  t.is(loaded[0]?.length, 2);
});

test('an authority that cannot be kept is said in one line, with what to do', async (t) => {
  t.timeout(patient);
  await t.throwsAsync(authorities(t, 'gatewright-xds-ca', 'stranger').load(), {
    instanceOf: IdentityError,
    message: /forbidden.*grant get, create and update on secrets in namespace gatewright-system/,
  });
  await t.context.api.apply(
    `{apiVersion: v1, kind: Secret, metadata: {name: foreign, namespace: ${namespace}}, stringData: {password: x}}`,
  );
  await t.throwsAsync(authorities(t, 'foreign', 'admin').load(), {
    instanceOf: IdentityError,
    message: /Secret gatewright-system\/foreign is not one of ours: it holds password; name another one, or delete it/,
  });
});

/** A process of the program that ends with the test. */
function startProgram(t: T, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [programFile, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  t.teardown(async () => {
    process.removeListener('exit', kill);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  });
  return { log: () => output.join(''), ended: () => child.exitCode };
}

const objectsOf = (port: number): string => `
{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: gatewright}, spec: {controllerName: gatewright.dev/gateway-controller}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: edge, namespace: shop}, spec: {gatewayClassName: gatewright, listeners: [{name: http, port: ${port}, protocol: HTTP}]}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: edge, namespace: bank}, spec: {gatewayClassName: gatewright, listeners: [{name: http, port: 80, protocol: HTTP}]}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: away, namespace: shop}, spec: {parentRefs: [{name: edge}], rules: [{filters: [{type: RequestRedirect, requestRedirect: {hostname: moved.test}}]}]}}
`;

thorough(test.serial)(
  'a control plane with its defaults serves a data plane over TLS, by what it made in the cluster',
  async (t) => {
    t.timeout(patient);
    const { api } = t.context;
    const write = filesFor(t);
    const [xds, metrics, listener, admin] = [await freePort(), await freePort(), await freePort(), await freePort()];
    await api.apply(objectsOf(listener));
    const kubeconfig = write('kubeconfig', api.kubeConfigOf(serviceAccount).exportConfig());
    const control = startProgram(t, [
      'control-plane',
      '--config',
      write(
        'control-plane.yaml',
        `source: {kubernetes: {kubeconfig: ${kubeconfig}}}
xds: {listen: "127.0.0.1:${xds}", tls: {namespace: ${namespace}}}
admin: {listen: "127.0.0.1:0", layout2Listen: "127.0.0.1:0"}
metrics: {listen: "127.0.0.1:${metrics}"}
infrastructure: {image: none, xdsAddress: "gatewright.gatewright-system.svc:${xds}"}
leaderElection: {namespace: ${namespace}}
`,
      ),
    ]);
    const bundle = await until(
      'the trust bundle beside the Gateway',
      async () => {
        const found = await api.client.find<KubernetesObject & { data?: Record<string, string> }>(configMaps, {
          namespace: 'shop',
          name: 'gatewright-edge',
        });
        return found?.data?.['ca.crt'];
      },
      startMs,
    ).catch((cause: unknown) => Promise.reject(new Error(`the control plane says:\n${control.log()}`, { cause })));
    const authority = { certificate: bundle };
    t.not(await api.client.find(secrets, { namespace, name: 'gatewright-xds-ca' }), undefined);

    await until('the ServiceAccounts', async () => {
      const found = ['shop', 'bank'].map((at) =>
        api.client.find(
          { group: '', version: 'v1', plural: 'serviceaccounts' },
          { namespace: at, name: 'gatewright-edge' },
        ),
      );
      return !(await Promise.all(found)).includes(undefined);
    });
    const caFile = write('ca.crt', bundle);
    const tokenFile = write('token', await tokenOf(t, 'gatewright-edge'));
    const data = startProgram(
      t,
      [
        'data-plane',
        '--config',
        write(
          'data-plane.yaml',
          `dataplane:
  cluster: shop/edge
  xdsAddress: "127.0.0.1:${xds}"
  adminListen: "127.0.0.1:${admin}"
  adminAuth: {bearerToken: kube-test-token}
  envoyPath: ${envoyPath()}
  tls: {caFile: ${caFile}, serverName: gatewright.gatewright-system.svc}
  tokenFile: ${tokenFile}
`,
        ),
      ],
      { SVC_GW_NODE_ID: 'node-1' },
    );
    const answer = await untilFits(
      'traffic through the data plane',
      async () => {
        if (data.ended() !== null) return data.log();
        return await fetch(`http://127.0.0.1:${listener}/`, { redirect: 'manual' }).then(
          (response) => `${response.status} ${response.headers.get('location')}`,
          (error: Error) => String(error.cause),
        );
      },
      (text) => text.startsWith('302'),
    );
    t.is(answer, `302 http://moved.test:${listener}/`);

    const client = (options: { readonly token?: string; readonly cluster?: string }) => {
      const made = new DeltaClient({
        target: xds,
        nodeId: 'by-hand',
        cluster: 'shop/edge',
        credentials: trusting(authority),
        ...options,
      });
      t.teardown(() => made.close());
      made.subscribe(typeUrls.listener);
      return made;
    };
    const foreign = await tokenOf(t, 'gatewright-edge', { namespace: 'bank' });
    const rejections = [
      [client({}), status.UNAUTHENTICATED, /does not say who it is/],
      [client({ token: 'x' }), status.UNAUTHENTICATED, /no ServiceAccount token/],
      [
        client({ token: foreign }),
        status.PERMISSION_DENIED,
        /bank\/gatewright-edge, and proxies of Gateway shop\/edge run as/,
      ],
    ] as const;
    for (const [rejected, code, details] of rejections) {
      const end = await rejected.ended;
      t.is(end.code, code);
      t.regex(end.details, details);
    }
    const own = client({ token: foreign, cluster: 'bank/edge' });
    t.deepEqual(
      (await own.take(typeUrls.listener)).resources.map(({ name }) => name),
      ['http/80'],
      'and its own it gets',
    );
    const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
    t.regex(text, /^gatewright_gateway_controlplane_xds_stream_terminations_total\{reason="unauthenticated"\} 3$/m);
    t.regex(control.log(), /does not say who it is/);
    t.false(control.log().includes(foreign), 'no token is logged');
    const xdsStatus = (await (
      await fetch(`http://127.0.0.1:${admin}/api/v1/xds/status`, {
        headers: { authorization: 'Bearer kube-test-token' },
      })
    ).json()) as object;
    t.like(xdsStatus, { connected: true, stream_reconnects: 0 });
  },
);
