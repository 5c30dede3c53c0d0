import { once } from 'node:events';
import { connect as h2Connect } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { createAuthority } from '../../scripts/example/certificate.ts';
import { freePort } from '../../scripts/free-port.ts';
import type * as ir from '../../src/ir/index.ts';
import { testRoute } from '../../src/offline/route-test/index.ts';
import { farClient } from '../support/far-client.ts';
import { startGrpcCollector } from '../support/grpc-collector.ts';
import { type CountingBackend, send, serviceObjects, startBackend } from '../support/http.ts';
import { thorough } from '../support/repetitions.ts';
import { routeObject, type Standalone, startStandalone, untilCurrent } from '../support/standalone.ts';
import { tcpSockets } from '../support/tcp-sockets.ts';
import { until, untilFits } from '../support/until.ts';

const policy = (spec: object, target: object = {}, name = 'edge') => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'ListenerPolicy',
  metadata: { name },
  spec: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge', ...target }],
    ...spec,
  },
});

interface World extends Standalone {
  readonly backend2: CountingBackend;
}

/** A gateway whose one HTTP listener is under a policy, before a backend that keeps what it saw. */
async function startRuled(t: ExecutionContext, spec: object, listenOn?: string): Promise<World> {
  const backend2 = await startBackend(t, (request, response) => {
    request.resume();
    request.once('end', () => response.end(JSON.stringify({ url: request.url, headers: request.headers })));
  });
  const world = await startStandalone(
    {
      'web.yaml': serviceObjects('web', [backend2.port]),
      'policy.yaml': [policy(spec)],
      'route.yaml': [routeObject('web', 'web.test', [{ backendRefs: [{ name: 'web', port: 80 }] }])],
    },
    { listenOn },
  );
  t.teardown(world.stop);
  return { ...world, backend2 };
}

const ask = ({ port }: Standalone, path = '/', headers: Readonly<Record<string, string>> = {}) =>
  send(port, { host: 'web.test', path, headers });

const served = (world: Standalone) =>
  untilFits(
    'a 200',
    () => ask(world),
    ({ status }) => status === 200,
  );

