import { createServer as createHttp2, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import anyTest, { type TestFn } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { endings } from '../support/endings.ts';
import { type CountingBackend, send, serviceObjects, startBackend } from '../support/http.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';
import { every } from '../support/repetitions.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

// Servers that a policy asks by forwardAuth, and that hang, break off, or answer what is no answer. No request gets past them, and no other host is held up.

interface World {
  readonly gateway: Standalone;
  readonly web: CountingBackend;
}

const test = anyTest as TestFn<World>;
const all = endings(test);

const endless = (socket: Socket, start: string, more: string) => {
  socket.write(start);
  const go = () => {
    if (!socket.destroyed) socket.write(more, () => setImmediate(go));
  };
  go();
};

/** By what they do with a connection as soon as something was asked. */
const byHttp: Readonly<Record<string, (socket: Socket) => void>> = {
  hangs: () => undefined,
  resets: (socket) => void socket.resetAndDestroy(),
  'ends without an answer': (socket) => void socket.end(),
  'resets in the middle of a header': (socket) =>
    void socket.write('HTTP/1.1 200 OK\r\nx-a: ', () => socket.resetAndDestroy()),
  'resets in the middle of a body': (socket) =>
    void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', () => socket.resetAndDestroy()),
  'never ends its body': (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'),
  'answers with noise': (socket) => void socket.end(Buffer.from([0, 1, 2, 255, 254, 13, 10, 13, 10, 200])),
  'answers by HTTP/2': (socket) => void socket.end('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  'answers with no status': (socket) => void socket.end('HTTP/1.1 OK\r\ncontent-length: 0\r\n\r\n'),
  'answers with a length twice': (socket) =>
    void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\ncontent-length: 5\r\n\r\n'),
  'answers with a huge header': (socket) =>
    void socket.end(`HTTP/1.1 200 OK\r\nx-auth-user: ${'a'.repeat(1 << 20)}\r\ncontent-length: 0\r\n\r\n`),
  'answers with too many headers': (socket) =>
    void socket.end(`HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(20_000)}content-length: 0\r\n\r\n`),
  'answers with headers without end': (socket) => endless(socket, 'HTTP/1.1 200 OK\r\n', 'x-a: b\r\n'),
  'says 100 without end': (socket) => endless(socket, '', 'HTTP/1.1 100 Continue\r\n\r\n'),
};

/** Which is an answer, and no consent. */
const oddStatus = 'answers with a status that is none';
const answersOddly = (socket: Socket) => void socket.end('HTTP/1.1 2000 OK\r\ncontent-length: 0\r\n\r\n');

const grpcOk = { ':status': 200, 'content-type': 'application/grpc' };
const frame = (bytes: readonly number[], length = bytes.length) =>
  Buffer.from([0, length >>> 24, length >>> 16, length >>> 8, length, ...bytes]);

/** By what they do with a stream. */
const byGrpc: Readonly<Record<string, (stream: ServerHttp2Stream) => void>> = {
  hangs: () => undefined,
  'resets the stream': (stream) => stream.close(2),
  'ends the connection': (stream) => void stream.session?.destroy(),
  'answers a page': (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'text/html' });
    stream.end('<p>welcome');
  },
  'answers no message': (stream) => {
    stream.respond(grpcOk, { waitForTrailers: true });
    stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end();
  },
  'answers noise for a message': (stream) => {
    stream.respond(grpcOk, { waitForTrailers: true });
    stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(frame([255, 255, 255, 255, 255]));
  },
  'answers less of a message than it says': (stream) => {
    stream.respond(grpcOk);
    stream.write(frame([10], 1 << 30));
  },
  'fails with a status of gRPC': (stream) => {
    stream.respond({ ...grpcOk, 'grpc-status': '14', 'grpc-message': 'later' }, { endStream: true });
  },
  'answers 200 and then fails': (stream) => {
    stream.respond(grpcOk, { waitForTrailers: true });
    stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '13' }));
    stream.end();
  },
  'answers with huge headers': (stream) => {
    stream.respond({
      ...grpcOk,
      ...Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`x-a${at}`, 'a'.repeat(1_000)])),
    });
    stream.end(frame([]));
  },
};

