import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, createServer, type Server } from 'node:net';
import anyTest, { type TestFn } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { endings } from '../support/endings.ts';
import { type CountingBackend, send, serviceObjects, startBackend } from '../support/http.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';
import { thorough } from '../support/repetitions.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

// A backend that reads requests and then breaks off, and a client who asks for repetitions: what a backend may have done is not done twice.

interface World {
  readonly gateway: Standalone;
  /** Three endpoints that reset the connection when they have the whole request. */
  readonly resetting: readonly CountingBackend[];
  /** The same by HTTP/2, where the stream is reset; paths of all requests. */
  readonly resetStreams: string[];
  /** Methods of requests that were accepted, and only begun: their bodies are to follow. */
  readonly begun: string[];
  /** Gets copies of what goes to `plain`. */
  readonly mirror: CountingBackend;
  readonly plain: CountingBackend;
  readonly auth: CountingBackend;
  /** An endpoint that never answers; the policy of its Service gives it half a second. */
  readonly silent: readonly CountingBackend[];
}

const test = anyTest as TestFn<World>;
const all = endings(test);

const reset = (request: IncomingMessage) => request.resume().once('end', () => request.socket.resetAndDestroy());
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
const methods = ['POST', 'PUT', 'DELETE', 'PATCH'];
const policy = (name: string, spec: object) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'BackendPolicy',
  metadata: { name },
  spec: { targetRefs: [{ group: '', kind: 'Service', name }], ...spec },
});

test.before(async (t) => {
  const [resetting, silent] = await Promise.all([
    Promise.all([1, 2, 3].map(() => startBackend(all, reset))),
    Promise.all([1, 2, 3].map(() => startBackend(all, () => {}))),
  ]);
  const resetStreams: string[] = [];
  const http2 = await Promise.all([1, 2].map(() => startResettingHttp2(resetStreams)));
  const begun: string[] = [];
  const breaking = await Promise.all([1, 2].map(() => startBreaking(begun)));
  const [plain, mirror, auth] = [await startBackend(all), await startBackend(all), await startBackend(all)];
  const dead = await freePort();
  const ports = (backends: readonly { readonly port: number }[]) => backends.map(({ port }) => port);
  const to = (name: string, more: object = {}) => ({
    matches: [{ path: { type: 'PathPrefix', value: `/${name}` } }],
    backendRefs: [{ name, port: 80 }],
    ...more,
  });
  const copy = { type: 'RequestMirror', requestMirror: { backendRef: { name: 'mirror', port: 80 } } };
  const asking = (protocol: object) => ({
    type: 'ExternalAuth',
    externalAuth: { backendRef: { name: 'auth', port: 80 }, ...protocol },
  });
  const gateway = await startStandalone({
    'services.yaml': [
      ...serviceObjects('resetting', ports(resetting)),
      ...serviceObjects('careful', ports(resetting)),
      ...serviceObjects('strict', [...ports([plain]), dead]),
      ...serviceObjects('http2', http2, { appProtocol: 'kubernetes.io/h2c' }),
      ...serviceObjects('breaking', breaking),
      ...serviceObjects('silent', ports(silent)),
      ...serviceObjects('plain', [plain.port, dead]),
      ...serviceObjects('mirror', [mirror.port]),
      ...serviceObjects('auth', [auth.port, dead]),
      policy('careful', { retry: { mode: 'NotProcessed' } }),
      policy('strict', { retry: { mode: 'Never' } }),
      policy('silent', { timeouts: { request: '500ms' } }),
    ],
    'route.yaml': [
      routeObject('all', 'shop.test', [
        ...['resetting', 'careful', 'strict', 'http2', 'breaking', 'silent'].map((name) => to(name)),
        to('plain', { filters: [asking({ protocol: 'HTTP', http: {} }), copy] }),
        {
          matches: [{ path: { type: 'PathPrefix', value: '/own' } }],
          backendRefs: [{ name: 'resetting', port: 80 }],
          retry: { attempts: 2, codes: [503] },
        },
        {
          matches: [{ path: { type: 'PathPrefix', value: '/off' } }],
          backendRefs: [{ name: 'plain', port: 80 }],
          retry: { attempts: 0 },
        },
        {
          matches: [{ path: { type: 'PathPrefix', value: '/slow' } }],
          backendRefs: [{ name: 'silent', port: 80 }],
          timeouts: { backendRequest: '300ms' },
        },
      ]),
    ],
  });
  all.teardown(() => gateway.stop());
  t.context = { gateway, resetting, resetStreams, begun, mirror, plain, auth, silent };
  await untilFits(
    'the route',
    () => ask(t.context, '/plain/ready'),
    ({ status }) => status === 200,
  );
});

/** Reads the whole request, then resets its stream. */
async function startResettingHttp2(paths: string[]): Promise<number> {
  const server = createHttp2Server();
  server.on('stream', (stream, headers) => {
    paths.push(String(headers[':path']));
    stream.on('error', () => {});
    stream.resume().once('end', () => stream.close(2));
  });
  return listen(server as unknown as Server);
}

/** Ends the connection at the first bytes of a request. */
const startBreaking = (begun: string[]): Promise<number> =>
  listen(
    createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (bytes) => {
        begun.push(bytes.toString('latin1').split(' ')[0] ?? '');
        socket.resetAndDestroy();
      });
    }),
  );

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  all.teardown(() => server.close());
  return portOf(server);
}

