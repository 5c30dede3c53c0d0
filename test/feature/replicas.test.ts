import { status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import type { RouteParentStatus } from '../../src/gateway-api/index.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, ownObject, service } from '../support/objects.ts';
import { thorough } from '../support/repetitions.ts';
import { startReplica, startTwo, TestProxy, type TestReplica } from '../support/replica.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until, untilFits } from '../support/until.ts';

const { cluster, listener, scopedRoute, snapshot } = typeUrls;
const types = [cluster, listener, scopedRoute, snapshot];

const shop = (name: string, host: string, generation = 1) =>
  httpRoute(name, { hostnames: [host] } as never, { generation });

const world = [
  gatewayClass(),
  gateway('edge'),
  service('web'),
  endpointSlice('web', ['10.0.0.1']),
  shop('shop', 'shop.test'),
];

const connect = (t: ExecutionContext, replica: TestReplica, nodeId: string, more = {}) =>
  new TestProxy(t, replica, { nodeId, types, ...more });

interface Node {
  readonly nodeId: string;
  readonly replica: string;
  readonly connected: boolean;
  readonly ready: boolean;
  readonly disconnectReason: string | null;
  readonly staleSince: string | null;
  readonly supersededCount: number;
}

const nodesOf = async (replica: TestReplica): Promise<Node[]> => replica.json('/v1/nodes?sort=nodeId');

const untilNodes = (replica: TestReplica, what: string, fits: (nodes: Node[]) => boolean): Promise<Node[]> =>
  untilFits(`${what} at ${replica.identity}`, () => nodesOf(replica), fits);

const codesOf = async (replica: TestReplica, path = '/v1/summary'): Promise<string[]> =>
  ((await replica.json(path)) as { warnings: { code: string }[] }).warnings
    .map(({ code }) => code)
    .filter((code) => code.startsWith('replica'));

const idOf = ({ control }: TestReplica): string | undefined => control.graph.snapshot()?.id;

test('data planes are the same on every replica, each with the one that it is connected to', async (t) => {
  const [a, b] = await startTwo(t, world);
  connect(t, a, 'node-1');
  connect(t, b, 'node-2');
  for (const replica of [a, b]) {
    const nodes = await untilNodes(replica, 'two ready nodes', (all) => all.filter(({ ready }) => ready).length === 2);
    t.deepEqual(
      nodes.map(({ nodeId, replica: of, staleSince }) => [nodeId, of, staleSince]),
      [
        ['node-1', 'replica-a', null],
        ['node-2', 'replica-b', null],
      ],
    );
    const summary = await untilFits(
      'both to be current and the listener to be programmed',
      () => replica.json('/v1/summary'),
      ({ currentVersionNodeCount, warnings }) => currentVersionNodeCount === 2 && warnings.length === 0,
    );
    t.like(summary, { nodeCount: 2, connectedNodeCount: 2, readyNodeCount: 2 });
    const sync = await replica.json('/v1/snapshot-sync');
    t.like(sync, { summary: { nodeCount: 2, currentVersionNodeCount: 2 }, warnings: [] });
    t.like(sync.nodes[1], { nodeId: 'node-2', sync: 'current', replica: 'replica-b' });
    t.like(await replica.json('/v1/nodes/node-1'), { nodeId: 'node-1', connected: true, replica: 'replica-a' });
    t.is((await replica.json('/v1/dataplanes')).length, 2);
    t.like(await replica.json('/api/v1/clients/node-2', 'layout2'), { node_id: 'node-2', connected: true });
    t.like(await replica.json('/api/v1/config/snapshot/version', 'layout2'), { clients_connected: 2 });
    t.like(await replica.json('/api/v1/gateways/default/edge', 'layout2'), { clients: ['node-1', 'node-2'] });
  }
  t.is(idOf(a), idOf(b), 'the same snapshot');
  const replicas = await a.json('/v1/replicas');
  t.like(replicas, [
    { identity: 'replica-a', state: 'self', address: null },
    { identity: 'replica-b', state: 'connected', address: `127.0.0.1:${b.port}`, snapshotVersion: idOf(b) },
  ]);
  t.regex(await (await a.get('/metrics', 'metrics')).text(), /gateway_replica_peers\{state="connected"\} 1\n/);
});

test('a Gateway whose proxies are all connected to another replica is programmed', async (t) => {
  const [a, b] = await startTwo(t, world);
  const programmed = () => {
    const desired = a.statuses.get('Gateway default/edge');
    const conditions = desired?.kind === 'Gateway' ? desired.conditions : [];
    return conditions.find(({ type }) => type === 'Programmed')?.status;
  };
  await untilFits('the status', programmed, (is) => is === 'False');
  connect(t, b, 'node-1');
  await untilFits('the status', programmed, (is) => is === 'True');
  a.put(gateway('edge', [{}, { name: 'more', port: 81 }], { generation: 2 }));
  await untilFits('the status', programmed, (is) => is === 'False');
  b.put(gateway('edge', [{}, { name: 'more', port: 81 }], { generation: 2 }));
  await untilFits('the status', programmed, (is) => is === 'True');
  t.pass();
});

test('a node that connects to another replica ends its older stream', async (t) => {
  const [a, b] = await startTwo(t, world);
  const older = connect(t, a, 'node-1');
  await untilNodes(b, 'the node', ([node]) => node?.replica === 'replica-a' && node.connected);
  const newer = connect(t, b, 'node-1');
  const end = await older.client.ended;
  t.is(end.code, status.ABORTED);
  t.regex(end.details, /superseded by a newer stream of node_id node-1 from replica replica-b/);
  for (const replica of [a, b]) {
    const nodes = await untilNodes(replica, 'the move', ([node]) => node?.replica === 'replica-b' && node.ready);
    t.like(nodes, [{ nodeId: 'node-1', connected: true, supersededCount: 1 }]);
    t.is(nodes.length, 1);
  }
  t.deepEqual(a.control.xds.nodes.list(), [], 'listed by who has it');
  const metrics = async () => await (await a.get('/metrics', 'metrics')).text();
  t.regex(await metrics(), /xds_stream_terminations_total\{reason="superseded"\} 1\n/);
  t.notRegex(await metrics(), /dataplane_ready\{node_id="node-1"/);

  const back = connect(t, a, 'node-1');
  t.is((await newer.client.ended).code, status.ABORTED, 'and the other way round');
  await untilNodes(b, 'the way back', ([node]) => node?.replica === 'replica-a' && node.ready);
  await back.close();
  for (const replica of [a, b]) {
    const [node] = await untilNodes(replica, 'the end', ([one]) => one?.connected === false);
    t.like(node, { replica: 'replica-a', disconnectReason: 'client_disconnect', staleSince: null });
  }
});

/** Two whose ways to each other can be cut. */
async function startApart(t: ExecutionContext, timing = {}) {
  const [portA, portB] = [await freePort(), await freePort()];
  const [toA, toB] = [await TcpProxy.start(portA), await TcpProxy.start(portB)];
  t.teardown(() => toA[Symbol.asyncDispose]());
  t.teardown(() => toB[Symbol.asyncDispose]());
  const a = await startReplica(t, { identity: 'replica-a', port: portA, peers: [toB.port], objects: world, timing });
  const b = await startReplica(t, { identity: 'replica-b', port: portB, peers: [toA.port], objects: world, timing });
  const ways = [toA, toB];
  return {
    a,
    b,
    cut: () => {
      for (const way of ways) way.cut();
    },
    heal: () => {
      for (const way of ways) way.heal();
    },
  };
}

thorough(test)(
  'of two streams that began while replicas did not hear of each other, the later one stays',
  async (t) => {
    const { a, b, cut, heal } = await startApart(t);
    cut();
    const older = connect(t, a, 'node-1');
    await until('the node', () => a.control.xds.nodes.find('node-1')?.ready);
    const newer = connect(t, b, 'node-1');
    await until('the node', () => b.control.xds.nodes.find('node-1')?.ready);
    heal();
    t.is((await older.client.ended).code, status.ABORTED);
    for (const replica of [a, b]) {
      const nodes = await untilNodes(replica, 'one node', ([node]) => node?.replica === 'replica-b' && node.connected);
      t.is(nodes.length, 1);
    }
    t.true(newer.held.size > 0);
    t.like(b.control.xds.nodes.find('node-1'), { connected: true, supersededCount: 0 });
  },
);

test('the data planes of a replica that cannot be reached are shown as disconnected, and that is reported', async (t) => {
  const { a, b, cut, heal } = await startApart(t, { graceMs: 200 });
  connect(t, b, 'node-2');
  await untilNodes(a, 'the node', ([node]) => node?.ready === true);
  t.deepEqual(await codesOf(a), []);
  cut();
  const [lost] = await untilNodes(a, 'the loss', ([node]) => node?.connected === false);
  t.like(lost, { nodeId: 'node-2', replica: 'replica-b', ready: false, disconnectReason: 'replica_unreachable' });
  t.truthy(lost?.staleSince);
  t.like(await a.json('/v1/snapshot-sync'), { summary: { disconnectedNodeCount: 1 } });
  t.regex(
    (await a.json('/v1/snapshot-sync')).nodes[0].message,
    /nothing is heard of its control plane replica-b since 2/,
  );
  for (const path of ['/v1/summary', '/v1/snapshot-sync'])
    await untilFits(
      'the warning',
      () => codesOf(a, path),
      (codes) => codes.includes('replica_unreachable'),
    );
  t.like((await a.json('/v1/replicas'))[1], { identity: 'replica-b', state: 'unreachable' });
  t.regex(await (await a.get('/metrics', 'metrics')).text(), /gateway_replica_peers\{state="unreachable"\} 1\n/);
  heal();
  await untilNodes(a, 'its return', ([node]) => node?.connected === true && node.staleSince === null);
  t.deepEqual(await codesOf(a), []);
});

thorough(test)('a replica that stops says so, and its data planes may go to another one', async (t) => {
  const [a, b] = await startTwo(t, world, { timing: { graceMs: 600_000 } });
  const proxy = connect(t, b, 'node-2');
  await untilNodes(a, 'the node', ([node]) => node?.ready === true);
  await b.stop();
  const end = await proxy.client.ended;
  t.is(end.code, status.UNAVAILABLE);
  const [node] = await untilNodes(a, 'the end', ([one]) => one?.connected === false);
  t.like(node, { replica: 'replica-b', disconnectReason: 'shutdown' });
  await untilFits(
    'its farewell',
    () => a.json('/v1/replicas'),
    ([, other]) => other.state === 'left',
  );
  connect(t, a, 'node-2', { has: proxy.held });
  const nodes = await untilNodes(a, 'the move', ([one]) => one?.replica === 'replica-a' && one.ready);
  t.like(nodes, [{ nodeId: 'node-2', supersededCount: 0 }]);
  t.is(nodes.length, 1);
});

test('a proxy that comes from another replica is sent nothing that it has', async (t) => {
  const [a, b] = await startTwo(t, world);
  const before = connect(t, a, 'node-1');
  await until('everything', () => a.control.xds.nodes.find('node-1')?.ready);
  const has = before.held;
  t.true([cluster, listener, scopedRoute, snapshot].every((typeUrl) => (has.get(typeUrl)?.size ?? 0) > 0));
  await before.close();
  const after = connect(t, b, 'node-1', { has });
  await until('the node', () => b.control.xds.nodes.find('node-1')?.lastAckVersion === idOf(b) && idOf(b));
  t.deepEqual(after.sent, []);
});

test('what a proxy rejects is held back by all replicas, those that start later included', async (t) => {
  const ports = [await freePort(), await freePort(), await freePort()] as const;
  const start = (identity: string, port: number, objects = world) =>
    startReplica(t, { identity, port, peers: ports, objects, timing: { introductionMs: 600_000 } });
  const bad = shop('poison', 'poison.test');
  const [a, b] = [await start('replica-a', ports[0]), await start('replica-b', ports[1])];
  const rejects = (typeUrl: string, names: readonly string[]) =>
    typeUrl === scopedRoute && names.some((name) => name.includes('poison')) ? 'bad words in poison.test' : undefined;
  connect(t, a, 'node-1', { rejects });
  await untilNodes(b, 'the node', ([node]) => node?.ready === true);
  for (const replica of [a, b]) replica.put(bad);
  const fault = ({ statuses }: TestReplica): string | undefined => {
    const desired = statuses.get('HTTPRoute default/poison') as { parents?: RouteParentStatus[] } | undefined;
    const accepted = desired?.parents?.[0]?.conditions.find(({ type }) => type === 'Accepted');
    return accepted?.status === 'False' ? accepted.message : undefined;
  };
  for (const replica of [a, b]) t.regex(await until('the status', () => fault(replica)), /bad words in poison.test/);
  await untilFits(
    'the same snapshot',
    () => [idOf(a), idOf(b)],
    ([one, other]) => one === other,
  );

  const c = await start('replica-c', ports[2], [...world, bad]);
  const first = await until<string>('the first snapshot', () => idOf(c));
  t.is<string | undefined, string | undefined>(first, idOf(a), 'with what the others hold back already left out');

  // What was rejected is the rule: the same one on another host would be held back there too.
  const matches = [{ path: { type: 'PathPrefix', value: '/fine' } }];
  const rules = [{ matches, backendRefs: [{ name: 'web', port: 80 }] }];
  const fixed = httpRoute('poison', { hostnames: ['fine.test'], rules } as never, { generation: 2 });
  for (const replica of [b, c, a]) replica.put(fixed);
  await untilFits(
    'the same snapshot, with nothing held back',
    () => [a, b, c].map((replica) => `${idOf(replica)} ${[...replica.control.graph.rejections()].length}`),
    (ids) => new Set(ids).size === 1 && ids[0]?.endsWith(' 0') === true && !ids[0].startsWith(first),
  );
});

thorough(test)('replicas go on hearing of each other while a proxy of one rejects an EnvoyPatch', async (t) => {
  const patch = ownObject('EnvoyPatch', 'bad', {
    targetRefs: [{ group: '', kind: 'Service', name: 'web' }],
    cluster: { outlier_detection: { base_ejection_time: '10s', max_ejection_time: '1s' } },
  });
  const [a, b] = await startTwo(t, [...world, shop('shop', 'shop.test')]);
  let asked = 0;
  // The cluster with the patch, and not the one that is sent in its place.
  const rejects = (typeUrl: string, names: readonly string[]) =>
    typeUrl === cluster && names.length > 0 && ++asked === 2 ? 'max_ejection_time is too small' : undefined;
  connect(t, a, 'node-1', { rejects });
  await untilNodes(b, 'the node', ([node]) => node?.ready === true);
  for (const replica of [a, b]) replica.put(patch);
  const said = ({ statuses }: TestReplica): string =>
    JSON.stringify(statuses.get('EnvoyPatch default/bad') ?? {}).replaceAll('"', '');
  for (const replica of [a, b])
    await untilFits(
      `the status at ${replica.identity}`,
      () => said(replica),
      (text) => text.includes('too small'),
    );
  connect(t, a, 'node-2');
  await untilNodes(b, 'a node that came later', (nodes) => nodes.length === 2 && nodes.every(({ ready }) => ready));
  for (const replica of [a, b]) t.deepEqual(await codesOf(replica), []);
});

thorough(test)('replicas whose snapshots differ for long say so', async (t) => {
  const [a, b] = await startTwo(t, world, { timing: { disagreeMs: 300 } });
  await untilFits(
    'the other replica',
    () => a.json('/v1/replicas'),
    (all) => all.length === 2 && all[1].snapshotVersion === idOf(a),
  );
  t.deepEqual(await codesOf(a), []);
  a.put(shop('more', 'more.test'));
  for (const replica of [a, b])
    await untilFits(
      'the warning',
      () => codesOf(replica),
      (codes) => codes.includes('replicas_disagree'),
    );
  b.put(shop('more', 'more.test'));
  for (const replica of [a, b])
    await untilFits(
      'no warning',
      () => codesOf(replica),
      (codes) => codes.length === 0,
    );
  t.pass();
});

test('with a token, replicas follow each other with the one for reading, and no other client does', async (t) => {
  const adminAuth = { bearerToken: 'full', readOnlyBearerToken: 'reading' };
  const [a, b] = await startTwo(t, world, { config: { adminAuth }, token: 'full' });
  connect(t, b, 'node-2');
  await untilNodes(a, 'the node', ([node]) => node?.ready === true);
  const ports = [a.port, await freePort()] as const;
  const stranger = await startReplica(t, {
    identity: 'stranger',
    port: ports[1],
    peers: ports,
    objects: world,
    config: { adminAuth: { bearerToken: 'another' } },
    timing: { graceMs: 100 },
    token: 'another',
  });
  const warned = await untilFits(
    'the warning',
    async () => ((await stranger.json('/v1/summary')) as { warnings: { message: string }[] }).warnings,
    (warnings) => warnings.some(({ message }) => message.includes('401')),
  );
  t.regex(
    warned.map(({ message }) => message).join('\n'),
    /rejects our token \(401\): give all replicas the same adminAuth/,
  );
  t.deepEqual(await nodesOf(stranger), []);
});
