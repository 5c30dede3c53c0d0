import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../../../scripts/free-port.ts';
import {
  RemoteReplicas,
  ReplicaNodes,
  Replicas,
  type ReplicasOptions,
} from '../../../../src/cluster/replicas/index.ts';
import { createLogger } from '../../../../src/telemetry/index.ts';
import type { NodeView } from '../../../../src/xds/index.ts';
import { nodeView } from '../../../support/admin.ts';
import { HandClock } from '../../../support/hand-clock.ts';
import { until } from '../../../support/until.ts';

const noHooks = {
  nodeChanged() {},
  applied() {},
  giveUp() {},
  looked() {},
  isGone: () => false,
  offerAgain() {},
  requestsFailed() {},
  limitsAsked() {},
  limitsGranted() {},
  parted() {},
  taken() {},
};

/** A replica of which only the feed is served, on an address of its own. */
async function start(
  t: ExecutionContext,
  identity: string,
  host: string,
  port: number,
  more: Partial<ReplicasOptions> = {},
): Promise<{ replicas: Replicas; port: number; nodes: Map<string, NodeView>; stop: () => Promise<void> }> {
  const nodes = new Map<string, NodeView>();
  const replicas = new Replicas({
    places: { peers: [] },
    nodes: new ReplicaNodes({
      local: { list: () => [...nodes.values()], find: (nodeId) => nodes.get(nodeId) },
      remotes: new RemoteReplicas(identity),
    }),
    snapshot: () => 's1',
    token: async () => undefined,
    hooks: noHooks,
    // Each expected replica comes; nothing may be left to the next sign of life.
    timing: { introductionMs: 600_000, heartbeatMs: 600_000, idleMs: 1_200_000 },
    logger: createLogger({ level: 'silent' }),
    ...more,
  });
  const server = createServer((_request, response) => {
    const feed = replicas.feed.open();
    if (feed) pipeline(feed, response, () => {});
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  let stopped: Promise<unknown> | undefined;
  // The last words go out before the connections end.
  const stop = async () => {
    stopped ??= Promise.all([replicas.stop(), new Promise((resolve) => server.close(resolve))]);
    await stopped;
  };
  t.teardown(stop);
  return { replicas, port: (server.address() as AddressInfo).port, nodes, stop };
}

const states = ({ replicas }: { replicas: Replicas }): Record<string, string> =>
  Object.fromEntries(replicas.list().map(({ identity, state }) => [identity, state]));

test('replicas are the addresses of a name, which is asked again: they come, and those that go are not missed', async (t) => {
  let addresses: readonly string[] = ['127.0.0.1'];
  let asked = 0;
  const lookup = async (host: string) => {
    t.is(host, 'replicas.test');
    asked += 1;
    return addresses;
  };
  const clock = new HandClock();
  const b = await start(t, 'b', '127.0.0.2', await freePort());
  const service = { host: 'replicas.test', port: b.port };
  const a = await start(t, 'a', '127.0.0.1', b.port, { places: { service, peers: [] }, lookup, clock });
  a.replicas.start();
  await a.replicas.peersSynced;
  t.deepEqual(states(a), { a: 'self' }, 'its own address is no other replica');

  addresses = ['127.0.0.1', '127.0.0.2'];
  clock.move(5_000);
  await until('the other', () => states(a).b === 'connected');
  t.deepEqual(a.replicas.warnings(), []);

  const before = asked;
  addresses = ['127.0.0.1'];
  await b.stop();
  await until('its farewell', () => states(a).b === 'left');
  await until('the name to be asked again', () => asked > before);
  clock.move(60_000);
  t.deepEqual(a.replicas.warnings(), [], 'who has left in good order, and is not expected, is not missed');
});

test('a name that cannot be resolved is reported after a while, and nothing waits for it', async (t) => {
  const clock = new HandClock();
  const places = { service: { host: 'replicas.test', port: 1 }, peers: [] };
  const lookup = () => Promise.reject(new Error('getaddrinfo ENOTFOUND replicas.test'));
  const a = await start(t, 'a', '127.0.0.1', 0, { places, lookup, clock });
  a.replicas.start();
  await a.replicas.peersSynced;
  t.deepEqual(a.replicas.warnings(), []);
  clock.move(10_001);
  t.regex(a.replicas.warnings()[0]?.message ?? '', /replicas\.service cannot be resolved: .*ENOTFOUND/);
});

test('the data planes of a replica that is gone are listed for ten minutes, and then no more', async (t) => {
  const clock = new HandClock();
  const changes: (string | undefined)[] = [];
  const hooks = {
    ...noHooks,
    nodeChanged: (_before: NodeView | undefined, after: NodeView | undefined) =>
      void changes.push(after && `${after.nodeId} ${after.connected}`),
  };
  const b = await start(t, 'b', '127.0.0.1', 0);
  b.nodes.set('n', nodeView('n'));
  const places = { peers: [{ host: '127.0.0.1', port: b.port }] };
  const a = await start(t, 'a', '127.0.0.1', 0, { places, clock, hooks });
  a.replicas.start();
  await a.replicas.peersSynced;
  t.like(a.replicas.nodes.find('n'), { connected: true, replica: 'b', staleSince: undefined });
  b.nodes.set('n', nodeView('n', { connected: false, disconnectReason: 'shutdown' }));
  b.replicas.feed.nodeChanged(nodeView('n'), false);
  await b.stop();
  await until('its farewell', () => states(a).b === 'left');
  t.like(a.replicas.nodes.list(), [{ nodeId: 'n', connected: false, disconnectReason: 'shutdown' }]);
  clock.move(600_000);
  t.deepEqual(a.replicas.nodes.list(), []);
  t.deepEqual(changes, ['n true', 'n false', undefined]);
});

test('nodes of two Gateways with one id are two, until one is gone', async (t) => {
  const nodes = ['default/edge', 'default/other'].map((cluster) => nodeView('n', { cluster, gateway: cluster }));
  const list = () => nodes;
  const find = (nodeId: string, of?: string) => nodes.find((node) => node.nodeId === nodeId && node.cluster === of);
  const b = await start(t, 'b', '127.0.0.1', 0, {
    nodes: new ReplicaNodes({ local: { list, find }, remotes: new RemoteReplicas('b') }),
  });
  const places = { peers: [{ host: '127.0.0.1', port: b.port }] };
  const a = await start(t, 'a', '127.0.0.1', 0, { places });
  a.replicas.start();
  await a.replicas.peersSynced;
  t.is(a.replicas.nodes.list().length, 2);
  t.like(a.replicas.nodes.find('n', 'default/other'), { cluster: 'default/other', replica: 'b' });
  const [gone] = nodes.splice(0, 1);
  b.replicas.feed.nodeChanged(gone as NodeView, true);
  await until('the news', () => a.replicas.nodes.list().length === 1);
  t.like(a.replicas.nodes.list(), [{ nodeId: 'n', cluster: 'default/other' }]);
  t.is(a.replicas.nodes.find('n', 'default/edge'), undefined);
});

test('a reader that comes again, and one that was there, know the same', async (t) => {
  const b = await start(t, 'b', '127.0.0.1', 0);
  for (let index = 0; index < 500; index++) b.nodes.set(`n${index}`, nodeView(`n${index}`));
  const places = { peers: [{ host: '127.0.0.1', port: b.port }] };
  let messages = 0;
  const early = await start(t, 'early', '127.0.0.1', 0, {
    places,
    hooks: { ...noHooks, taken: () => void messages++ },
  });
  early.replicas.start();
  await early.replicas.peersSynced;
  t.is(early.replicas.nodes.list().length, 500, 'all of them before anything waits for it no more');
  messages = 0;
  b.nodes.set('n7', nodeView('n7', { lastAckVersion: 's2' }));
  b.nodes.delete('n8');
  for (const nodeId of ['n7', 'n8']) b.replicas.feed.nodeChanged(nodeView(nodeId), nodeId === 'n8');
  const isGone = () => early.replicas.nodes.find('n8') === undefined;
  await until('the news', () => early.replicas.nodes.find('n7')?.lastAckVersion === 's2' && isGone());
  t.is(messages, 2, 'what changed, and nothing else');
  const late = await start(t, 'late', '127.0.0.1', 0, { places });
  late.replicas.start();
  await late.replicas.peersSynced;
  const known = ({ replicas }: { replicas: Replicas }) =>
    [...replicas.nodes.list()].sort((one, other) => (one.nodeId < other.nodeId ? -1 : 1));
  t.deepEqual(known(late), known(early));
  t.is(known(late).length, 499);
});
