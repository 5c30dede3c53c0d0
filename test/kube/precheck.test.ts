import anyTest, { type TestFn } from 'ava';
import { borrowApiServer } from '../support/kube-apiserver/borrow.ts';
import type { KubeApiServer } from '../support/kube-apiserver.ts';
import { fileFor, runProgram } from '../support/program.ts';
import { applyAll, deleteAll, kustomized, rightsOf } from '../support/shipped-install.ts';

const test = anyTest as TestFn<{ api: KubeApiServer }>;
const patient = 600_000;

test.before(async (t) => {
  t.timeout(patient);
  t.context.api = await borrowApiServer({ users: ['stranger'] });
});
test.after.always(async (t) => {
  await t.context.api?.stop();
});

test.serial(
  'for a cluster without the definitions the answer names what it lacks; with them it is ready',
  async (t) => {
    t.timeout(patient);
    const { api } = t.context;
    const run = (...more: string[]) => runProgram(['precheck', '--kubeconfig', api.kubeconfig, ...more]);
    const empty = await run();
    t.is(empty.code, 1, empty.stderr);
    t.regex(empty.stdout, /^ok {7}Kubernetes v1\.\d+/);
    t.regex(
      empty.stdout,
      /error {4}not installed: GatewayClass v1, .*HTTPRoute v1\n +→ apply the definitions of the Gateway API/,
    );
    t.regex(empty.stdout, /warning {2}not installed: .*TCPRoute v1/);
    await api.installCrds('standard');
    const ready = await run();
    t.is(ready.code, 0, ready.stdout);
    t.regex(ready.stdout, /ok {7}Gateway API v1\.7\.0, standard channel/);
    t.regex(ready.stdout, /warning {2}not installed: .*XBackend v1alpha1/);
    t.regex(ready.stdout, /ok {7}this user may install everything/);
    await api.apply(
      '{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: theirs}, spec: {controllerName: example.com/away}}',
    );
    const gateway = (name: string, of: string) =>
      `{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: ${name}, namespace: default}, spec: {gatewayClassName: ${of}, listeners: [{name: http, port: 80, protocol: HTTP}]}}`;
    await api.apply(
      '{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: nginx}, spec: {controller: k8s.io/ingress-nginx}}',
    );
    await api.apply(gateway('typo', 'thiers'));
    await api.apply(gateway('away', 'theirs'));
    const lost = await run();
    t.is(lost.code, 0, lost.stdout);
    t.regex(
      lost.stdout,
      /warning {2}Gateway default\/typo: there is no GatewayClass "thiers"; did you mean theirs\?\n +→ correct/,
    );
    t.regex(lost.stdout, /warning {2}Gateway default\/away: no controller has accepted GatewayClass theirs/);
    t.regex(lost.stdout, /ok {7}IngressClass nginx belongs to k8s.io\/ingress-nginx, .*ingress\.adopt: \[nginx\]/);
    const findings = JSON.parse((await run('-o', 'json')).stdout) as { level: string }[];
    t.false(findings.some(({ level }) => level === 'error'));
  },
);

test.serial('a user who may do nothing hears what an administrator is needed for', async (t) => {
  t.timeout(patient);
  const kubeconfig = fileFor(t, t.context.api.kubeConfigOf('stranger').exportConfig(), 'kubeconfig');
  const { code, stdout } = await runProgram(['precheck', '--kubeconfig', kubeconfig]);
  t.is(code, 1);
  t.regex(stdout, /error {4}the installed definitions cannot be listed/);
  t.regex(stdout, /warning {2}this user may not create namespaces, create clusterroles/);
  const unknown = await runProgram(['precheck', '--kubeconfig', kubeconfig, '--context', 'elsewhere']);
  t.is(unknown.code, 2);
  t.regex(unknown.stderr, /no context elsewhere in the kubeconfig; it has /);
});

test.serial(
  'the rights of the control plane are looked at for the way it is installed, and what is missing is named',
  async (t) => {
    t.timeout(patient);
    const { api } = t.context;
    const account = 'system:serviceaccount:gatewright-system:gatewright';
    const run = (...more: string[]) =>
      runProgram(['precheck', '--kubeconfig', api.kubeconfig, '--as', account, ...more]);
    for (const name of ['gatewright-system', 'team-a', 'team-b'])
      await api.apply(`{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}`);
    const rights = rightsOf(await kustomized('overlays/namespaced-system-proxies'));
    await applyAll(api, rights);
    const narrow = ['--namespaces', 'team-a,team-b', '--proxies-namespace', 'gatewright-system'];
    const good = await run(...narrow);
    t.is(good.code, 0, good.stdout + good.stderr);
    t.regex(good.stdout, /ok {7}this user has all \d+ rights of the control plane/);

    const wide = await run();
    t.is(wide.code, 1);
    t.regex(
      wide.stdout,
      /error {4}this user may not, in the whole cluster: .*list secrets, .*\n +→ apply .*rbac\/control-plane.yaml/,
    );
    const own = await run('--namespaces', 'team-a,team-b');
    t.regex(own.stdout, /in namespace team-a: .*create deployments\.apps/);
    t.notRegex(own.stdout, /in namespace gatewright-system/);

    await deleteAll(
      api,
      rights.filter(
        ({ kind, metadata }) =>
          metadata.name === 'gatewright-reader' && metadata.namespace === 'team-b' && kind === 'RoleBinding',
      ),
    );
    const lacking = await run(...narrow);
    t.is(lacking.code, 1);
    t.regex(
      lacking.stdout,
      /^error {4}this user may not, in namespace team-b: .*watch secrets.*\n +→ .*overlays\/namespaced-system-proxies.*team-b/,
    );
    t.notRegex(lacking.stdout, /team-a/);
  },
);