/** A connection that says this and hears until its end. */
async function talk(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  socket.on('data', (chunk: Buffer) => {
    heard += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  socket.write(text);
  await new Promise((resolve) => socket.once('close', resolve));
  return heard;
}

/** The same, until it hears something: a client that is stopped before it speaks is idle, and its connection ends without an answer. */
const heardOf = (port: number, text: string): Promise<string> =>
  untilFits(
    'an answer',
    () => talk(port, text),
    (heard) => heard !== '',
  );

const get = (more = '') => `GET / HTTP/1.1\r\nhost: web.test\r\n${more}\r\n`;

thorough(test)('without a policy there are limits too', async (t) => {
  const backend = await startBackend(t);
  const world = await startStandalone({
    'web.yaml': serviceObjects('web', [backend.port]),
    'route.yaml': [routeObject('web', 'web.test', [{ backendRefs: [{ name: 'web', port: 80 }] }])],
  });
  t.teardown(world.stop);
  await served(world);
  const late = talk(world.port, 'GET / HTTP/1.1\r\nhost: web.test\r\nx-half: ');
  t.is((await ask(world, '/', { x_under: 'a' })).status, 400);
  t.is((await ask(world, '/a%2Fb')).status, 307);
  t.is((await ask(world, '/', { 'x-long': 'a'.repeat(61 * 1024) })).status, 431);
  t.is((await ask(world, '/', Object.fromEntries(many(101)))).status, 431);
  const session = h2Connect(`http://127.0.0.1:${world.port}`);
  t.teardown(() => session.destroy());
  const [settings] = await once(session, 'remoteSettings');
  t.is(settings.maxConcurrentStreams, 100);
  t.is(settings.initialWindowSize, 64 * 1024);
  t.regex(await late, /^HTTP\/1\.1 408 /);
});

const many = (count: number) => Array.from({ length: count }, (_, index) => [`x-${index}`, 'a'] as const);

/** A client may be slow by chance. What it hears ends with its connection. */
const untilAnswered = (port: number) =>
  untilFits(
    'a quick client to be answered',
    () => talk(port, get()),
    (heard) => heard.startsWith('HTTP/1.1 200 '),
  );

thorough(test)('a client that is slow is not waited for', async (t) => {
  const world = await startRuled(t, {
    timeouts: { requestHeaders: '1s', request: '2s', connectionIdle: '2s' },
  });
  await served(world);
  const late = await heardOf(world.port, 'GET / HTTP/1.1\r\nhost: web.test\r\nx-half: ');
  t.regex(late, /^HTTP\/1\.1 408 /);
  const body = await heardOf(world.port, 'POST / HTTP/1.1\r\nhost: web.test\r\ncontent-length: 10\r\n\r\nhalf');
  t.regex(body, /^HTTP\/1\.1 408 /);
  await untilAnswered(world.port);
});

thorough(test)('a silent request and an old connection come to an end', async (t) => {
  const world = await startRuled(t, { timeouts: { streamIdle: '2s', maxConnectionDuration: '3s' } });
  await served(world);
  const silent = await heardOf(world.port, 'POST / HTTP/1.1\r\nhost: web.test\r\ncontent-length: 10\r\n\r\nhalf');
  t.regex(silent, /^HTTP\/1\.1 408 /);
  await untilAnswered(world.port);
  const code = await untilFits(
    'a word of the end',
    () => goawayOf(world.port),
    (found) => found !== undefined,
  );
  t.is(code, 0);
});

/** The code with which a connection of HTTP/2 ends; undefined: it ended before it had begun. */
const goawayOf = (port: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const session = h2Connect(`http://127.0.0.1:${port}`);
    session.once('goaway', (code: number) => {
      resolve(code);
      session.destroy();
    });
    session.on('error', () => undefined).once('close', () => resolve(undefined));
  });

test('what clients may use has limits', async (t) => {
  const limits = { maxRequestHeadersKiB: 2, maxRequestHeaders: 12, maxRequestsPerConnection: 1 };
  const world = await startRuled(t, { limits });
  await served(world);
  t.is((await ask(world, '/', { 'x-long': 'a'.repeat(3000) })).status, 431);
  t.is((await ask(world, '/', Object.fromEntries(many(20)))).status, 431);
  t.regex(await talk(world.port, get()), /connection: close/);
});

test('connections above the limit are closed at once', async (t) => {
  const world = await startRuled(t, { limits: { maxConnections: 2 } });
  await served(world);
  const open = await untilFits(
    'two connections',
    async () => {
      const sockets = [await idleConnection(t, world.port), await idleConnection(t, world.port)];
      const answers = await Promise.all(sockets.map(answerOf));
      if (answers.some((answer) => answer === '')) for (const socket of sockets) socket.destroy();
      return { sockets, answers };
    },
    ({ answers }) => answers.every((answer) => answer.startsWith('HTTP/1.1 200')),
  );
  t.is(await talk(world.port, get()), '');
  for (const socket of open.sockets) socket.destroy();
  await served(world);
});

async function idleConnection(t: ExecutionContext, port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** What a request on an open connection is answered, or nothing when that is closed. */
const answerOf = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1')));
    socket.once('close', () => resolve(''));
    socket.write(get());
  });

thorough(test)('a client that has vanished silently is found out, and its connection ended', async (t) => {
  const world = await startRuled(t, { tcpKeepalive: { probes: 2, idleTime: '1s', interval: '1s' } }, '0.0.0.0');
  await served(world);
  const client = await farClient(t, world.port, 'web.test');
  if (typeof client === 'string') {
    t.log(client);
    t.pass();
    return;
  }
  const open = async () => {
    const { body } = await world.json(world.agentPort, '/api/v1/stats/connections');
    return (body as { readonly active_connections: number }).active_connections;
  };
  // It is silent for longer than it would take to be found out, and answers the probes.
  const heardBefore = await client.packetsHeard();
  await untilFits('probes to be answered', client.packetsHeard, (heard) => heard >= heardBefore + 4);
  t.is(await open(), 1);
  await client.pullCable();
  await untilFits('its connection to be gone', open, (count) => count === 0);
});

