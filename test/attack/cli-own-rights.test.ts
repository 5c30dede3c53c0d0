import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { FakeKubelet } from '../support/fake-kubelet.ts';
import type { KubeApiServer } from '../support/kube-apiserver.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { request } from '../support/request.ts';
import {
  type ShippedOperator,
  startShippedApi,
  startShippedOperator,
  systemNamespace,
} from '../support/shipped-operator.ts';
import { until } from '../support/until.ts';

// `gatewright --context` and whose token goes where: people with rights of their own, over the API server's port forwarding.

interface World {
  api: KubeApiServer;
  shipped: ShippedOperator;
  withPeople: ShippedOperator;
  /** The former is what runs in gatewright-system, the latter in `people`. */
  kubelets: FakeKubelet[];
}

const test = anyTest as TestFn<World>;
const patient = 600_000;
const annotations = { 'gatewright.dev/admin-token-secret': 'gatewright-admin-token' };
const labels = { 'app.kubernetes.io/name': 'gatewright', 'app.kubernetes.io/component': 'control-plane' };

const binding = (role: string, namespace: string, user: string, kind = 'RoleBinding', roleKind = 'Role') => `
apiVersion: rbac.authorization.k8s.io/v1
kind: ${kind}
metadata: {name: "${role}-${user}"${kind === 'RoleBinding' ? `, namespace: ${namespace}` : ''}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ${roleKind}, name: ${role}}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: ${user}}]
---`;

/** The Role of the manifests in another namespace, where a second control plane of this test is. */
const connectRole = `
apiVersion: v1
kind: Namespace
metadata: {name: people}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: gatewright-admin-connect, namespace: people}
rules:
- {apiGroups: [""], resources: [pods], verbs: [get, list]}
- {apiGroups: [""], resources: [pods/portforward], verbs: [get, create]}
---`;

test.before(async (t) => {
  t.timeout(patient);
  const users = ['stranger', 'connector', 'operator', 'reader'];
  const api = await startShippedApi(['gatewayclasses', 'gateways', 'httproutes'], { users });
  t.context.api = api;
  await api.apply(connectRole);
  for (const user of ['connector', 'operator', 'reader'])
    for (const namespace of [systemNamespace, 'people'])
      await api.apply(binding('gatewright-admin-connect', namespace, user));
  await api.apply(binding('gatewright-admin-token', systemNamespace, 'operator'));
  await api.apply(binding('gatewright-admin-reader', '', 'reader', 'ClusterRoleBinding', 'ClusterRole'));
  t.context.shipped = await startShippedOperator(api);
  t.context.withPeople = await startShippedOperator(api, (config) => ({
    ...config,
    adminAuth: { ...config.adminAuth, kubernetes: { enabled: true } },
  }));
  t.context.kubelets = [];
  for (const [namespace, { control }] of [
    [systemNamespace, t.context.shipped],
    ['people', t.context.withPeople],
  ] as const) {
    const kubelet = await FakeKubelet.start({ 18081: control.ports.layout1, 18082: control.ports.metrics });
    t.context.kubelets.push(kubelet);
    await kubelet.join(api, { namespace, name: 'gatewright-0' }, { labels, annotations });
  }
});
test.after.always(async (t) => {
  await t.context.shipped?.stop();
  await t.context.withPeople?.stop();
  for (const kubelet of t.context.kubelets ?? []) await kubelet.stop();
  await t.context.api?.stop();
});

function kubeconfigOf(t: ExecutionContext<World>, user: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-cli-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'kubeconfig');
  writeFileSync(path, t.context.api.kubeConfigOf(user).exportConfig());
  return path;
}

const sync = (t: ExecutionContext<World>, user: string, ...more: string[]) =>
  runProgram(['nodes', '--kubeconfig', kubeconfigOf(t, user), ...more]);

test.serial('who may read the Secret is let in by the token for reading, without naming it', async (t) => {
  t.timeout(patient);
  const { code, stdout, stderr } = await sync(t, 'operator', '-o', 'json');
  t.is(code, 0, stderr);
  t.deepEqual(JSON.parse(stdout), []);
});

