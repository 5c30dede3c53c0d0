import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { KubeConfigError, loadKubeConfig } from '../../../src/kube/index.ts';

const test = anyTest as TestFn<{ directory: string }>;

test.beforeEach(async (t) => {
  t.context.directory = await mkdtemp(join(tmpdir(), 'gatewright-kubeconfig-'));
});
test.afterEach.always(async (t) => {
  await rm(t.context.directory, { recursive: true, force: true });
});

const config = (name: string, current = name): string => `apiVersion: v1
kind: Config
current-context: ${current}
clusters: [{name: ${name}, cluster: {server: "https://${name}.example:6443"}}]
users: [{name: ${name}, user: {token: t}}]
contexts: [{name: ${name}, context: {cluster: ${name}, user: ${name}}}]
`;

async function file(directory: string, name: string, text: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, text);
  return path;
}

test('a given file wins; a context of it can be chosen', async (t) => {
  const { directory } = t.context;
  const one = await file(directory, 'one', config('one'));
  const two = await file(directory, 'two', config('two'));
  const given = loadKubeConfig({ kubeconfig: one, env: { KUBECONFIG: two } });
  t.is(given.kubeConfig.getCurrentCluster()?.server, 'https://one.example:6443');
  t.is(given.origin, `kubeconfig ${one}`);
  const merged = loadKubeConfig({ context: 'two', env: { KUBECONFIG: `${one}:${join(directory, 'none')}:${two}` } });
  t.is(merged.kubeConfig.getCurrentCluster()?.server, 'https://two.example:6443');
});

const fails = test.macro(
  async (t, prepare: (directory: string) => Promise<Parameters<typeof loadKubeConfig>[0]>, message: RegExp) => {
    const { directory } = t.context as { directory: string };
    const options = await prepare(directory);
    t.throws(() => loadKubeConfig(options), { instanceOf: KubeConfigError, message });
  },
);

test(
  'no configuration at all',
  fails,
  async (directory) => ({ env: { HOME: directory } }),
  /^no Kubernetes cluster is known: set KUBECONFIG/,
);
test(
  'a file that does not exist',
  fails,
  async (directory) => ({ kubeconfig: join(directory, 'none') }),
  /^kubeconfig .*none: ENOENT/,
);
test(
  'KUBECONFIG of nothing',
  fails,
  async (directory) => ({ env: { KUBECONFIG: join(directory, 'none') } }),
  /^KUBECONFIG: .*none does not exist/,
);
test(
  'a file that is not a kubeconfig',
  fails,
  async (directory) => ({ kubeconfig: await file(directory, 'x', '{') }),
  /^kubeconfig .*x: /,
);
test(
  'an unknown context names the known ones',
  fails,
  async (directory) => ({ kubeconfig: await file(directory, 'x', config('one')), context: 'other' }),
  /no context "other"; there are: one$/,
);
test(
  'a current context that leads nowhere',
  fails,
  async (directory) => ({ kubeconfig: await file(directory, 'x', config('one', 'lost')) }),
  /context "lost" names no known cluster$/,
);
test(
  'a pod without its token',
  fails,
  async () => ({ env: { KUBERNETES_SERVICE_HOST: '10.0.0.1' } }),
  /serviceaccount\/token is missing: the pod needs/,
);
