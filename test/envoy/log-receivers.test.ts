import { once } from 'node:events';
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { ownObject } from '../support/objects.ts';
import { thorough } from '../support/repetitions.ts';
import { crowdObjects, routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/** Where a ListenerPolicy sends lines and spans to, other than by OTLP: real receivers' protocols, and a real Envoy. */

/** One that the route is found for at once, of a wildcard, and one that is cut up into parts. */
const hosts = ['web.test', 'x.wide.test', 'parted.test'];

async function startWorld(t: ExecutionContext, port: number, spec: object): Promise<Standalone> {
  const backend = await startBackend(t, (request, response) => {
    response.writeHead(request.url?.startsWith('/broken') ? 503 : 200).end();
  });
  const toWeb = [{ backendRefs: [{ name: 'web', port: 80 }] }];
  const world = await startStandalone({
    'web.yaml': [
      ...serviceObjects('web', [backend.port]),
      ...serviceObjects('receiver', [port]),
      routeObject('web', 'web.test', toWeb),
      routeObject('wide', '*.wide.test', toWeb),
      routeObject('parted', 'parted.test', toWeb),
      ...crowdObjects('parted.test', 'web'),
    ],
    'policy.yaml': [
      ownObject('ListenerPolicy', 'edge', {
        targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
        ...spec,
      }),
    ],
  });
  t.teardown(world.stop);
  return world;
}

const receiver = { backendRef: { name: 'receiver', port: 80 } };

const ask = ({ port }: Standalone, host: string, path = '/', method = 'GET') =>
  send(port, { host, path, method, headers: { 'x-tenant': 'seven' } });

/** Keeps the bytes of a stream, as text, before it has ended. */
async function startStreamReceiver(t: ExecutionContext) {
  const received = new Map<string, string>();
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) =>
      received.set(request.url, (received.get(request.url) ?? '') + chunk.toString('latin1')),
    );
    request.once('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { port: (server.address() as AddressInfo).port, received };
}

test('entries reach a server of Envoy’s own log protocol, those alone that a condition holds for', async (t) => {
  const { port, received } = await startStreamReceiver(t);
  const world = await startWorld(t, port, {
    accessLog: {
      enabled: true,
      requestHeaders: ['X-Tenant'],
      when: [{ minStatus: 500 }, { methods: ['PUT'], header: { name: 'X-Tenant', value: 'seven' } }],
      grpc: { ...receiver, logName: 'edge-log' },
    },
  });
  const path = '/envoy.service.accesslog.v3.AccessLogService/StreamAccessLogs';
  const log = () => received.get(path) ?? '';
  for (const host of hosts) {
    await untilFits(
      `entries of ${host}`,
      async () => {
        await ask(world, host, '/fine');
        await ask(world, host, '/put', 'PUT');
        await ask(world, host, '/broken');
        return log();
      },
      (text) => text.includes(host) && text.includes('/broken') && text.includes('/put'),
    );
  }
  t.regex(log(), /edge-log/);
  t.regex(log(), /x-tenant.{1,4}seven/);
  t.false(log().includes('/fine'), 'a request for which no condition holds');
});

/** Keeps what is posted, as text, by path. */
async function startHttpReceiver(t: ExecutionContext) {
  const received = new Map<string, string>();
  const server = createPlainServer((request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    request.on('data', (chunk: Buffer) => received.set(path, (received.get(path) ?? '') + chunk.toString('latin1')));
    request.once('end', () => response.writeHead(202, { 'content-type': 'application/json' }).end('{}'));
  }).listen(0, '127.0.0.1');
  // Envoy may be about to use a connection that would be closed for having been idle.
  server.keepAliveTimeout = 0;
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, received };
}

const named = {
  requestHeaders: ['x-tenant'],
  tags: [
    { name: 'stage', value: 'blue' },
    { name: 'tenant', requestHeader: 'x-tenant' },
    { name: 'user', requestHeader: 'x-user', default: 'unknown' },
    { name: 'missing', requestHeader: 'x-none' },
  ],
  spanName: '%method% at 100%% of %authority%',
};

async function spansIn(
  world: Standalone,
  { received }: { readonly received: ReadonlyMap<string, string> },
  path: string,
): Promise<string> {
  let text = '';
  for (const host of hosts)
    text = await untilFits(
      `spans of ${host}`,
      async () => {
        await ask(world, host, '/basket?card=1');
        return received.get(path) ?? '';
      },
      (found) => found.includes(`GET at 100% of ${host}`),
    );
  return text;
}

thorough(test)('spans reach a Zipkin, with names and tags of the policy', async (t) => {
  const found = await startHttpReceiver(t);
  const world = await startWorld(t, found.port, {
    tracing: { zipkin: { ...receiver, path: '/zip/v2/spans' }, ...named },
  });
  const text = await spansIn(world, found, '/zip/v2/spans');
  for (const tag of [
    '"stage":"blue"',
    '"tenant":"seven"',
    '"user":"unknown"',
    '"http.request.header.x-tenant":"seven"',
  ])
    t.true(text.includes(tag), tag);
  t.false(text.includes('"missing"'));
  t.regex(text, /"traceId":"[0-9a-f]{32}"/);
});

thorough(test)('spans reach an agent of Datadog, with names and tags of the policy', async (t) => {
  const found = await startHttpReceiver(t);
  const world = await startWorld(t, found.port, { tracing: { datadog: receiver, serviceName: 'shop-edge', ...named } });
  const text = await spansIn(world, found, '/v0.4/traces');
  for (const word of ['stage', 'blue', 'tenant', 'seven', 'unknown', 'shop-edge']) t.true(text.includes(word), word);
  t.false(text.includes('missing'));
});
