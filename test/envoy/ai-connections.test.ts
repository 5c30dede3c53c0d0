import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect, createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { issueCertificate } from '../../scripts/example/certificate.ts';
import type { FakeProvider } from '../../scripts/example/fake-provider.ts';
import { aiRule, aiService, ask, chat, fakeProvider, reportsOf, startAiGateway, untilListed } from '../support/ai.ts';
import { routeObject, type Standalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/** A gateway with one service, which has the model `m` and falls back to none. */
async function startWith(t: ExecutionContext<unknown>, port: number, spec: object = {}, objects: object[] = []) {
  const service = aiService('one', port, { provider: 'openai', models: [{ name: 'm' }], ...spec });
  const gateway = await startAiGateway({
    'ai.yaml': [service, routeObject('ai', 'ai.test', [aiRule('one')]), ...objects],
  });
  t.teardown(() => gateway.stop());
  await untilListed(gateway);
  return gateway;
}

/** One request after each pause, in milliseconds; gives their statuses. All by one connection, so that Envoy has one thread for them, and one pool. */
async function askAfter({ port }: Standalone, pauses: readonly number[]): Promise<number[]> {
  const statuses: number[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (const [index, pause] of pauses.entries()) {
    await setTimeout(pause);
    const used = { input: 10 + index, output: 1 + index };
    const body = chat('m', { used }, { stream: index % 2 === 0 });
    statuses.push((await ask(port, { agent, body })).status);
  }
  agent.destroy();
  return statuses;
}

/** Compares the reports with what the provider reported. */
async function agree(t: ExecutionContext<unknown>, gateway: Standalone, { ledger }: FakeProvider, failed: number) {
  const reports = reportsOf(gateway);
  const asked = ledger.length + failed;
  const overview = await untilFits(
    'all to be reported',
    reports.overview,
    ({ totalRequests }) => totalRequests === asked,
  );
  const { totals } = await untilFits(
    'all to be reported',
    reports.usage,
    ({ totals: { requests } }) => requests === asked,
  );
  const sum = (of: 'input' | 'output') => ledger.reduce((total, { used }) => total + (used?.[of] ?? 0), 0);
  t.deepEqual([totals.promptTokens, totals.completionTokens], [sum('input'), sum('output')]);
  t.is(overview.failedRequests, failed);
}

/** Around how long a connection is kept, on either side. */
const aroundBoth = [0, 50, 145, 149, 150, 151, 155, 200, 500, 2999, 3000, 3001, 0, 150];

test('no request is lost to a provider that closes idle connections, if the proxy closes them before', async (t) => {
  const provider = await fakeProvider(t, 'openai', { keepsIdleMs: 3000 });
  const gateway = await startWith(t, provider.port, { timeouts: { connectionIdle: '150ms' } });
  t.deepEqual(await askAfter(gateway, aroundBoth), new Array(aroundBoth.length).fill(200));
  t.is(provider.lost(), 0);
  t.is(provider.ledger.length, aroundBoth.length);
  await agree(t, gateway, provider, 0);
});

test('a provider that keeps no connection at all gets each request on one of its own', async (t) => {
  const provider = await fakeProvider(t, 'openai', { keepsIdleMs: 0 });
  const gateway = await startWith(t, provider.port, { timeouts: { connectionIdle: '0s' } });
  const pauses = new Array(20).fill(0);
  t.deepEqual(await askAfter(gateway, pauses), new Array(20).fill(200));
  t.is(provider.lost(), 0);
  await agree(t, gateway, provider, 0);
});

test('a request whose connection was closed on its way is not repeated, for the provider may have counted it', async (t) => {
  const provider = await fakeProvider(t, 'openai', { keepsIdleMs: 3000 });
  const gateway = await startWith(t, provider.port);
  t.deepEqual(await askAfter(gateway, [0, 3500, 0]), [200, 503, 200]);
  t.is(provider.lost(), 1);
  await agree(t, gateway, provider, 1);
});

const secureEndpoint = (port: number) => ({
  hostname: 'localhost',
  port,
  tls: { caCertificateRefs: [{ name: 'ca' }] },
});
const authority = (pem: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'ca' },
  data: { 'ca.crt': pem },
});

test('a connection that could not be made is tried once more, because no server has read anything yet', async (t) => {
  const certificate = await issueCertificate(['localhost']);
  const provider = await fakeProvider(t, 'openai', { certificate });
  let resets = 1;
  const door = createServer((client) => {
    client.on('error', () => undefined);
    if (resets > 0) {
      resets -= 1;
      client.resetAndDestroy();
      return;
    }
    const inside = connect(provider.port, '127.0.0.1');
    inside.on('error', () => client.destroy());
    client.pipe(inside).pipe(client);
    client.once('close', () => inside.destroy());
  }).listen(0, '127.0.0.1');
  await once(door, 'listening');
  t.teardown(() => door.close());
  const { port } = door.address() as { readonly port: number };
  const spec = { endpoint: secureEndpoint(port), timeouts: { connectionIdle: '0s' } };
  const gateway = await startWith(t, port, spec, [authority(certificate.certificatePem)]);
  t.deepEqual(await askAfter(gateway, [0, 0]), [200, 200]);
  t.is(resets, 0);
  await agree(t, gateway, provider, 0);
  resets = 2;
  t.deepEqual(await askAfter(gateway, [0, 0]), [503, 200], 'once, not for ever');
});

test('an unreachable provider is tried twice before its fallback, in the time of one try', async (t) => {
  const { certificatePem } = await issueCertificate(['localhost']);
  const spare = await fakeProvider(t, 'openai');
  let connections = 0;
  // Takes connections and says nothing, so that no handshake comes to its end.
  const door = createServer((client) => {
    connections += 1;
    client.on('error', () => undefined);
    client.resume();
  }).listen(0, '127.0.0.1');
  await once(door, 'listening');
  t.teardown(() => door.close());
  const { port } = door.address() as { readonly port: number };
  const gateway = await startWith(t, port, { endpoint: secureEndpoint(port), fallback: [{ name: 'spare' }] }, [
    authority(certificatePem),
    aiService('spare', spare.port, { provider: 'openai', models: [{ name: 'm' }] }),
  ]);
  const took: number[] = [];
  // A busy machine makes one of them longer, so the shortest counts.
  for (let tries = 1; tries <= 6 && !(Math.min(...took) < 9); tries += 1) {
    const before = performance.now();
    t.deepEqual(await askAfter(gateway, [0]), [200]);
    took.push((performance.now() - before) / 1000);
    t.is(connections, 2 * tries);
  }
  const seconds = Math.min(...took);
  t.true(seconds > 4.5 && seconds < 9, `${seconds} s`);
});
