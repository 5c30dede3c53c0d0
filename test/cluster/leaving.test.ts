import test from 'ava';
import { Shop } from './support/shop.ts';
import { deadlineMs, until } from './support/until.ts';

test.beforeEach((t) => t.timeout(3 * deadlineMs));

interface Names {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

const namesOf = ({ items }: Names): string[] => items.map(({ metadata }) => metadata.name).sort();

/** Which data planes of the shop's Gateway all control planes count, and how many they miss; from their metrics, through the API server. */
async function counted(shop: Shop): Promise<{ readonly nodes: readonly string[]; readonly lost: number }> {
  const system = ['-n', 'gatewright-system'];
  const pods = ['get', 'pods', '-l', 'app.kubernetes.io/component=control-plane', '-o', 'json'];
  const all = JSON.parse(await shop.cluster.kubectl([...system, ...pods])) as Names;
  const texts = await Promise.all(
    namesOf(all).map((name) =>
      shop.cluster.kubectl(['get', '--raw', `/api/v1/namespaces/gatewright-system/pods/${name}:18082/proxy/metrics`]),
    ),
  );
  const lines = texts.flatMap((text) => text.split('\n'));
  const ofShop = lines.filter((line) => line.startsWith('gatewright_gateway_dataplane_ready{'));
  const nodes = ofShop
    .filter((line) => line.includes(`gateway="${shop.namespace}/edge"`))
    .map((line) => /node_id="(.*?)"/.exec(line)?.[1] ?? '');
  const lost = lines.filter((line) => line.startsWith('gatewright_xds_nodes_lost '));
  return { nodes: nodes.sort(), lost: lost.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0) };
}

test.serial('a proxy that a rollout ends, and one of a deleted Gateway, is missed by no control plane', async (t) => {
  const shop = await Shop.open(t, 'cluster-leaving');
  await shop.programmed();
  await shop.kubectl('rollout', 'restart', 'deployment/gatewright-edge');
  await shop.kubectl('rollout', 'status', 'deployment/gatewright-edge', `--timeout=${deadlineMs / 1000}s`);
  const pods = () => shop.get<Names>('pods', '-l', 'gateway.networking.k8s.io/gateway-name=edge').then(namesOf);
  await until('the former pod to be gone', async () => (await pods()).length === 1);
  const goneAt = Date.now();
  const [left] = await pods();
  const isLeft = ({ nodes, lost }: Awaited<ReturnType<typeof counted>>) => lost === 0 && nodes.join() === left;
  await until('the new one alone to be counted', async () => isLeft(await counted(shop)));
  t.log(`after the rollout: ${Date.now() - goneAt} ms`);

  await shop.kubectl('delete', 'gateway', 'edge');
  await until('the pods to be gone', async () => (await pods()).length === 0);
  const deletedAt = Date.now();
  await until('no proxy to be counted', async () => {
    const { nodes, lost } = await counted(shop);
    return nodes.length === 0 && lost === 0;
  });
  t.log(`after the Gateway: ${Date.now() - deletedAt} ms`);
  t.pass();
});
