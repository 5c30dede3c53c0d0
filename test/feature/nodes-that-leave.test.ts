import test, { type ExecutionContext } from 'ava';
import { goodbyeType } from '../../src/contracts/index.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, service } from '../support/objects.ts';
import { startTwo, TestProxy, type TestReplica } from '../support/replica.ts';
import { untilFits } from '../support/until.ts';

/** What is said everywhere of proxies that leave, and of those that vanish: by both of two replicas. */

const { cluster, listener, scopedRoute, snapshot } = typeUrls;
const types = [cluster, listener, scopedRoute, snapshot];

const world = [
  gatewayClass(),
  gateway('edge'),
  service('web'),
  endpointSlice('web', ['10.0.0.1']),
  httpRoute('shop', { hostnames: ['shop.test'] } as never),
];

/** All that is said of nodes, in one shape. */
async function said(replica: TestReplica) {
  const { nodeCount, connectedNodeCount, readyNodeCount, currentVersionNodeCount, driftedNodeCount, lostNodeCount } =
    await replica.json('/v1/summary');
  const [nodes, sync, clients, problems, metrics] = await Promise.all([
    replica.json('/v1/nodes?sort=nodeId'),
    replica.json('/v1/snapshot-sync'),
    replica.json('/api/v1/clients', 'layout2'),
    replica.json('/v1/problems'),
    replica.get('/metrics', 'metrics').then((answer) => answer.text()),
  ]);
  const shown = (all: readonly Record<string, unknown>[], id: string) =>
    all.map((node) => `${node[id]}${node.lost ? ' lost' : ''}`).sort();
  return {
    counts: [nodeCount, connectedNodeCount, readyNodeCount, currentVersionNodeCount, driftedNodeCount, lostNodeCount],
    syncCounts: [sync.summary.nodeCount, sync.summary.connectedNodeCount, sync.summary.lostNodeCount],
    nodes: shown(nodes, 'nodeId'),
    sync: shown(sync.nodes, 'nodeId'),
    clients: shown(clients, 'node_id'),
    problems: problems.items.map(({ code, object }: never) => `${code} ${(object as { name: string }).name}`),
    metric: [...metrics.matchAll(/^gatewright_gateway_dataplane_ready\{(.*?)\} (\d)$/gm)]
      .map(([, labels = '', value]) => `${/node_id="(.*?)"/.exec(labels)?.[1]} ${value}`)
      .sort(),
    gauges: [...metrics.matchAll(/^gatewright_xds_nodes\S* (\d+)$/gm)]
      .map(([line]) => line.replace('gatewright_', ''))
      .sort(),
  };
}

type Said = Awaited<ReturnType<typeof said>>;

const untilSaid = (replica: TestReplica, what: string, wanted: Partial<Said>) =>
  untilFits(
    `${what} at ${replica.identity}`,
    () => said(replica),
    (all) =>
      Object.entries(wanted).every(
        ([part, value]) => JSON.stringify(all[part as keyof Said]) === JSON.stringify(value),
      ),
  );

/** The world with two proxies, both at the first replica, and all is well. */
async function twoProxies(t: ExecutionContext) {
  const [a, b] = await startTwo(t, world);
  const proxies = [new TestProxy(t, a, { nodeId: 'node-1', types }), new TestProxy(t, a, { nodeId: 'node-2', types })];
  for (const replica of [a, b]) await untilSaid(replica, 'two proxies', { counts: [2, 2, 2, 2, 0, 0] });
  return { a, b, proxies: proxies as [TestProxy, TestProxy] };
}

const onlyTheOther = {
  counts: [1, 1, 1, 1, 0, 0],
  syncCounts: [1, 1, 0],
  nodes: ['node-2'],
  sync: ['node-2'],
  clients: ['node-2'],
  problems: [],
} as const;

test('a proxy that says goodbye is nowhere any more, on any replica', async (t) => {
  const { a, b, proxies } = await twoProxies(t);
  proxies[0].client.send({ typeUrl: goodbyeType });
  for (const replica of [a, b]) await untilSaid(replica, 'the other one', onlyTheOther as never);
  await untilSaid(a, 'its metrics', {
    metric: ['node-2 1'],
    gauges: ['xds_nodes_lost 0', 'xds_nodes{sync="current"} 1', 'xds_nodes{sync="drifted"} 0'],
  });
  t.pass();
});

test('a proxy that vanishes is lost, in all places alike; it is gone with its pod', async (t) => {
  const { a, b, proxies } = await twoProxies(t);
  for (const { control } of [a, b]) control.xds.setPods('default/edge', new Set(['node-1', 'node-2']));
  await proxies[0].close();
  for (const replica of [a, b])
    await untilSaid(replica, 'a lost one', {
      counts: [2, 1, 1, 1, 0, 1],
      syncCounts: [2, 1, 1],
      nodes: ['node-1 lost', 'node-2'],
      sync: ['node-1 lost', 'node-2'],
      clients: ['node-1 lost', 'node-2'],
      problems: ['node_lost node-1'],
    });
  await untilSaid(a, 'its metrics', {
    metric: ['node-1 0', 'node-2 1'],
    gauges: ['xds_nodes_lost 1', 'xds_nodes{sync="current"} 1', 'xds_nodes{sync="drifted"} 0'],
  });
  // The replica that it was connected to is the first to hear, or the last.
  for (const { control } of [b, a]) control.xds.setPods('default/edge', new Set(['node-2']));
  for (const replica of [a, b]) await untilSaid(replica, 'the other one', onlyTheOther as never);
  await untilSaid(a, 'its metrics', { metric: ['node-2 1'] });
  t.pass();
});

test('proxies whose pods ended with their replica are not missed', async (t) => {
  const { a, b } = await twoProxies(t);
  for (const { control } of [a, b]) control.xds.setPods('default/edge', new Set(['node-1', 'node-2']));
  await untilSaid(b, 'what the other one has', { nodes: ['node-1', 'node-2'] });
  await untilFits(
    'it to be known that they are pods',
    () => b.control.xds.isGone({ nodeId: 'node-1', cluster: 'default/edge', isPod: true } as never),
    (gone) => !gone,
  );
  await a.stop();
  await untilSaid(b, 'both to be lost', { nodes: ['node-1 lost', 'node-2 lost'] });
  b.control.xds.setPods('default/edge', new Set(['node-2']));
  // As with a change of pods in a cluster.
  b.control.builder.changed();
  await untilSaid(b, 'the one whose pod is there', { nodes: ['node-2 lost'] });
  t.pass();
});
