import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { stringify } from 'yaml';
import { monitoringDir, root } from '../../scripts/paths.mjs';
import { typeUrls } from '../../src/envoy/index.ts';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { proxyKinds } from '../../src/infrastructure/index.ts';
import { DeploymentController } from '../support/deployment-controller.ts';
import type { CommandBlock } from '../support/doc-commands/blocks.ts';
import type { Scene } from '../support/doc-commands/plans.ts';
import { type ReaderFolder, readerFolder } from '../support/doc-commands/reader-folder.ts';
import { blocksIn, runScript, scriptOf } from '../support/doc-commands/run-block.ts';
import { FakeKubelet } from '../support/fake-kubelet.ts';
import { DeltaClient } from '../support/grpc.ts';
import { controller, ingress } from '../support/ingress-world.ts';
import { KubeApiServer } from '../support/kube-apiserver.ts';
import { setProxyPods } from '../support/proxy-pods.ts';
import { shippedUser, startShippedOperator, systemNamespace } from '../support/shipped-operator.ts';
import { until } from '../support/until.ts';

// Commands of the documentation, as it has them, with a real API server behind kubectl, helm and gatewright. No node runs pods: the test does what
// controllers and kubelets would, as far as a command waits for it.

const patient = 600_000;
const labels = { 'app.kubernetes.io/name': 'gatewright', 'app.kubernetes.io/component': 'control-plane' };
const annotations = { 'gatewright.dev/admin-token-secret': 'gatewright-admin-token' };

interface World {
  readonly t: ExecutionContext;
  readonly api: KubeApiServer;
  readonly reader: ReaderFolder;
}

/** An API server of its own with the Gateway API's definitions: what one page installs does not conflict with the next. */
async function start(t: ExecutionContext): Promise<World> {
  t.timeout(patient);
  const api = await KubeApiServer.start({ users: [shippedUser] });
  t.teardown(() => api.stop());
  const controllerOfPods = new DeploymentController(api);
  t.teardown(() => controllerOfPods.stop());
  const { directory, env } = readerFolder(t);
  const kubeconfig = join(directory, 'kubeconfig');
  const exported = api.kubeConfigOf('admin').exportConfig();
  writeFileSync(kubeconfig, exported.replaceAll('loaded-context', 'test'));
  const world = { t, api, reader: { directory, env: { ...env, KUBECONFIG: kubeconfig } } };
  await type(world, 'crds/install --gateway-api');
  return world;
}

/** Runs one line that is part of no page. */
async function type({ reader: { directory, env } }: World, line: string): Promise<void> {
  const { code, output } = await runScript(line, directory, env);
  if (code !== 0) throw new Error(output);
}

/** Runs the blocks of a scene, one after the other, each with what `next` gives of the environment then. */
async function play(
  { t, reader: { directory, env } }: World,
  scene: Scene,
  next: (block: CommandBlock) => Promise<NodeJS.ProcessEnv> = async () => ({}),
): Promise<void> {
  for (const planned of blocksIn(scene)) {
    const { page, commands } = planned.block;
    const more = await next(planned.block);
    const { code, output } = await runScript(scriptOf(planned), directory, { ...env, ...more });
    t.is(code, 0, `${page}: ${commands[0]}\n${output}`);
  }
}

const namespace = (name: string) => stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

test.serial('one file: to install, to look at, to uninstall', async (t) => {
  await play(await start(t), 'one file');
});

test.serial('a kustomization of the reader, as the page has it', async (t) => {
  const world = await start(t);
  const { directory } = world.reader;
  const page = readFileSync(join(root, 'docs/install.md'), 'utf8');
  const [, text = ''] = /```yaml\n# kustomization\.yaml\n([\s\S]*?)```/.exec(page) ?? [];
  mkdirSync(join(directory, 'folder'));
  writeFileSync(join(directory, 'folder/kustomization.yaml'), text.replace('PATH/', '../'));
  await play(world, 'kustomize');
});

