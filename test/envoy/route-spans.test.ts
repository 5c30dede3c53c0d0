import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { serviceObjects, startBackend } from '../support/http.ts';
import { ownObject } from '../support/objects.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/** `tracing` of TrafficPolicies: which requests of a route have spans, and what these say, with a real Envoy and a server of Zipkin's API. */

interface Span {
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** Keeps the spans that are posted. */
async function startZipkin(t: ExecutionContext) {
  const spans: Span[] = [];
  const server = createServer((incoming, response) => {
    let text = '';
    incoming.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    incoming.once('end', () => {
      // Those of the requests themselves; each has one of its way to the backend below it.
      spans.push(...(JSON.parse(text) as (Span & { kind: string })[]).filter(({ kind }) => kind === 'SERVER'));
      response.writeHead(202).end();
    });
  }).listen(0, '127.0.0.1');
  // Envoy may be about to use a connection that would be closed for having been idle.
  server.keepAliveTimeout = 0;
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, spans };
}

const rules = [{ backendRefs: [{ name: 'web', port: 80 }] }];
/** Hosts that a table has, and one of a wildcard. */
const routes = [
  routeObject('plain', 'plain.test', rules),
  routeObject('exact', 'exact.test', rules),
  routeObject('wide', '*.wide.test', rules),
];

async function start(t: ExecutionContext, listener: object, policy: object) {
  const backend = await startBackend(t);
  const zipkin = await startZipkin(t);
  const world = await startStandalone({
    'web.yaml': [...serviceObjects('web', [backend.port]), ...serviceObjects('zipkin', [zipkin.port]), ...routes],
    'policies.yaml': [
      ownObject('ListenerPolicy', 'edge', {
        targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
        tracing: { zipkin: { backendRef: { name: 'zipkin', port: 80 } }, ...listener },
      }),
      ownObject('TrafficPolicy', 'some', {
        targetRefs: ['exact', 'wide'].map((name) => ({
          group: 'gateway.networking.k8s.io',
          kind: 'HTTPRoute',
          name,
        })),
        tracing: policy,
      }),
    ],
  });
  t.teardown(world.stop);
  // On one connection, so that one thread of Envoy has all spans, and sends them in their order.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  return { spans: zipkin.spans, world, ask: (host: string) => ask(world, agent, host) };
}

async function ask({ port }: Standalone, agent: Agent, host: string): Promise<number> {
  const sent = request({
    host: '127.0.0.1',
    port,
    agent,
    headers: { host: `${host}:${port}`, 'x-tenant': 'seven' },
  }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response.statusCode ?? 0;
}

const served = (of: (host: string) => Promise<number>, host: string) =>
  untilFits(
    `${host} to be served`,
    () => of(host),
    (status) => status === 200,
  );

test('a route is traced that its listener would not trace, with names and tags of its own', async (t) => {
  const listener = { samplingPercent: 0, tags: [{ name: 'stage', value: 'blue' }] };
  const { ask: asking, spans } = await start(t, listener, {
    samplingPercent: 100,
    spanName: 'own %authority%',
    tags: [
      { name: 'team', value: 'shop' },
      { name: 'tenant', requestHeader: 'x-tenant' },
      { name: 'plan', requestHeader: 'x-plan', default: 'free' },
    ],
  });
  for (const host of ['exact.test', 'late.wide.test']) {
    await served(asking, 'plain.test');
    const span = await untilFits(
      `a span of ${host}`,
      async () => {
        await asking(host);
        return spans.find(({ name }) => name.startsWith(`own ${host}`));
      },
      (found) => found !== undefined,
    );
    t.like(span?.tags, { stage: 'blue', team: 'shop', tenant: 'seven', plan: 'free' });
  }
  t.deepEqual(
    spans.filter(({ name }) => name.includes('plain')),
    [],
  );
});

test('a route is traced less than its listener where a host is found at once, and elsewhere the larger share holds', async (t) => {
  const { ask: asking, spans } = await start(t, { spanName: 'all %authority%' }, { samplingPercent: 0 });
  const of = (host: string) => spans.filter(({ name }) => name.includes(host)).length;
  for (const host of ['exact.test', 'late.wide.test', 'plain.test']) await served(asking, host);
  await untilFits(
    'spans of the other hosts',
    async () => {
      for (const host of ['exact.test', 'late.wide.test', 'plain.test']) await asking(host);
      return Math.min(of('late.wide.test'), of('plain.test'));
    },
    (count) => count >= 4,
  );
  t.is(of('exact.test'), 0);
});