const ask = ({ gateway }: World, path: string, method = 'GET', body?: string) =>
  send(gateway.port, { host: 'shop.test', path, method, ...(body !== undefined && { body }) });

const seenBy = (backends: readonly CountingBackend[], path: string): number =>
  backends.flatMap(({ requests }) => requests).filter((request) => request === path).length;

/**
 * Resolves when the backends have read all that came before: Envoy's time limit may be over while this process has not yet looked at what was sent. What is
 * sent now on a connection of its own is read behind it.
 */
const haveRead = (backends: readonly CountingBackend[], path: string): Promise<unknown> =>
  Promise.all(
    backends.map(async ({ port, requests }) => {
      const mark = `${path}/behind`;
      const sent = httpRequest({ host: '127.0.0.1', port, path: mark, agent: false })
        .on('error', () => {})
        .end();
      await until(`${mark} to be read`, () => requests.includes(mark));
      sent.destroy();
    }),
  );

test('a backend that reads a request and resets gets no other method than GET, HEAD and OPTIONS twice', async (t) => {
  for (const method of methods) {
    const path = `/resetting/${method}`;
    t.is((await ask(t.context, path, method, 'order')).status, 503, method);
    t.is(seenBy(t.context.resetting, path), 1, method);
    const byHttp2 = `/http2/${method}`;
    t.true((await ask(t.context, byHttp2, method, 'order')).status >= 500, method);
    t.is(t.context.resetStreams.filter((seen) => seen === byHttp2).length, 1, method);
  }
  for (const method of ['GET', 'HEAD', 'OPTIONS']) {
    const path = `/resetting/${method}`;
    t.is((await ask(t.context, path, method)).status, 503, method);
    t.is(seenBy(t.context.resetting, path), 3, `${method}: once at each endpoint, and no more`);
  }
});

thorough(test)(
  'bytes that have reached a backend are not sent again, whether they were the whole request or its beginning',
  async (t) => {
    const { gateway, begun } = t.context;
    for (const method of methods) {
      const head = rawRequest('/breaking', ['Host: shop.test', 'Content-Length: 9']).replace(/^\S+/, method);
      t.is((await exchange(gateway.port, `${head}half`)).status, 503, method);
      t.is(begun.filter((seen) => seen === method).length, 1, method);
    }
  },
);

test('a client cannot ask for repetitions, nor see or say how often there were any', async (t) => {
  const { gateway, resetting, plain, auth, mirror } = t.context;
  const wanting = [
    'Host: shop.test',
    'Content-Length: 0',
    'x-envoy-retry-on: reset,5xx',
    'x-envoy-retry-grpc-on: unavailable',
    'x-envoy-max-retries: 9',
    'x-envoy-attempt-count: 7',
  ];
  const asked = (path: string, method: string) =>
    exchange(gateway.port, rawRequest(path, wanting).replace(/^\S+/, method));
  t.is((await asked('/resetting/forged', 'POST')).status, 503);
  t.is(seenBy(resetting, '/resetting/forged'), 1);
  t.is((await asked('/resetting/forged-get', 'GET')).status, 503);
  t.is(seenBy(resetting, '/resetting/forged-get'), 3);
  const answers = await Promise.all(Array.from({ length: 20 }, () => asked('/plain/marks', 'GET')));
  t.deepEqual(
    [...new Set(answers.map(({ status }) => status))],
    [200],
    'one endpoint of backend and auth server is dead',
  );
  const marks = (names: Iterable<string>) => [...names].filter((name) => /^x-envoy-(retry|max|attempt)/.test(name));
  t.deepEqual(
    answers.flatMap(({ headers }) => marks(headers.keys())),
    [],
  );
  await untilFits(
    'copies',
    () => seenBy([mirror], '/plain/marks'),
    (count) => count === 20,
  );
  for (const { seen } of [plain, mirror, auth]) {
    t.true(seen.length > 0);
    t.deepEqual(
      seen.flatMap((headers) => marks(Object.keys(headers).filter((name) => headers[name] !== '7'))),
      [],
    );
  }
});

thorough(test)('a copy of a request is sent once, whatever happens to it', async (t) => {
  const { plain, mirror } = t.context;
  for (let sent = 0; sent < 10; sent++) t.is((await ask(t.context, '/plain/copied', 'POST', 'order')).status, 200);
  await untilFits(
    'copies',
    () => seenBy([mirror], '/plain/copied'),
    (count) => count >= 10,
  );
  t.is(seenBy([mirror], '/plain/copied'), 10);
  t.is(seenBy([plain], '/plain/copied'), 10);
});

test('where a rule, a policy or a time limit says how often, a safe method is not repeated after it was sent', async (t) => {
  const { resetting, silent } = t.context;
  for (const path of ['/careful/get', '/own/get']) {
    t.is((await ask(t.context, path)).status, 503);
    t.is(seenBy(resetting, path), 1, path);
  }
  for (const path of ['/silent/get', '/slow/get']) {
    t.is((await ask(t.context, path)).status, 504);
    await haveRead(silent, path);
    t.is(seenBy(silent, path), 1, path);
  }
});

test('no retry means none: a dead endpoint fails its share of requests', async (t) => {
  for (const path of ['/strict', '/off']) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(t.context, path)));
    t.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 503], path);
  }
});
