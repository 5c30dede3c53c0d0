import { connect as connectHttp2 } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { isDeepStrictEqual } from 'node:util';
import { Client, credentials, status } from '@grpc/grpc-js';
import test from 'ava';
import { typeUrls } from '../../src/envoy/index.ts';
import { adsPaths } from '../../src/xds/index.ts';
import { type Endings, endings } from '../support/endings.ts';
import { DeltaClient } from '../support/grpc.ts';
import { repetitions, thorough } from '../support/repetitions.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

// Strangers on the xDS port of a gateway whose proxy, a real Envoy, is to go on as before.

const mebibyte = 1024 * 1024;

interface World extends Standalone {
  client(nodeId: string, cluster?: string, metadata?: object): DeltaClient;
  /** A route is added, and the healthy Envoy serves it. */
  untilChanged(when: 'before' | 'after'): Promise<void>;
  linesOf(pattern: RegExp): readonly Record<string, unknown>[];
}

async function world(t: Endings): Promise<World> {
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  const rules = [{ backendRefs: [{ name: 'web', port: 80 }] }];
  gateway.write('web.yaml', ...(await gateway.backend('web')));
  let changes = 0;
  const untilChanged: World['untilChanged'] = async (when) => {
    const name = `${when}-${changes++}`;
    gateway.write(`${name}.yaml`, routeObject(name, `${name}.test`, rules));
    await until(`${name}.test to be served`, async () => (await gateway.get(`${name}.test`)).status === 200);
  };
  await untilChanged('before');
  return Object.assign(gateway, {
    untilChanged,
    client(nodeId: string, cluster = 'default/edge', metadata = {}) {
      const client = new DeltaClient({
        target: gateway.control.ports.xds,
        nodeId,
        cluster,
        metadata: metadata as never,
      });
      t.teardown(() => client.close());
      return client;
    },
    linesOf: (pattern: RegExp) => gateway.log.filter(({ msg }) => pattern.test(String(msg))),
  });
}

/** Of strangers who leave no node behind. */
const shared = endings(test);
let lasting: Promise<World> | undefined;
const lastingWorld = (): Promise<World> => {
  lasting ??= world(shared);
  return lasting;
};

const logBytes = ({ log }: Standalone): number => log.reduce((sum, line) => sum + JSON.stringify(line).length, 0);
const nodesOf = async (gateway: Standalone) =>
  (await gateway.json(gateway.control.ports.layout1, '/v1/nodes')).body as readonly Record<string, never>[];

for (const [title, id, cluster] of [
  ['an id of 8 MiB', 'x'.repeat(8 * mebibyte), 'default/edge'],
  ['a cluster of 8 MiB', 'x', 'd'.repeat(8 * mebibyte)],
  ['an id with a line feed', 'good\n{"level":"error"}', 'default/edge'],
  ['an id that moves the cursor', '\u001b[2Jgone', 'default/edge'],
  ['an id that turns the direction of text', 'a\u202eb', 'default/edge'],
  ['an id of spaces', '   ', 'default/edge'],
  ['257 characters', 'x'.repeat(257), 'default/edge'],
] as const) {
  test.serial(`a node with ${title} is rejected, silently of it in answer or log`, async (t) => {
    const gateway = await lastingWorld();
    const bytes = logBytes(gateway);
    const stranger = gateway.client(id, cluster);
    stranger.subscribe(typeUrls.cluster);
    const { code, details } = await stranger.ended;
    t.is(code, status.INVALID_ARGUMENT);
    t.regex(details, /^node\.(id|cluster) must be 1 to 256 printable ASCII characters, without spaces around them$/);
    t.is((await nodesOf(gateway)).length, 1);
    t.true(logBytes(gateway) - bytes < 20_000);
    await gateway.untilChanged('after');
  });
}

