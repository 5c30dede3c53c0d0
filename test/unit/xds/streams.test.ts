import { once } from 'node:events';
import { connect, constants } from 'node:http2';
import { status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { typeUrls } from '../../../src/envoy/index.ts';
import type { TerminationReason } from '../../../src/xds/index.ts';
import { nodeView } from '../../support/admin.ts';
import { DeltaClient, SotwClient, subscribeWithoutReading } from '../../support/grpc.ts';
import { unscraped } from '../../support/metrics.ts';
import { thorough } from '../../support/repetitions.ts';
import { until } from '../../support/until.ts';
import { fakeResource, gateway, nextEvent, publisher, startXds } from '../../support/xds.ts';

const { cluster, listener } = typeUrls;

interface Line {
  readonly level: string;
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

/** A logger that remembers. */
function recorder() {
  const lines: Line[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields: fields as Record<string, unknown>, message });
  const logger = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') } as never;
  return { lines, logger };
}

function closeAfter(t: ExecutionContext, ...clients: readonly { close(): void }[]): void {
  t.teardown(() => {
    for (const client of clients) client.close();
  });
}

function counted() {
  const reasons: TerminationReason[] = [];
  return {
    reasons,
    metrics: { ...unscraped(), streamClosed: (reason: TerminationReason) => void reasons.push(reason) },
  };
}

test.serial('a newer stream of the same node id supersedes the older one', async (t) => {
  const { lines, logger } = recorder();
  const { reasons, metrics } = counted();
  const { server, port, events } = await startXds(t, { logger, metrics });
  publisher(server)({ upserts: [fakeResource(cluster, 'a')] });
  const [older, newer] = [new DeltaClient({ target: port }), new SotwClient({ target: port })];
  closeAfter(t, older, newer);
  older.subscribe(cluster);
  await older.take();
  newer.subscribe(cluster);
  await newer.take();
  const end = await older.ended;
  t.is(end.code, status.ABORTED);
  t.regex(end.details, /superseded by a newer stream of node_id node-1/);
  t.deepEqual(reasons, ['superseded']);
  t.like(server.nodes.find('node-1'), { connected: true, stream: 'sotw', supersededCount: 1 });
  t.is(server.nodes.list().length, 1);
  const kinds = events.map(({ kind }) => kind);
  t.true(kinds.includes('superseded') && !kinds.includes('disconnected'));
  const warned = lines.filter(({ level, fields }) => level === 'warn' && fields.node_id === 'node-1');
  t.deepEqual(
    warned.map(({ message }) => message),
    ['draining superseded stream: a newer one has the same node_id', 'xDS stream ended'],
  );
  publisher(server)({ upserts: [fakeResource(cluster, 'b')] }, 's2');
  t.is((await newer.take()).resources.length, 2, 'the newer one is served on');
});

test.serial('a node that is lost stays listed, with the reason, and is forgotten in the end', async (t) => {
  let now = new Date('2026-01-01T00:00:00Z');
  const { server, port } = await startXds(t, { clock: () => now, ackTimeoutMs: 40 * 60_000, sendTimeoutMs: 100 });
  publisher(server)({ upserts: [fakeResource(cluster, 'a')] });
  const client = new DeltaClient({ target: port, nodeId: 'n' });
  const gone = nextEvent(server, ({ kind }) => kind === 'disconnected');
  client.subscribe(cluster);
  await until('the node', () => server.nodes.find('n'));
  client.close();
  await gone;
  t.like(server.nodes.find('n'), {
    connected: false,
    ready: false,
    disconnectReason: 'client_disconnect',
    disconnectedAt: now,
  });
  t.deepEqual(server.nodes.find('n')?.subscriptions, [cluster]);
  const forgotten = nextEvent(server, ({ kind }) => kind === 'forgotten');
  now = new Date('2026-01-01T00:10:00Z');
  t.is((await forgotten).node.nodeId, 'n');
  t.deepEqual(server.nodes.list(), []);
});

for (const [title, send, details] of [
  ['bytes that are no request', (c: DeltaClient) => c.sendRaw(Buffer.from('garbage!')), /not a DeltaDiscoveryRequest/],
  ['no node', (c: DeltaClient) => c.send({ node: undefined, typeUrl: cluster }), /must carry node/],
  [
    'an empty node id',
    (c: DeltaClient) => c.send({ node: { cluster: 'default/gw' }, typeUrl: cluster }),
    /node.id is empty/,
  ],
  ['an empty cluster', (c: DeltaClient) => c.send({ node: { id: 'x' }, typeUrl: cluster }), /node.cluster is empty/],
  ['an empty type', (c: DeltaClient) => c.send({}), /type_url is empty/],
] as const) {
  test.serial(`${title}: rejected with INVALID_ARGUMENT, and no other client notices`, async (t) => {
    const { reasons, metrics } = counted();
    const { server, port } = await startXds(t, { metrics });
    const publish = publisher(server);
    publish({ upserts: [fakeResource(cluster, 'a')] });
    const good = new DeltaClient({ target: port, nodeId: 'good' });
    const bad = new DeltaClient({ target: port, nodeId: 'bad' });
    closeAfter(t, good, bad);
    good.subscribe(cluster);
    await good.take();
    send(bad);
    const end = await bad.ended;
    t.is(end.code, status.INVALID_ARGUMENT);
    t.regex(end.details, details);
    t.deepEqual(reasons, ['invalid_request']);
    t.deepEqual(
      server.nodes.list().map(({ nodeId }) => nodeId),
      ['good'],
    );
    publish({ upserts: [fakeResource(cluster, 'b')] });
    t.is((await good.take()).resources[0]?.name, 'b');
  });
}

test.serial('a client that never answers loses its stream, and holds up no other client', async (t) => {
  const { reasons, metrics } = counted();
  let now = new Date('2026-01-01T00:00:00Z');
  const { server, port } = await startXds(t, { metrics, clock: () => now, ackTimeoutMs: 6_000, sendTimeoutMs: 100 });
  const publish = publisher(server);
  publish({ upserts: [fakeResource(cluster, 'a')] });
  const [mute, good] = [
    new DeltaClient({ target: port, nodeId: 'mute' }),
    new DeltaClient({ target: port, nodeId: 'good' }),
  ];
  closeAfter(t, mute, good);
  mute.subscribe(cluster);
  good.subscribe(cluster);
  await mute.receive();
  await good.take();
  publish({ upserts: [fakeResource(cluster, 'b')] });
  t.is((await good.take()).resources[0]?.name, 'b');
  await until('the answer of the good one', () => server.nodes.find('good')?.lastAckVersion === 's2');
  now = new Date('2026-01-01T00:00:06Z');
  const end = await mute.ended;
  t.is(end.code, status.DEADLINE_EXCEEDED);
  t.regex(end.details, /no ACK or NACK within 6000 ms/);
  t.deepEqual(reasons, ['ack_timeout']);
  t.like(server.nodes.find('mute'), { connected: false, disconnectReason: 'ack_timeout' });
  t.true(server.nodes.find('good')?.connected);
});

test.serial('a client that does not read loses its stream', async (t) => {
  const { reasons, metrics } = counted();
  const { server, port } = await startXds(t, { metrics, sendTimeoutMs: 300 });
  publisher(server)({ upserts: [fakeResource(cluster, 'big', 'x'.repeat(8_000_000))] });
  t.teardown(subscribeWithoutReading(port, cluster));
  await nextEvent(server, ({ kind }) => kind === 'disconnected');
  t.deepEqual(reasons, ['send_timeout']);
});

test.serial('closing ends all streams with UNAVAILABLE', async (t) => {
  const { reasons, metrics } = counted();
  const { server, port } = await startXds(t, { metrics });
  publisher(server)({ upserts: [fakeResource(listener, 'l')] });
  const clients = ['a', 'b', 'c'].map((nodeId) => new DeltaClient({ target: port, nodeId }));
  closeAfter(t, ...clients);
  for (const client of clients) {
    client.subscribe(listener);
    await client.take();
  }
  const [ends] = await Promise.all([Promise.all(clients.map(({ ended }) => ended)), server.close()]);
  t.deepEqual(
    ends.map(({ code }) => code),
    [status.UNAVAILABLE, status.UNAVAILABLE, status.UNAVAILABLE],
  );
  t.deepEqual(reasons, ['shutdown', 'shutdown', 'shutdown']);
});

thorough(test.serial)('closing says GOAWAY, so that clients open their next stream elsewhere', async (t) => {
  const { server, port } = await startXds(t);
  const connection = connect(`http://127.0.0.1:${port}`).on('error', () => {});
  t.teardown(() => connection.destroy());
  await once(connection, 'connect');
  const reported = once(connection, 'goaway');
  await server.close();
  const [code] = await reported;
  t.is(code, constants.NGHTTP2_NO_ERROR);
});

test.serial('an address that cannot be bound is said', async (t) => {
  const { server, port } = await startXds(t);
  const { server: second } = await startXds(t);
  await t.throwsAsync(second.listen(`127.0.0.1:${port}`), { message: `cannot listen for xDS on 127.0.0.1:${port}` });
  t.is(server.nodes.list().length, 0);
});

test.serial('pushing is over when every node of the gateway has answered all there is, or left', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [fakeResource(cluster, 'a')] });
  t.false(server.isPushing, 'no client is there');
  const [one, two] = [
    new DeltaClient({ target: port, nodeId: 'one' }),
    new DeltaClient({ target: port, nodeId: 'two' }),
  ];
  closeAfter(t, one, two);
  for (const client of [one, two]) {
    client.subscribe(cluster);
    await client.take();
  }
  publish({ upserts: [fakeResource(cluster, 'b')] });
  t.true(server.isPushing);
  await one.take();
  await two.receive();
  await until('the first answer', () => server.nodes.find('one')?.lastAckVersion === 's2' || undefined);
  t.true(server.isPushing, 'the other has not answered');
  two.close();
  await until('the server to wait for no client', () => !server.isPushing || undefined);
});

