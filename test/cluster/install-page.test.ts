import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { entrypoint, user } from '../../scripts/image.ts';
import { cacheDir, crdDir, monitoringDir } from '../../scripts/paths.mjs';
import { endings } from '../support/endings.ts';
import { Clone } from './support/clone.ts';
import { type Cluster, givenCluster, runTestbed } from './support/cluster.ts';
import { install } from './support/install.ts';
import { type CodeBlock, codeBlocks } from './support/page.ts';
import { Shop } from './support/shop.ts';
import { deadlineMs, until } from './support/until.ts';

// Every command of docs/install.md, as it is written there, in a cluster that has nothing of ours.

interface World {
  readonly cluster: Cluster;
  readonly clone: Clone;
  /** Runs a block of the page, by the words that it contains. */
  readonly run: (words: string) => Promise<string>;
}

const test = anyTest as TestFn<World>;
const all = endings(test);
const blocks = codeBlocks('install.md');
const commands = blocks.filter(({ language }) => language === 'sh');
const executed = new Set<CodeBlock>();

/** Run elsewhere: test/feature/npm-package.test.ts installs the command, without a cluster. */
const elsewhere = 'npm install --global';
const shopNamespace = 'cluster-install';
const teams = ['team-a', 'team-b'];
const placeholders = {
  REGISTRY: 'registry.test',
  'NAMESPACE-OF-THE-GATEWAY': shopNamespace,
  'PATH/manifests': '../manifests',
  FOLDER: 'mine',
};

test.before(async (t) => {
  t.timeout(5 * deadlineMs);
  const cluster = givenCluster();
  if (cluster.isTestbed) {
    const image = join(cacheDir(), 'image/root');
    await runTestbed('image', image, entrypoint, user, 'registry.test/gatewright:0.1.0');
  }
  const clone = new Clone(all, cluster, placeholders);
  const run = async (words: string) => {
    const found = commands.filter(({ text }) => text.includes(words));
    if (found.length !== 1) throw new Error(`${found.length} blocks of the page have "${words}"`);
    const [block] = found as [CodeBlock];
    executed.add(block);
    return await clone.run(block.text);
  };
  t.context = { cluster, clone, run };
  all.teardown(() => restore(t.context));
  // What the runner has installed.
  await cluster.kubectl(['delete', '-f', join(clone.directory, 'manifests/install.yaml'), '--ignore-not-found']);
  await cluster.kubectl(['delete', '-f', crdDir('standard'), '--ignore-not-found']);
});

/** Away with what a test that failed may have left; then as files that come after this one expect it. */
async function restore({ cluster, clone }: World): Promise<void> {
  await clone.run('helm uninstall gatewright gatewright-crds --namespace gatewright-system --ignore-not-found');
  await clone.run('kubectl delete -f manifests/install.yaml --ignore-not-found');
  await cluster.kubectl(['delete', '-f', monitoringDir(), '--ignore-not-found']);
  await cluster.kubectl(['delete', 'namespace', ...teams, '--ignore-not-found']);
  await install(cluster);
}

test.beforeEach((t) => t.timeout(5 * deadlineMs));

/** Names of all objects that say that they are ours, but for what comes with other names and ages out. */
async function leftBehind({ cluster }: World): Promise<string[]> {
  const kinds = (await cluster.kubectl(['api-resources', '--verbs=list', '-o', 'name'])).trim().split('\n');
  const listed = kinds.filter((kind) => !kind.startsWith('events'));
  const names = await cluster.kubectl(['get', listed.join(','), '-A', '--ignore-not-found', '-o', 'name']);
  return names.split('\n').filter((name) => name.includes('gatewright'));
}

const isBare = (world: World) =>
  until('nothing of ours to be left', async () => (await leftBehind(world)).length === 0).catch(async () => {
    throw new Error(`left behind: ${(await leftBehind(world)).join(', ')}`);
  });

/** A Gateway of the installed class serves; it is deleted, as the page asks for it before the rest. */
async function servesAndGoes(t: Parameters<typeof Shop.open>[0], namespace = shopNamespace): Promise<void> {
  const shop = await Shop.open(t, namespace);
  await shop.serves(await shop.programmed());
  await shop.cluster.kubectl(['delete', 'namespace', namespace]);
}

test.serial('one file: from a bare cluster to traffic, and back', async (t) => {
  const world = t.context;
  // Pods of the files before this one may still be ending.
  await isBare(world);
  t.log(await world.run('crds/install'));
  await world.run('manifests/install.yaml | kubectl apply');
  await servesAndGoes(t);
  await world.run('kubectl delete clusterrolebinding');
  t.regex(await world.run('kubectl get gateways'), /^$/);
  await world.run('kubectl delete -f manifests/install.yaml');
  await isBare(world);
  t.pass();
});