const listening = async (server: Server | ReturnType<typeof createHttp2>): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

async function startHttp(behave: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => behave(socket));
  });
  all.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return await listening(server);
}

async function startGrpc(behave: (stream: ServerHttp2Stream) => void): Promise<number> {
  const sessions = new Set<{ destroy(): void }>();
  const server = createHttp2({ maxSendHeaderBlockLength: 1 << 20 });
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => undefined);
  });
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    behave(stream);
  });
  all.teardown(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return await listening(server);
}

const names = [
  ...Object.keys(byHttp).map((what) => ({ what, protocol: 'http' as const })),
  ...Object.keys(byGrpc).map((what) => ({ what, protocol: 'grpc' as const })),
  { what: 'is not there', protocol: 'http' as const },
  { what: 'is not there', protocol: 'grpc' as const },
];
const nameOf = ({ what, protocol }: (typeof names)[number]) =>
  `${protocol}-${what.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()}`;

const policy = (name: string, protocol: 'http' | 'grpc'): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name },
  spec: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name }],
    forwardAuth: {
      backendRef: { name: `auth-${name}`, port: 80 },
      timeout: '1s',
      [protocol]: protocol === 'http' ? { toBackend: ['x-auth-user'] } : {},
    },
  },
});

const odd = { what: oddStatus, protocol: 'http' as const };

test.before(async (t) => {
  t.timeout(600_000);
  const web = await startBackend(all);
  const portOf = async ({ what, protocol }: (typeof names)[number]): Promise<number> => {
    if (what === 'is not there') return await freePort();
    return protocol === 'http'
      ? await startHttp(byHttp[what] ?? answersOddly)
      : await startGrpc(byGrpc[what] as (stream: ServerHttp2Stream) => void);
  };
  const servers = await Promise.all(
    [...names, odd].map(async (each) =>
      serviceObjects(
        `auth-${nameOf(each)}`,
        [await portOf(each)],
        each.protocol === 'grpc' ? { appProtocol: 'kubernetes.io/h2c' } : {},
      ),
    ),
  );
  const to = [{ backendRefs: [{ name: 'web', port: 80 }] }];
  const gateway = await startStandalone({
    'web.yaml': [
      ...serviceObjects('web', [web.port]),
      ...servers.flat(),
      ...[...names, odd].flatMap((each) => [
        routeObject(nameOf(each), `*.${nameOf(each)}.test`, to),
        policy(nameOf(each), each.protocol),
      ]),
      routeObject('open', 'open.test', to),
    ],
  });
  all.teardown(() => gateway.stop());
  t.context = { gateway, web };
  await until('the open host', async () => (await send(gateway.port, { host: 'open.test' })).status === 200);
});

for (const each of every(2, names))
  test(`an auth server asked by ${each.protocol} that ${each.what}: 503, and the backend sees nothing`, async (t) => {
    const { gateway, web } = t.context;
    const path = `/${nameOf(each)}`;
    const { status } = await send(gateway.port, { host: `late.${nameOf(each)}.test`, path });
    t.is(status, 503);
    t.is((await send(gateway.port, { host: 'open.test', path: `/open${path}` })).status, 200, 'another host is served');
    t.false(web.requests.includes(path));
  });

test(`an auth server that ${oddStatus}: nothing of it is consent`, async (t) => {
  const { gateway, web } = t.context;
  // The client gets it as it is, like every answer of an auth server that is no consent.
  await exchange(gateway.port, rawRequest('/odd', [`Host: late.${nameOf(odd)}.test`]));
  t.is((await send(gateway.port, { host: 'open.test', path: '/open/odd' })).status, 200);
  t.false(web.requests.includes('/odd'));
});