test.serial('what is published is written at once when the caller asks for it, and only once', async (t) => {
  const { lines, logger } = recorder();
  const { server, port } = await startXds(t, { logger });
  const publish = publisher(server);
  publish({ upserts: [fakeResource(cluster, 'a')] });
  const client = new DeltaClient({ target: port });
  closeAfter(t, client);
  client.subscribe(cluster);
  await client.take();
  const acknowledged = (id: string) =>
    until('the answer', () => server.nodes.find('node-1')?.lastAckVersion === id || undefined);
  await acknowledged('s1');
  publish({ upserts: [fakeResource(cluster, 'b')] });
  const written = () =>
    lines.filter(({ message, fields }) => message === 'xDS push' && fields.snapshot === 's2').length;
  t.is(written(), 0);
  server.push();
  t.is(written(), 1);
  t.deepEqual(
    (await client.take()).resources.map(({ name }) => name),
    ['b'],
  );
  await acknowledged('s2');
  publish({ upserts: [fakeResource(cluster, 'c')] });
  t.deepEqual(
    (await client.take()).resources.map(({ name }) => name),
    ['c'],
    'without being asked, in a turn of its own',
  );
  t.is(written(), 1);
});

thorough(test.serial)('a hundred streams all get a change, and then the manifest', async (t) => {
  const { server, port } = await startXds(t);
  const publish = publisher(server);
  publish({ upserts: [fakeResource(listener, 'l')] });
  const clients = Array.from({ length: 100 }, (_, at) => new DeltaClient({ target: port, nodeId: `n${at}` }));
  closeAfter(t, ...clients);
  for (const client of clients) {
    client.subscribe(listener);
    client.subscribe(typeUrls.snapshot, 'snapshot');
  }
  await Promise.all(clients.flatMap((client) => [client.take(listener), client.take(typeUrls.snapshot)]));
  publish({ upserts: [fakeResource(listener, 'l', '2')] });
  const manifests = await Promise.all(
    clients.map(async (client) => {
      await client.take(listener);
      return (await client.take(typeUrls.snapshot)).resources[0]?.version;
    }),
  );
  t.deepEqual(new Set(manifests), new Set(['s2']));
  await until('all to have applied it', () =>
    server.nodes.list().every(({ lastAckVersion }) => lastAckVersion === 's2'),
  );
});