test.serial('open forwards a port until interrupted, and puts no token into the address', async (t) => {
  t.timeout(patient);
  const port = await freePort();
  const line = ['open', '--no-open', '--port', String(port), '--kubeconfig', kubeconfigOf(t, 'connector')];
  const opened = startProgram(line, { GATEWRIGHT_TOKEN: 'hush-token' });
  t.teardown(() => opened.kill('SIGKILL'));
  await until('the address', () => opened.output.stdout.includes('\n'));
  t.is(opened.output.stdout, `http://127.0.0.1:${port}/\n`);
  t.false(opened.output.stderr.includes('hush-token'));
  const url = opened.output.stdout.trim();
  t.is((await request(url)).status, 200, 'the page, which asks for the token itself');
  t.is((await request(`${url}v1/summary`)).status, 401, 'without a token nothing of the cluster is shown');
  const again = await runProgram(line);
  t.is(again.code, 2);
  t.regex(again.stderr, /cannot open port \d+ of this machine: .*EADDRINUSE/);
  opened.kill('SIGINT');
  t.is((await opened.ended).code, 0);
});

test.serial('a user without the right learns which Role is missing, and what else would do', async (t) => {
  t.timeout(patient);
  const { code, stderr } = await sync(t, 'connector');
  t.is(code, 2);
  t.regex(
    stderr,
    /connector may not read Secret gatewright-system\/gatewright-admin-token: have Role gatewright-admin-token/,
  );
  t.regex(stderr, /--token-file or GATEWRIGHT_TOKEN/);
});

test.serial('who may not forward hears that, and not that nothing answers', async (t) => {
  t.timeout(patient);
  const { code, stderr } = await sync(t, 'stranger');
  t.is(code, 2);
  t.regex(stderr, /cannot list pods of namespace gatewright-system .*have Role gatewright-admin-connect/);
  await t.context.api.apply(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: pods, namespace: ${systemNamespace}}
rules: [{apiGroups: [""], resources: [pods], verbs: [list]}]
---${binding('pods', systemNamespace, 'stranger')}`);
  const forward = await sync(t, 'stranger');
  t.is(forward.code, 2);
  t.regex(forward.stderr, /cannot forward to pod gatewright-0 .*stranger needs get and create on pods\/portforward/);
});

test.serial(
  'where tokens of the cluster are taken a person is let in by the own one, and only as far as RBAC says',
  async (t) => {
    t.timeout(patient);
    const { code, stderr } = await sync(t, 'reader', '-N', 'people');
    t.is(code, 0, stderr);
    const denied = await sync(t, 'connector', '-N', 'people');
    t.is(denied.code, 2);
    t.regex(denied.stderr, /connector may not get \/v1\/nodes here: bind ClusterRole gatewright-admin-reader/);
  },
);

test.serial('a token that is given goes before all others', async (t) => {
  t.timeout(patient);
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-cli-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'token');
  writeFileSync(file, 'wrong');
  const { code, stderr } = await sync(t, 'operator', '--token-file', file);
  t.is(code, 2);
  t.regex(stderr, /unauthorized/);
});

test.serial('a server that is named by hand is never sent a token of the cluster, nor one of a Secret', async (t) => {
  t.timeout(patient);
  const seen: (string | undefined)[] = [];
  const trap = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(401, { 'WWW-Authenticate': 'Bearer realm="kubernetes"', 'Content-Type': 'application/json' });
    response.end('{"error": {"code": "unauthorized", "message": "who are you?"}}');
  }).listen(0, '127.0.0.1');
  await once(trap, 'listening');
  t.teardown(() => trap.close());
  const url = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;
  for (const user of ['operator', 'reader']) {
    t.is((await sync(t, user, '--server', url)).code, 2);
    const kubeconfig = kubeconfigOf(t, user);
    const archive = join(tmpdir(), `gatewright-collect-${process.pid}-${user}.tar.gz`);
    t.teardown(() => rmSync(archive, { force: true }));
    const namespace = user === 'reader' ? 'people' : systemNamespace;
    await runProgram(['collect', '--kubeconfig', kubeconfig, '-N', namespace, '--metrics', url, '-f', archive]);
  }
  t.true(seen.length >= 4, String(seen.length));
  t.deepEqual([...new Set(seen)], [undefined]);
});
