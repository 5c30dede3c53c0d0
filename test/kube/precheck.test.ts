import anyTest, { type TestFn } from 'ava';
import { KubeApiServer } from '../support/kube-apiserver.ts';
import { fileFor, runProgram } from '../support/program.ts';

const test = anyTest as TestFn<{ api: KubeApiServer }>;
const patient = 600_000;

test.before(async (t) => {
  t.timeout(patient);
  t.context.api = await KubeApiServer.start({ users: ['nobody'] });
});
test.after.always(async (t) => {
  await t.context.api?.stop();
});

test.serial('a cluster without the definitions is told what it lacks; with them it is ready', async (t) => {
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
  const findings = JSON.parse((await run('-o', 'json')).stdout) as { level: string }[];
  t.false(findings.some(({ level }) => level === 'error'));
});

test.serial('a user who may do nothing hears what an administrator is needed for', async (t) => {
  t.timeout(patient);
  const kubeconfig = fileFor(t, t.context.api.kubeConfigOf('nobody').exportConfig(), 'kubeconfig');
  const { code, stdout } = await runProgram(['precheck', '--kubeconfig', kubeconfig]);
  t.is(code, 1);
  t.regex(stdout, /error {4}the installed definitions cannot be listed/);
  t.regex(stdout, /warning {2}this user may not create namespaces, create clusterroles/);
  const unknown = await runProgram(['precheck', '--kubeconfig', kubeconfig, '--context', 'elsewhere']);
  t.is(unknown.code, 2);
  t.regex(unknown.stderr, /no context elsewhere in the kubeconfig; it has /);
});