/** When the proxy probes each of its connections of clients next. */
const clientProbes = ({ port }: Standalone) =>
  tcpSockets()
    .filter(({ state, localPort }) => state === 'established' && localPort === port)
    .map(({ keepaliveSeconds }) => keepaliveSeconds);

async function silentClient(t: ExecutionContext, { port }: Standalone): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

thorough(test)('silent connections of clients are probed after the time that is asked for', async (t) => {
  const world = await startRuled(t, { tcpKeepalive: { probes: 2, idleTime: '20m', interval: '10s' } });
  await served(world);
  await silentClient(t, world);
  // The system's own time would be two hours.
  await untilFits(
    'a probe in 20 minutes',
    () => clientProbes(world),
    (all) => all.some((each = 0) => each > 600 && each <= 1200),
  );
  // Envoy can have no other socket on an open port: another time counts for the next Envoy, and the rest of the policy at once.
  world.write('policy.yaml', policy({ tcpKeepalive: { idleTime: '5m' }, headers: { underscores: 'Allow' } }));
  await untilFits(
    'the other policy',
    async () => (await ask(world, '/', { x_under: 'a' })).status,
    (status) => status === 200,
  );
  await silentClient(t, world);
  const later = await untilFits(
    'both connections',
    () => clientProbes(world).filter((each) => each !== undefined),
    (all) => all.length >= 2,
  );
  t.true(
    later.every((each) => each > 600),
    `${later}`,
  );
  const status = await world.json(world.agentPort, '/api/v1/status');
  process.kill((status.body as { readonly envoy: { readonly pid: number } }).envoy.pid, 'SIGKILL');
  await untilFits(
    'a probe in five minutes',
    async () => {
      const socket = await silentClient(t, world);
      const probes = clientProbes(world);
      socket.destroy();
      return probes;
    },
    (all) => all.some((each = 0) => each > 0 && each <= 300),
  );
});

thorough(test)('silent connections of clients are not probed unless a policy asks for it', async (t) => {
  const world = await startRuled(t, { limits: { maxRequestHeaders: 99 } });
  await served(world);
  await silentClient(t, world);
  const all = await untilFits(
    'a connection',
    () => clientProbes(world),
    (found) => found.length > 0,
  );
  t.true(all.every((each) => each === undefined));
});

test('HTTP/2 has the limits that are asked for', async (t) => {
  const http2 = { maxConcurrentStreams: 7, initialStreamWindowBytes: 100_000, initialConnectionWindowBytes: 200_000 };
  const world = await startRuled(t, { http2 });
  await served(world);
  const session = h2Connect(`http://127.0.0.1:${world.port}`);
  t.teardown(() => session.destroy());
  const [settings] = await once(session, 'remoteSettings');
  t.is(settings.maxConcurrentStreams, 7);
  t.is(settings.initialWindowSize, 100_000);
});

thorough(test)('headers with underscores and paths are treated as asked', async (t) => {
  const world = await startRuled(t, { headers: { underscores: 'Drop' } });
  await served(world);
  const underscore = async () => {
    const { status, body } = await ask(world, '/', { x_under: 'a' });
    return status === 200 ? ('x_under' in JSON.parse(body).headers ? 'allowed' : 'dropped') : status;
  };
  const path = async () => {
    const { status, body } = await ask(world, '/a//b/../c%2Fd');
    return status === 200 ? JSON.parse(body).url : status;
  };
  // The route test comes to the same, by what it knows of the policy.
  const foreseen = async (path: string, headers: readonly (readonly [string, string])[] = []) => {
    const gateway = world.control.graph.snapshot()?.gateways.get('default/edge') as ir.Fleet;
    const asked = { method: 'GET', host: 'web.test', path, headers };
    const { outcome, status, request } = testRoute(gateway, world.port, asked);
    return outcome === 'forward' ? request?.path : status;
  };
  const becomes = async (what: string, look: () => Promise<unknown>, wanted: unknown) => {
    await untilFits(what, look, (found) => found === wanted);
    if (look === path) t.is(await foreseen('/a//b/../c%2Fd'), wanted as never);
    else t.is(await foreseen('/', [['x_under', 'a']]), wanted === 400 ? 400 : '/');
  };
  await becomes('a dropped header', underscore, 'dropped');
  t.is(await path(), 307);
  const keep = { normalize: false, mergeSlashes: false, escapedSlashes: 'Keep' };
  world.write('policy.yaml', policy({ headers: { underscores: 'Allow' }, path: keep }));
  await becomes('a path as it was sent', path, '/a//b/../c%2Fd');
  await becomes('a header that is let through', underscore, 'allowed');
  world.write('policy.yaml', policy({ path: { escapedSlashes: 'Reject' } }));
  await becomes('a path that is rejected', path, 400);
  await becomes('a header that is rejected', underscore, 400);
  world.write('policy.yaml', policy({ path: { escapedSlashes: 'UnescapeAndForward' } }));
  await becomes('a path that is unescaped', path, '/a/c/d');
  t.pass();
});

