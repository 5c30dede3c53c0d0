import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, createServer, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import type { XdsServer } from '../../src/xds/index.ts';
import { type EnvoyProcess, startEnvoy, xdsBootstrap } from '../support/envoy.ts';
import { unscraped } from '../support/metrics.ts';
import { every, repetitions } from '../support/repetitions.ts';
import { until } from '../support/until.ts';
import {
  gateway,
  nextEvent,
  publisher,
  realCluster,
  realEndpoints,
  realListener,
  realScope,
  removalOf,
  startXds,
} from '../support/xds.ts';

type Variant = 'delta' | 'sotw';

/** A backend that answers its name. */
async function startBackend(t: ExecutionContext, name: string): Promise<number> {
  const server: Server = createServer((_, response) => response.end(name));
  // Node would close a connection that was idle for five seconds, maybe just when Envoy sends a request on it.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

async function proxy(t: ExecutionContext, xds: number, variant: Variant): Promise<EnvoyProcess> {
  const envoy = await startEnvoy({ bootstrap: xdsBootstrap({ xds, nodeId: 'envoy-1', cluster: gateway, variant }) });
  t.teardown(() => envoy.stop());
  return envoy;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

function get(port: number, host: string, agent?: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, headers: { host }, agent: agent ?? false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** Publishes and waits until the proxy has applied it. */
async function apply(server: XdsServer, publish: () => string): Promise<void> {
  const events = [nextEvent(server, (event) => event.kind === 'applied' && event.snapshot === wanted)];
  const wanted = publish();
  await Promise.all(events);
}

for (const variant of every(2, ['delta', 'sotw'] as const)) {
  test.serial(`${variant}: listeners, routes, clusters and endpoints appear, change and disappear`, async (t) => {
    const [one, two] = [await startBackend(t, 'one'), await startBackend(t, 'two')];
    const { server, port, events } = await startXds(t);
    const publish = publisher(server);
    const envoy = await proxy(t, port, variant);
    await apply(server, () =>
      publish({
        upserts: [realListener('web'), realScope('a.test', 'one'), realCluster('one'), realEndpoints('one', one)],
      }),
    );
    const web = await envoy.port('web');
    t.deepEqual(await get(web, 'a.test'), { status: 200, body: 'one' });
    t.is((await get(web, 'b.test')).status, 404);

    await apply(server, () =>
      publish({ upserts: [realScope('b.test', 'two'), realCluster('two'), realEndpoints('two', two)] }),
    );
    t.deepEqual(await get(web, 'b.test'), { status: 200, body: 'two' });

    await apply(server, () => publish({ upserts: [realEndpoints('two', one)] }));
    t.deepEqual(await get(web, 'b.test'), { status: 200, body: 'one' }, 'endpoints have moved');

    await apply(server, () => publish({ upserts: [realCluster('two', { connectTimeout: '2s' })] }));
    t.deepEqual(await get(web, 'b.test'), { status: 200, body: 'one' }, 'a changed cluster warms by its old endpoints');

    await apply(server, () => publish({ upserts: [realListener('second')] }));
    const second = await envoy.port('second');
    t.deepEqual(await get(second, 'a.test'), { status: 200, body: 'one' }, 'a later listener has the same scopes');

    await apply(server, () => publish({ removals: [removalOf(realScope('b.test', 'two'))] }));
    t.is((await get(web, 'b.test')).status, 404);
    await apply(server, () => publish({ removals: [removalOf(realCluster('two')), removalOf(realEndpoints('two'))] }));
    t.is(await envoy.stat('cluster_manager.active_clusters'), 2, 'cluster one, and the one for xDS');
    await apply(server, () => publish({ removals: [removalOf(realListener('web'))] }));
    t.deepEqual(
      (await envoy.listeners()).map(({ name }) => name),
      ['second'],
    );
    t.deepEqual(
      events.filter(({ kind }) => kind === 'nacked'),
      [],
    );
    t.like(server.nodes.find('envoy-1'), {
      envoyVersion: '1.40.0',
      version: '',
      stream: variant,
      gateway,
      connected: true,
      ready: true,
      lastConfigStatus: 'ACK',
    });
  });

  test.serial(`${variant}: a gateway with a listener and nothing behind it opens, and answers 404`, async (t) => {
    const { server, port } = await startXds(t);
    const publish = publisher(server);
    const envoy = await proxy(t, port, variant);
    await apply(server, () => publish({ upserts: [realListener('web')] }));
    await envoy.ready();
    t.is((await get(await envoy.port('web'), 'a.test')).status, 404);
  });

  test.serial(`${variant}: what Envoy rejects leaves the rest moving, and is taken when it is fixed`, async (t) => {
    const one = await startBackend(t, 'one');
    const { server, port, events } = await startXds(t);
    const publish = publisher(server);
    const envoy = await proxy(t, port, variant);
    await apply(server, () =>
      publish({
        upserts: [realListener('web'), realScope('a.test', 'one'), realCluster('one'), realEndpoints('one', one)],
      }),
    );
    const web = await envoy.port('web');
    const certain = nextEvent(server, (event) => event.kind === 'nacked' && event.nack.certain);
    const lookahead = { safeRegex: { regex: '/(?=a)' } };
    publish({ upserts: [realScope('bad.test', 'one', lookahead), realScope('good.test', 'one')] });
    const event = await certain;
    t.is(event.kind === 'nacked' ? event.nack.resources[0]?.name : '', 'bad.test');
    t.regex(event.kind === 'nacked' ? event.nack.message : '', /invalid perl operator/);
    await until('the good neighbour to answer', async () => (await get(web, 'good.test')).status === 200);
    t.deepEqual(await get(web, 'a.test'), { status: 200, body: 'one' });
    t.like(server.nodes.find('envoy-1'), { lastConfigStatus: 'NACK', lastAckVersion: 's1' });

    const before = events.filter(({ kind }) => kind === 'nacked').length;
    await apply(server, () => publish({ upserts: [realScope('bad.test', 'one')] }));
    t.deepEqual(await get(web, 'bad.test'), { status: 200, body: 'one' });
    t.is(events.filter(({ kind }) => kind === 'nacked').length, before);
    t.like(server.nodes.find('envoy-1'), { lastConfigStatus: 'ACK', lastAckVersion: 's3' });
  });

  test.serial(`${variant}: a route flips between clusters that come and go, and no request is lost`, async (t) => {
    t.timeout(600_000, 'hundreds of rounds, each through a real Envoy');
    const backends = [await startBackend(t, 'even'), await startBackend(t, 'odd')];
    const { server, port, events } = await startXds(t);
    const publish = publisher(server);
    const envoy = await proxy(t, port, variant);
    const parts = (n: number) => [realCluster(`c${n}`), realEndpoints(`c${n}`, backends[n % 2] as number)];
    await apply(server, () => publish({ upserts: [realListener('web'), realScope('a.test', 'c0'), ...parts(0)] }));
    const load = startLoad(await envoy.port('web'), 'a.test', 8);
    t.teardown(() => load.stop());
    const flips = repetitions({ few: 30, all: 300 });
    let slowest = 0;
    for (let n = 1; n <= flips; n++) {
      const gone = parts(n - 1).map(removalOf);
      const change = { upserts: [...parts(n), realScope('a.test', `c${n}`)], removals: gone };
      // Every third flip follows on the heels of the one before, so that rounds overlap with publications.
      const began = performance.now();
      const isAwaited = n % 3 === 0 || n === flips;
      if (isAwaited) await apply(server, () => publish(change));
      else publish(change);
      slowest = Math.max(slowest, performance.now() - began);
      // The thread that serves may wait for the processor, while the one that takes configuration does not.
      if (isAwaited) await load.more();
    }
    const { total, failures, bodies } = await load.stop();
    t.log(`${total} requests, slowest flip ${Math.round(slowest)} ms`);
    t.deepEqual(failures, []);
    t.true(total > flips, `${total} requests`);
    t.deepEqual([...bodies].sort(), ['even', 'odd']);
    t.deepEqual(
      events.filter(({ kind }) => kind === 'nacked'),
      [],
    );
  });
}

/** Sends requests without a pause on some connections. */
function startLoad(port: number, host: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const failures: string[] = [];
  const bodies = new Set<string>();
  let total = 0;
  let stopping = false;
  const worker = async (): Promise<void> => {
    while (!stopping) {
      const answer = await get(port, host, agent).catch((error: Error) => ({ status: 0, body: error.message }));
      total += 1;
      bodies.add(answer.body);
      if (answer.status !== 200) failures.push(`${answer.status} ${answer.body}`);
    }
  };
  const workers = Array.from({ length: connections }, worker);
  return {
    /** Resolves when there are answers to requests that are yet to be sent. */
    async more(): Promise<void> {
      const before = total;
      await until('answers to new requests', () => total > before + connections);
    },
    async stop() {
      stopping = true;
      await Promise.all(workers);
      agent.destroy();
      return { total, failures, bodies };
    },
  };
}

test.serial(
  'delta: an Envoy that reconnects to a restarted server is sent nothing again, but what changed',
  async (t) => {
    const one = await startBackend(t, 'one');
    const first = await startXds(t, { address: `127.0.0.1:${await freePort()}` });
    const world = {
      upserts: [realListener('web'), realScope('a.test', 'one'), realCluster('one'), realEndpoints('one', one)],
    };
    const envoy = await proxy(t, first.port, 'delta');
    await apply(first.server, () => publisher(first.server)(world));
    const web = await envoy.port('web');
    await first.server.close();
    t.deepEqual(await get(web, 'a.test'), { status: 200, body: 'one' }, 'it serves on without a control plane');

    const sent: { typeUrl: string; resources: number }[] = [];
    const metrics = { ...unscraped(), pushed: (push: (typeof sent)[0]) => sent.push(push) };
    const second = await startXds(t, { metrics, address: `127.0.0.1:${first.port}` });
    // The proxy may be there before the restarted server knows anything; it must not receive an empty configuration.
    await nextEvent(second.server, ({ kind }) => kind === 'connected');
    t.deepEqual(await get(web, 'a.test'), { status: 200, body: 'one' });
    const publish = publisher(second.server);
    const removals = [{ typeUrl: typeUrls.scopedRoute, name: 'never-there' }];
    await apply(second.server, () => publish({ ...world, removals }));
    t.deepEqual(
      sent.filter(({ resources }) => resources > 0),
      [],
    );
    await apply(second.server, () => publish({ upserts: [realScope('b.test', 'one')] }));
    t.deepEqual(
      sent.filter(({ resources }) => resources > 0).map(({ typeUrl }) => typeUrl),
      [typeUrls.scopedRoute],
    );
    t.deepEqual(await get(web, 'b.test'), { status: 200, body: 'one' });
  },
);

test.serial('xDS over a unix socket', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-xds-'));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  const socket = join(directory, 'xds.sock');
  const { server } = await startXds(t, { address: `unix:${socket}` });
  const bootstrap = xdsBootstrap({ xds: socket, nodeId: 'envoy-1', cluster: gateway });
  const envoy = await startEnvoy({ bootstrap });
  t.teardown(() => envoy.stop());
  await apply(server, () => publisher(server)({ upserts: [realListener('web')] }));
  t.true((await envoy.port('web')) > 0);
});