test.serial('kustomize: a folder with the image of the registry', async (t) => {
  const world = t.context;
  const file = blocks.find(({ heading, language }) => heading === 'Kustomize' && language === 'yaml');
  world.clone.write('mine/kustomization.yaml', file?.text ?? '');
  await world.run('-k FOLDER');
  const image = await world.cluster.kubectl([
    ...['-n', 'gatewright-system', 'get', 'deployment', 'gatewright'],
    ...['-o', 'jsonpath={.spec.template.spec.containers[0].image} {.spec.template.spec.containers[0].env[0].value}'],
  ]);
  t.is(image, 'registry.test/gatewright:0.1.0 registry.test/gatewright:0.1.0');
  await servesAndGoes(t);
  await world.run('kubectl delete -f manifests/install.yaml');
  await isBare(world);
});

test.serial('Helm: definitions and program, more values, an upgrade and the way back', async (t) => {
  const world = t.context;
  await world.run('--take-ownership');
  const shop = await Shop.open(t, shopNamespace);
  await shop.serves(await shop.programmed());
  for (const file of readdirSync(monitoringDir()))
    await world.cluster.kubectl(['apply', '--server-side', '-f', join(monitoringDir(), file)]);
  await world.run('create secret generic gatewright-sessions');
  await world.run('--reset-then-reuse-values');
  const monitors = await world.cluster.kubectl([
    'get',
    'servicemonitors,podmonitors,prometheusrules',
    '-A',
    '-o',
    'name',
  ]);
  t.is(monitors.trim().split('\n').length, 3, monitors);
  await rolledOut(world);
  await shop.serves(await shop.programmed());
  await world.run('helm rollback');
  await rolledOut(world);
  await shop.serves(await shop.programmed());
  await shop.cluster.kubectl(['delete', 'namespace', shopNamespace]);
  await world.run('helm uninstall');
  const kept = (await leftBehind(world)).filter((name) => name.startsWith('customresourcedefinition'));
  t.true(kept.length > 0, 'definitions are kept');
  await world.run('kubectl delete namespace gatewright-system');
  await isBare(world);
});

const rolledOut = ({ cluster }: World) =>
  cluster.kubectl([
    '-n',
    'gatewright-system',
    'rollout',
    'status',
    'deployment/gatewright',
    `--timeout=${deadlineMs}ms`,
  ]);

test.serial('kustomize: all proxies in one namespace', async (t) => {
  const world = t.context;
  await world.run('kubectl kustomize overlays/system-proxies');
  await rolledOut(world);
  const shop = await Shop.open(t, 'team-c');
  await shop.serves(await shop.programmed());
  t.is(await shop.kubectl('get', 'deployments', '-o', 'name'), 'deployment.apps/echo\n');
  await shop.cluster.kubectl(['delete', 'namespace', 'team-c']);
  await until('its proxies to be gone', async () => {
    const left = await world.cluster.kubectl([
      ...['-n', 'gatewright-system', 'get', 'deployments', '-o', 'name'],
      ...['-l', 'gatewright.dev/gateway-namespace=team-c'],
    ]);
    return left.trim() === '';
  });
  await world.run('kubectl delete -f manifests/install.yaml');
  await isBare(world);
});

/** Namespaces that the page takes for granted. */
async function createTeams({ cluster }: World): Promise<void> {
  for (const name of teams) await cluster.kubectl(['create', 'namespace', name]);
}

test.serial('kustomize: limited to namespaces', async (t) => {
  const world = t.context;
  await createTeams(world);
  await world.run('cp -r overlays/namespaced overlays/mine');
  await rolledOut(world);
  const shop = await Shop.open(t, 'team-a');
  await shop.serves(await shop.programmed());
  t.is(
    await shop.kubectl('get', 'deployments', '-o', 'name'),
    'deployment.apps/echo\ndeployment.apps/gatewright-edge\n',
  );
  await shop.kubectl('delete', 'gateway', 'edge');
  await world.run('kubectl delete -k overlays/mine');
  await isBare(world);
  await world.cluster.kubectl(['delete', 'namespace', ...teams]);
});

test.serial('Helm: limited to namespaces, with all proxies in one', async (t) => {
  const world = t.context;
  await createTeams(world);
  await world.run('--take-ownership');
  await world.run('scope.namespaces=');
  await rolledOut(world);
  t.log(await world.run('gatewright precheck --namespaces'));
  const shop = await Shop.open(t, 'team-a');
  await shop.serves(await shop.programmed());
  const proxies = await world.run('kubectl -n gatewright-system get deployments,services -l');
  t.regex(proxies, /deployment\.apps\/gatewright-team-a-edge-/);
  await shop.kubectl('delete', 'gateway', 'edge');
  await world.run('helm uninstall');
  await world.run('kubectl delete namespace gatewright-system');
  await isBare(world);
});

test.serial('no command of the page is left out', (t) => {
  const left = commands.filter((block) => !executed.has(block) && !block.text.includes(elsewhere));
  t.deepEqual(left, []);
});