thorough(test)('the address of a client is what trusted proxies, or a PROXY protocol header, say', async (t) => {
  const world = await startRuled(t, { clientIP: { trustedHops: 1 } });
  const seen = async (forwarded: string) =>
    JSON.parse((await ask(world, '/', { 'x-forwarded-for': forwarded })).body).headers;
  const headers = await until('a request from outside', async () => {
    const found = await seen('198.51.100.1, 203.0.113.7');
    return found['x-envoy-external-address'] === '203.0.113.7' && found;
  });
  // The last one is this proxy's own word: who it was connected to by.
  t.regex(headers['x-forwarded-for'], /^198\.51\.100\.1, 203\.0\.113\.7,[0-9.]+$/);
  world.write('policy.yaml', policy({ clientIP: { proxyProtocol: 'Required' } }));
  await untilFits(
    'connections without a header to be closed',
    () => talk(world.port, get('connection: close\r\n')),
    (heard) => heard === '',
  );
  // By all of the proxy's threads.
  await untilCurrent(world);
  const proxied = `PROXY TCP4 203.0.113.9 127.0.0.1 4321 80\r\n${get('connection: close\r\n')}`;
  t.regex(await talk(world.port, proxied), /"x-forwarded-for":"203\.0\.113\.9"/);
  world.write('policy.yaml', policy({ clientIP: { proxyProtocol: 'Optional' } }));
  await served(world);
  t.regex(await talk(world.port, proxied), /"x-forwarded-for":"203\.0\.113\.9"/);
});

thorough(test)('requests are logged and traced where the policy says', async (t) => {
  const { port, received } = await startGrpcCollector(t);
  const otlp = { backendRef: { name: 'otel', port: 80 } };
  const fields = [
    'path',
    'response_code',
    'gatewright.route',
    'gatewright.gateway',
    'http.response.status_code',
    'error.type',
  ];
  const world = await startRuled(t, {
    accessLog: { enabled: true, fields, requestHeaders: ['x-tenant'], stdout: true, otlp },
    tracing: { otlp, serviceName: 'shop-edge', requestHeaders: ['x-tenant'] },
  });
  // The receiver comes later: until then there is nowhere to send to, and requests pass.
  await served(world);
  world.write('otel.yaml', ...serviceObjects('otel', [port]));
  const logs = '/opentelemetry.proto.collector.logs.v1.LogsService/Export';
  const traces = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
  await untilFits(
    'log records and spans',
    async () => {
      await ask(world, '/basket?card=1', { 'x-tenant': 'seven' });
      return [received.get(logs) ?? '', received.get(traces) ?? ''];
    },
    // Spans of the first requests, which had no such header, may come before.
    ([log = '', trace = '']) => log.includes('/basket') && trace.includes('http.request.header.x-tenant'),
  );
  t.regex(received.get(logs) ?? '', /request_headers\.x-tenant/);
  t.regex(received.get(logs) ?? '', /gatewright\.route[^a-z]+httproute\/default\/web/);
  t.true(received.get(logs)?.includes('error.type\u0012\u0003\n\u0001-'), 'a request without an error');
  t.regex(received.get(logs) ?? '', /gatewright\.gateway[^a-z]+default\/edge/);
  t.regex(received.get(logs) ?? '', /http\.response\.status_code[^a-z0-9]+200/);
  t.false((received.get(logs) ?? '').includes('card'), 'queries are not for logs');
  t.true(received.get(traces)?.includes('shop-edge'));
});

