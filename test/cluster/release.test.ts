import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { helmPath, kubernetesDir } from '../../scripts/paths.mjs';
import { makeRelease } from '../../scripts/release.ts';
import { endings } from '../support/endings.ts';
import { type Cluster, givenCluster, runTestbed } from './support/cluster.ts';
import { install } from './support/install.ts';
import { shell } from './support/shell.ts';
import { Shop } from './support/shop.ts';
import { deadlineMs } from './support/until.ts';

// What a release consists of, and nothing else of this clone, makes a gateway of a cluster: by chart, and by manifest.

interface World {
  readonly cluster: Cluster;
  readonly dist: string;
  /** Runs commands in the folder of the release, with kubectl and Helm. */
  readonly run: (commands: string) => Promise<string>;
}

const test = anyTest as TestFn<World>;
const all = endings(test);
const repository = 'registry.test/released/gatewright';
const namespace = 'gatewright-system';

test.before(async (t) => {
  t.timeout(5 * deadlineMs);
  const cluster = givenCluster();
  const dist = mkdtempSync(join(tmpdir(), 'gatewright-dist-'));
  all.teardown(() => rmSync(dist, { recursive: true, force: true }));
  await makeRelease({ out: dist, image: repository, withImages: cluster.isTestbed });
  const env = {
    HOME: join(dist, 'home'),
    KUBECONFIG: cluster.kubeconfig,
    PATH: [kubernetesDir(), join(helmPath(), '..'), process.env.PATH].join(':'),
  };
  const run = (commands: string) => shell('bash', ['-euo', 'pipefail', '-c', `cd ${dist}\n${commands}`], { env });
  t.context = { cluster, dist, run };
  all.teardown(() => restore(t.context));
  // What the runner has installed.
  await run('kubectl delete -f install.yaml --ignore-not-found');
  if (!cluster.isTestbed) return;
  const archives = readdirSync(join(dist, 'images')).filter((name) => name.endsWith('.tar'));
  const [whole] = archives.filter((name) => !name.includes('control'));
  await runTestbed('load', join(dist, 'images', whole ?? ''), repository);
});

/** As files that come after this one expect it. */
async function restore({ cluster, run }: World): Promise<void> {
  await run(`helm uninstall gatewright gatewright-crds --namespace ${namespace} --ignore-not-found`);
  await run('kubectl delete -f install.yaml --ignore-not-found');
  await install(cluster);
}

test.beforeEach((t) => t.timeout(5 * deadlineMs));

/** A Gateway of the installed class serves, by the image of the release. */
async function serves(t: Parameters<typeof Shop.open>[0], world: World, shopNamespace: string): Promise<void> {
  await world.run(`kubectl -n ${namespace} rollout status deployment/gatewright --timeout=${deadlineMs}ms`);
  const shop = await Shop.open(t, shopNamespace);
  await shop.serves(await shop.programmed());
  const images = await shop.kubectl('get', 'pods', '-o', 'jsonpath={.items[*].spec.containers[*].image}');
  t.true(
    images.split(' ').some((image) => image.startsWith(`${repository}:`)),
    images,
  );
  await shop.cluster.kubectl(['delete', 'namespace', shopNamespace]);
}

test.serial('the charts of a release', async (t) => {
  const world = t.context;
  await world.run(`helm install gatewright-crds helm/gatewright-crds-*.tgz --namespace ${namespace} --create-namespace --take-ownership
helm install gatewright helm/gatewright-[0-9]*.tgz --namespace ${namespace}`);
  await serves(t, world, 'released-by-chart');
  await world.run(`helm uninstall gatewright --namespace ${namespace}`);
  await world.cluster.kubectl(['delete', 'namespace', namespace]);
});

test.serial('the manifest of a release', async (t) => {
  const world = t.context;
  await world.run('kubectl apply --server-side --force-conflicts -f install.yaml');
  await serves(t, world, 'released-by-manifest');
});