test.serial('who connects here was elsewhere before, whatever the clocks say', async (t) => {
  const now = new Date('2026-01-01T00:00:00Z');
  const theirs = new Date('2026-01-01T00:00:07Z');
  const elsewhere = () =>
    nodeView('node-1', { connectedAt: theirs, replica: 'b', supersededCount: 2, lastNackMessage: 'no' });
  const { server, port } = await startXds(t, { clock: () => now, elsewhere });
  publisher(server)({ upserts: [fakeResource(cluster, 'a')] });
  const client = new DeltaClient({ target: port });
  closeAfter(t, client);
  client.subscribe(cluster);
  await client.take();
  const node = server.nodes.find('node-1');
  t.like(node, { connected: true, supersededCount: 3, lastNackMessage: 'no' });
  t.is(node?.connectedAt.getTime(), theirs.getTime() + 1);
});

test.serial('a node that is given up loses its stream, and is listed no more', async (t) => {
  const { reasons, metrics } = counted();
  const { server, port, events } = await startXds(t, { metrics });
  publisher(server)({ upserts: [fakeResource(cluster, 'a')] });
  const client = new DeltaClient({ target: port });
  closeAfter(t, client);
  client.subscribe(cluster);
  await client.take();
  server.giveUp({ nodeId: 'node-1', cluster: gateway }, 'replica-b');
  const end = await client.ended;
  t.is(end.code, status.ABORTED);
  t.regex(end.details, /superseded by a newer stream of node_id node-1 from replica replica-b/);
  t.deepEqual(reasons, ['superseded']);
  t.deepEqual(server.nodes.list(), []);
  t.deepEqual(
    events.map(({ kind }) => kind).filter((kind) => ['disconnected', 'forgotten'].includes(kind)),
    ['disconnected', 'forgotten'],
  );
  t.notThrows(() => server.giveUp({ nodeId: 'unknown', cluster: gateway }, 'replica-b'));
});