const gatewayWith = (port: number, listener: object) => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { name: 'edge' },
  spec: {
    gatewayClassName: 'gatewright',
    listeners: [{ name: 'https', port, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'web' }] }, ...listener }],
  },
});

thorough(test)('TLS is spoken in the versions, with the ciphers and protocols that are asked for', async (t) => {
  const authority = await createAuthority('ours');
  const { certificatePem, keyPem } = await authority.issue({ hostnames: ['web.test'] });
  const port = await freePort();
  const backend = await startBackend(t);
  const world = await startStandalone({
    'secret.yaml': [
      {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'kubernetes.io/tls',
        metadata: { name: 'web' },
        stringData: { 'tls.crt': certificatePem, 'tls.key': keyPem },
      },
    ],
    'edge.yaml': [gatewayWith(port, {})],
    'web.yaml': serviceObjects('web', [backend.port]),
    'policy.yaml': [policy({ tls: { minVersion: '1.3', curves: ['P-256'], alpnProtocols: ['http/1.1'] } })],
    'route.yaml': [routeObject('web', 'web.test', [{ backendRefs: [{ name: 'web', port: 80 }] }])],
  });
  t.teardown(world.stop);
  world.write('gateway.yaml', ...world.gatewayObjects.slice(0, 1));
  const handshake = (options: ConnectionOptions) =>
    new Promise<
      Partial<TLSSocket> & { readonly cipher?: string; readonly version?: string | null; readonly error?: string }
    >((resolve) => {
      const socket = tlsConnect({
        host: '127.0.0.1',
        port,
        servername: 'web.test',
        ca: authority.certificatePem,
        ALPNProtocols: ['h2', 'http/1.1'],
        ...options,
      });
      socket.once('secureConnect', () => {
        const { alpnProtocol } = socket;
        resolve({ alpnProtocol, cipher: socket.getCipher().name, version: socket.getProtocol() });
        socket.destroy();
      });
      socket.once('error', ({ message }) => resolve({ error: message }));
    });
  const newest = await untilFits(
    'a handshake',
    () => handshake({}),
    ({ version }) => version === 'TLSv1.3',
  );
  t.is(newest.alpnProtocol, 'http/1.1');
  t.regex((await handshake({ maxVersion: 'TLSv1.2' })).error ?? '', /protocol version/);
  t.regex((await handshake({ ecdhCurve: 'P-384' })).error ?? '', /handshake failure/);
  world.write(
    'policy.yaml',
    policy({
      tls: { maxVersion: '1.2', cipherSuites: ['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'] },
    }),
  );
  const older = await untilFits(
    'the older version',
    () => handshake({}),
    ({ version }) => version === 'TLSv1.2',
  );
  t.regex(older.cipher ?? '', /AES256-GCM-SHA384$/);
  t.is(older.alpnProtocol, 'h2');
  world.write('policy.yaml', policy({ tls: { handshakeTimeout: '2s' } }));
  await untilFits(
    'both versions',
    () => handshake({}),
    ({ version }) => version === 'TLSv1.3',
  );
  t.is(await talk(port, '\x16\x03\x01\x00\xff'), '');
  // A client may be too slow for its handshake by chance.
  const status = await until(
    'an answer by TLS',
    () =>
      new Promise<number | undefined>((resolve, reject) =>
        httpsRequest(
          {
            host: '127.0.0.1',
            port,
            servername: 'web.test',
            ca: authority.certificatePem,
            headers: { host: 'web.test' },
          },
          (answer) => resolve(answer.resume().statusCode),
        )
          .once('error', reject)
          .end(),
      ),
  );
  t.is(status, 200);
});