test.serial('overlays that limit rights', async (t) => {
  const world = await start(t);
  for (const name of ['team-a', 'team-b']) await world.api.apply(namespace(name));
  await play(world, 'overlay');
});

test.serial('Helm: to install, to change, to upgrade, to roll back, to uninstall', async (t) => {
  const world = await start(t);
  for (const name of ['team-a', 'team-b']) await world.api.apply(namespace(name));
  for (const file of await readdir(monitoringDir()))
    await world.api.apply(await readFile(join(monitoringDir(), file), 'utf8'));
  await play(world, 'helm');
});

test.serial('a cluster with a control plane', async (t) => {
  const world = await start(t);
  const { api } = world;
  await type(world, 'kubectl apply --server-side -k manifests');
  for (const name of ['shop', 'infra']) await api.apply(namespace(name));
  const classes = controller().filter((object) => (object as KubernetesObject).kind === 'IngressClass');
  const place = { name: 'web', namespace: 'shop' };
  const web = { apiVersion: 'v1', kind: 'Service', metadata: place, spec: { ports: [{ port: 80 }] } };
  for (const object of [web, ...classes, ingress('plain', { 'enable-cors': 'true' })])
    await api.apply(stringify(object));
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'reader', namespace: 'default' } };
  await api.apply(stringify(account));
  // Proxies of this test connect without TLS, so there is no authority but this one.
  const authority = { name: 'gatewright-xds-ca', namespace: systemNamespace };
  await api.apply(stringify({ apiVersion: 'v1', kind: 'Secret', metadata: authority }));
  const shipped = await startShippedOperator(api, (config) => ({
    ...config,
    xds: { listen: '127.0.0.1:0', insecure: true },
  }));
  t.teardown(() => shipped.stop());
  const { layout1, metrics, xds } = shipped.control.ports;
  const kubelet = await FakeKubelet.start({ 18081: layout1, 18082: metrics });
  t.teardown(() => kubelet.stop());
  await kubelet.join(api, { namespace: systemNamespace, name: 'gatewright-0' }, { labels, annotations });
  let serving: Promise<void> | undefined;
  await play(world, 'cluster', async ({ commands }) => {
    if (commands.some((command) => command.includes('condition=Programmed'))) serving ??= serve(world, xds);
    // A block deletes the token, and the control plane makes another.
    return { ADMIN: `127.0.0.1:${layout1}`, TOKEN: await tokenOf(api) };
  });
  await serving;
});

/** The pods of the Gateway's proxies come up, a load balancer has an address for them, and one of them takes the listeners. */
async function serve({ t, api }: World, xds: number): Promise<void> {
  const place = { namespace: 'default', name: 'gatewright-shop' };
  // As many as the Deployment is said to have.
  const pods = [1, 2, 3].map((number) => ({ name: `gatewright-shop-${number}`, ready: true }));
  await setProxyPods(api, place, pods);
  const status = { loadBalancer: { ingress: [{ ip: '192.0.2.10' }] } };
  await api.client.patchStatus(proxyKinds.Service, place, { status });
  const proxy = new DeltaClient({ target: xds, nodeId: 'gatewright-shop-1', cluster: 'default/shop' });
  t.teardown(() => proxy.close());
  proxy.subscribe(typeUrls.listener);
  await proxy.take(typeUrls.listener);
}

/** The token of the admin API for reading. */
async function tokenOf({ client }: KubeApiServer): Promise<string> {
  const secrets = { group: '', version: 'v1', plural: 'secrets' };
  const ref = { namespace: systemNamespace, name: 'gatewright-admin-token' };
  const { data } = await until('the tokens', () =>
    client.find<{ readonly data: Readonly<Record<string, string>> }>(secrets, ref),
  );
  return Buffer.from(data['read-only-token'] ?? '', 'base64').toString();
}