test.serial('what a node says of itself is cut, and cleaned of what would deceive a reader', async (t) => {
  const gateway = await world(t);
  const stranger = gateway.client('wordy', 'default/edge', {
    gatewright_version: `9\u001b[31m${'v'.repeat(mebibyte)}`,
  });
  const unknown = 'type.googleapis.com/made.Up';
  stranger.subscribe(unknown, 'x');
  const sent = await stranger.receive(unknown);
  stranger.nack(sent, `\u001b[2J\u202e${'n'.repeat(8 * mebibyte)}`);
  const node = await untilFits(
    'the node',
    async () => (await nodesOf(gateway)).find(({ nodeId }) => nodeId === 'wordy'),
    (found) => found?.lastConfigStatus === 'NACK',
  );
  t.true(JSON.stringify(node).length < 8_000);
  t.regex(JSON.stringify(node), /^[ -~…]*$/);
  t.regex(String(node?.version), /^9\?\[31mv+$/);
  await gateway.untilChanged('after');
});

thorough(test.serial)('connections and streams that say nothing are ended, and their clients hear why', async (t) => {
  const gateway = await world(t);
  const { xds } = gateway.control.ports;
  const began = performance.now();
  const silent = new DeltaClient({ target: xds });
  t.teardown(() => silent.close());
  const raw = connectSocket(xds, '127.0.0.1');
  const http2 = connectHttp2(`http://127.0.0.1:${xds}`);
  const gone = (emitter: { once(event: 'close', listener: () => void): unknown }) =>
    new Promise<void>((resolve) => emitter.once('close', resolve));
  http2.on('error', () => {});
  raw.on('error', () => {}).resume();
  const [{ code, details }] = await Promise.all([silent.ended, gone(raw), gone(http2)]);
  t.is(code, status.DEADLINE_EXCEEDED);
  t.is(details, 'no request within 10000 ms');
  t.true(performance.now() - began > 9_000);
  await gateway.untilChanged('after');
});

thorough(test.serial)(
  'a node that connects over and over, and many streams that are cancelled at once, cost a bounded number of lines',
  async (t) => {
    const gateway = await world(t);
    const lines = gateway.log.length;
    const { xds } = gateway.control.ports;
    const bytes = (value: Uint8Array) => Buffer.from(value);
    const channel = new Client(`127.0.0.1:${xds}`, credentials.createInsecure());
    t.teardown(() => channel.close());
    for (let index = 0; index < repetitions({ few: 500, all: 2_000 }); index += 1) {
      const stream = channel.makeBidiStreamRequest(adsPaths.delta, bytes, bytes);
      const ended = new Promise((resolve) => stream.once('status', resolve));
      stream.on('error', () => {});
      stream.cancel();
      await ended;
    }
    for (let index = 0; index < repetitions({ few: 100, all: 300 }); index += 1) {
      const client = gateway.client('same');
      client.subscribe(typeUrls.cluster);
      await client.take(typeUrls.cluster);
      client.close();
    }
    await gateway.untilChanged('after');
    const written = gateway.log.slice(lines).filter(({ level }) => level !== 'debug');
    t.true(written.length < 400, `${written.length} lines`);
  },
);

/** More than are listed. */
const passers = repetitions({ few: 450, all: 600 });

thorough(test.serial)(
  'of ten thousand names that come and go, those that left last are listed, and no more',
  async (t) => {
    const gateway = await world(t);
    for (let index = 0; index < passers; index += 1) {
      const client = gateway.client(`passer-${index}`, index % 2 === 0 ? 'default/edge' : `nowhere/gw-${index}`);
      client.subscribe(typeUrls.cluster);
      await until('the node', () => gateway.control.xds.nodes.find(`passer-${index}`) !== undefined);
      client.close();
    }
    const nodes = await untilFits(
      'the last one to leave',
      () => nodesOf(gateway),
      (all) => all.filter(({ connected }) => connected).length === 1,
    );
    t.true(nodes.length <= 401, `${nodes.length} nodes`);
    t.true(nodes.some(({ nodeId }) => nodeId === (`passer-${passers - 2}` as never)));
    await gateway.untilChanged('after');
  },
);

thorough(test.serial)('names and types beyond all measure end their stream alone', async (t) => {
  const gateway = await world(t);
  const names = (count: number) => Array.from({ length: count }, (_, index) => `unknown-${index}`);
  const greedy = gateway.client('greedy');
  for (let round = 0; round < 5; round += 1)
    greedy.subscribe(typeUrls.endpoint, ...names(100_000).map((name) => `${round}-${name}`));
  t.is((await greedy.ended).code, status.RESOURCE_EXHAUSTED);
  const long = gateway.client('long');
  long.subscribe(typeUrls.endpoint, 'x'.repeat(5_000));
  t.is((await long.ended).code, status.INVALID_ARGUMENT);
  const many = gateway.client('many');
  for (let index = 0; index < 40; index += 1) many.subscribe(`type.googleapis.com/made.Up${index}`, 'x');
  t.is((await many.ended).code, status.RESOURCE_EXHAUSTED);
  await gateway.untilChanged('after');
});

thorough(test.serial)(
  'a node whose cluster is no Gateway waits, with a warning that names the nearest one',
  async (t) => {
    const gateway = await world(t);
    const lost = gateway.client('lost', 'default/egde');
    lost.subscribe(typeUrls.listener, '*');
    const [line] = await untilFits(
      'the warning',
      () => gateway.linesOf(/names no Gateway/),
      (found) => found.length > 0,
    );
    t.like(line, { level: 'warn', node_id: 'lost', cluster: 'default/egde', did_you_mean: 'default/edge' });
    const node = (await nodesOf(gateway)).find(({ nodeId }) => nodeId === ('lost' as never));
    t.like(node, { connected: true, ready: false, gatewayKnown: false });
    const warnings = async () =>
      ((await gateway.json(gateway.control.ports.layout1, '/v1/summary')).body as { warnings: object[] }).warnings;
    const expected = {
      code: 'gateway_unknown',
      message: 'data plane lost waits for Gateway default/egde, which is not there; did you mean default/edge?',
    };
    // Until its proxy has the listener, that is a warning too.
    await untilFits('that warning alone', warnings, (found) => isDeepStrictEqual(found, [expected]));
    t.true((await nodesOf(gateway)).some(({ gatewayKnown }) => gatewayKnown === (true as never)));
  },
);

test.serial('who asks for another service than ADS hears that there is but that one', async (t) => {
  const gateway = await lastingWorld();
  const bytes = (value: Uint8Array) => Buffer.from(value);
  const channel = new Client(`127.0.0.1:${gateway.control.ports.xds}`, credentials.createInsecure());
  t.teardown(() => channel.close());
  for (let index = 0; index < 20; index += 1) {
    const path = '/envoy.service.cluster.v3.ClusterDiscoveryService/DeltaClusters';
    const stream = channel.makeBidiStreamRequest(path, bytes, bytes);
    stream.on('error', () => {});
    const { code, details } = await new Promise<{ code: status; details: string }>((resolve) =>
      stream.once('status', resolve),
    );
    t.is(code, status.UNIMPLEMENTED);
    t.regex(details, /^only ADS is served here/);
  }
  t.is(gateway.linesOf(/all resources come over ADS/).length, 1);
});
