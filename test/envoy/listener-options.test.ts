import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect as h2Connect } from 'node:http2';
import { type AddressInfo, connect, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { clientAddress } from '../../src/offline/access/index.ts';
import { backend, refs, startWorld } from '../support/graph-proxy.ts';
import { startBackend } from '../support/http.ts';
import { openEcho, startEchoBackend } from '../support/l4-backends.ts';
import { gateway, httpRoute, l4Route, ownObject } from '../support/objects.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';
import { thorough } from '../support/repetitions.ts';
import { until, untilFits } from '../support/until.ts';

/** What ListenerPolicies say of HTTP/1, headers, checks of a load balancer and long connections, with a real Envoy. */

const target = { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' };
const policy = (spec: object) => ownObject('ListenerPolicy', 'edge', { targetRefs: [target], ...spec });
const backendPolicy = (spec: object) =>
  ownObject('BackendPolicy', 'web', { targetRefs: [{ group: '', kind: 'Service', name: 'web' }], ...spec });

type Headers = Readonly<Record<string, string | readonly string[]>>;
type Answer = (request: IncomingMessage) => Headers;

/** A gateway with one HTTP listener under a policy; its backend answers what it saw, headers as they were written. */
async function startRuled(t: ExecutionContext, spec: object, answer: Answer = () => ({})) {
  const web = await startBackend(t, (request, response) => {
    request.resume().once('end', () => {
      for (const [name, value] of Object.entries(answer(request))) response.setHeader(name, value as string);
      const { url, headers, rawHeaders, trailers } = request;
      response.end(JSON.stringify({ url, headers, rawHeaders, trailers }));
    });
  });
  const world = await startWorld(
    t,
    gateway('edge', [{ name: 'http', port: 80, protocol: 'HTTP' }]),
    policy(spec),
    ...backend('web', web.port),
    httpRoute('web', { hostnames: ['web.test', '*.wild.test'], rules: refs({ web: 1 }) as never }),
  );
  const port = await world.envoy.port('http/80');
  const ask = (headers: Headers = {}, { path = '/', host = 'web.test', from = '127.0.0.1' } = {}) =>
    new Promise<{ readonly status: number; readonly headers: IncomingMessage['headers']; readonly body: string }>(
      (resolve, reject) => {
        const options = { host: '127.0.0.1', port, path, localAddress: from, agent: false };
        const sent = httpRequest({ ...options, headers: { ...headers, host } as never }, (response) => {
          let body = '';
          response.setEncoding('utf8').on('data', (text: string) => {
            body += text;
          });
          response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
        });
        sent.once('error', reject).end();
      },
    );
  const seen = async (headers: Headers = {}, more: object = {}) =>
    JSON.parse((await ask(headers, more)).body).headers as Readonly<Record<string, string | undefined>>;
  return { ...world, port, ask, seen, web };
}

thorough(test)(
  'requests of HTTP/1.0 are served where the policy says so, and those without Host at the default host',
  async (t) => {
    const { port, apply } = await startRuled(t, { limits: { maxRequestHeaders: 99 } });
    const old = (headers: readonly string[] = []) =>
      exchange(port, `${['GET / HTTP/1.0', ...headers].join('\r\n')}\r\n\r\n`);
    t.is((await old(['Host: web.test'])).status, 426);
    await apply(policy({ http1: { allowHTTP10: true } }));
    const served = await untilFits(
      'an answer',
      () => old(['Host: web.test']),
      ({ status }) => status === 200,
    );
    t.regex(served.text, /"host":"web\.test"/);
    t.is((await old()).status, 400);
    await apply(policy({ http1: { allowHTTP10: true, defaultHost: 'a.wild.test' } }));
    const byDefault = await untilFits('an answer', old, ({ status }) => status === 200);
    t.regex(byDefault.text, /"host":"a\.wild\.test"/);
  },
);

thorough(test)('names of headers are written as the policies of both ends of the proxy say', async (t) => {
  const { port, apply } = await startRuled(t, { limits: { maxRequestHeaders: 99 } }, () => ({ 'X-odd-CASE': 'b' }));
  const names = async () => {
    const { text } = await exchange(port, rawRequest('/', ['Host: web.test', 'x-MIXED-case: a']));
    const request = /"rawHeaders":.*?(x-mixed-case)/i.exec(text)?.[1];
    const response = /^x-odd-case/im.exec(text)?.[0];
    return `${request} ${response}`;
  };
  t.is(await names(), 'x-mixed-case x-odd-case');
  const become = (what: string) => untilFits(what, names, (found) => found === what);
  await apply(policy({ http1: { headerCase: 'Proper' } }), backendPolicy({ http1: { headerCase: 'Proper' } }));
  await become('X-Mixed-Case X-Odd-Case');
  await apply(policy({ http1: { headerCase: 'Preserve' } }), backendPolicy({ http1: { headerCase: 'Preserve' } }));
  await become('x-MIXED-case X-odd-CASE');
  await apply(policy({ http1: { headerCase: 'Lower' } }), backendPolicy({ timeouts: { connect: '4s' } }));
  await become('x-mixed-case x-odd-case');
  t.pass();
});

test('trailers of HTTP/1.1 are passed on where both policies say so', async (t) => {
  const { port, apply } = await startRuled(t, { limits: { maxRequestHeaders: 99 } });
  const body = '2\r\nhi\r\n0\r\nx-sum: 7\r\nx-gw-own: 1\r\n\r\n';
  const lines = ['Host: web.test', 'Transfer-Encoding: chunked', 'Trailer: x-sum'];
  const trailers = async () => {
    const { text } = await exchange(port, rawRequest('/', lines, { method: 'POST', body }));
    return /"trailers":(\{[^}]*\})/.exec(text)?.[1];
  };
  t.is(await trailers(), '{}');
  await apply(policy({ http1: { trailers: true } }), backendPolicy({ http1: { trailers: true } }));
  await untilFits('a trailer', trailers, (found) => found === '{"x-sum":"7"}');
  t.pass();
});

test('the proxy answers its load balancer on any host, no longer when it is about to end, and logs nothing of it', async (t) => {
  const { ask, envoy, web, apply } = await startRuled(t, { healthCheck: { path: '/proxy/healthz' } });
  const check = (host = '192.0.2.1', path = '/proxy/healthz') => ask({}, { host, path });
  t.is((await check()).status, 200);
  t.is((await check('web.test')).status, 200);
  t.is((await check('web.test', '/x/../proxy//healthz')).status, 200);
  t.is((await check('192.0.2.1', '/proxy/healthz?a')).status, 404);
  t.is((await check('192.0.2.1', '/proxy/healthz/')).status, 404);
  t.deepEqual(web.requests, []);
  t.is((await check('web.test', '/proxy/health')).status, 200);
  t.deepEqual(web.requests, ['/proxy/health']);
  await envoy.adminRequest('POST', '/healthcheck/fail');
  t.is((await check()).status, 503);
  t.is((await check('web.test', '/proxy/health')).status, 200);
  await envoy.adminRequest('POST', '/healthcheck/ok');
  await apply(
    policy({
      healthCheck: { path: '/proxy/healthz' },
      accessLog: { enabled: true, fields: ['path'] },
    }),
  );
  await untilFits(
    'a line of the access log',
    async () => {
      await check();
      await check('web.test', '/logged');
      return envoy.log();
    },
    (log) => log.includes('"/logged"'),
  );
  t.false(envoy.log().includes('"/proxy/healthz"'));
});

test('request ids are made, kept, left out and shown as the policy says', async (t) => {
  const { ask, seen, apply } = await startRuled(t, { limits: { maxRequestHeaders: 99 } });
  const uuid = /^[0-9a-f-]{36}$/;
  const own = { 'x-request-id': 'mine' };
  const idOf = async (headers: Headers) => (await seen(headers))['x-request-id'];
  t.regex((await idOf(own)) ?? '', uuid);
  const requestID = (value: object) => apply(policy({ headers: { requestID: value } }));
  await requestID({ mode: 'PreserveOrGenerate', inResponse: true });
  await untilFits(
    'a kept id',
    () => idOf(own),
    (id) => id === 'mine',
  );
  t.regex((await idOf({})) ?? '', uuid);
  t.is((await ask(own)).headers['x-request-id'], 'mine');
  await requestID({ mode: 'Preserve' });
  await untilFits(
    'no new id',
    () => idOf({}),
    (id) => id === undefined,
  );
  t.is(await idOf(own), 'mine');
  t.is((await ask(own)).headers['x-request-id'], undefined);
  await requestID({ mode: 'None' });
  await untilFits(
    'no id',
    () => idOf(own),
    (id) => id === undefined,
  );
  await requestID({ mode: 'Generate', inResponse: true });
  await untilFits(
    'a new id',
    () => idOf(own),
    (id) => uuid.test(id ?? ''),
  );
  t.regex(String((await ask(own)).headers['x-request-id']), uuid);
});

test('how long a backend took is in the access log always, and in answers where the policy says so', async (t) => {
  const accessLog = { enabled: true, fields: ['path', 'upstream_service_time'] };
  const { ask, seen, apply, envoy } = await startRuled(t, { accessLog });
  const { headers, status } = await ask();
  t.is(status, 200);
  t.is(headers['x-envoy-upstream-service-time'], undefined);
  await untilFits(
    'a line',
    () => envoy.log(),
    (log) => /"upstream_service_time":\d/.test(log),
  );
  await apply(policy({ headers: { envoyHeaders: true } }));
  await untilFits(
    'a time',
    async () => (await ask()).headers['x-envoy-upstream-service-time'],
    (time) => /^\d+$/.test(String(time)),
  );
  // A client says nothing in them.
  const forged = await seen({ 'x-envoy-expected-rq-timeout-ms': '1', 'x-envoy-upstream-rq-timeout-ms': '1' });
  t.not(forged['x-envoy-expected-rq-timeout-ms'], '1');
  t.is(forged['x-envoy-upstream-rq-timeout-ms'], undefined);
});

test('headers of requests change before routes are looked for, and headers of all answers at last', async (t) => {
  const { ask, seen, apply } = await startRuled(
    t,
    {
      headers: {
        request: {
          remove: ['X-Gone'],
          removeMatching: [{ prefix: 'x-inner-' }],
          set: [{ name: 'X-Set', value: '100 %% of %REQ(X-From)%' }],
          add: [{ name: 'X-Add', value: 'b' }],
          ifAbsent: [{ name: 'X-Absent', value: 'c' }],
        },
        response: {
          remove: ['Server'],
          set: [{ name: 'Strict-Transport-Security', value: 'max-age=1' }],
          add: [{ name: 'X-Route', value: '%ROUTE_NAME% for %REQ(X-From)%' }],
        },
      },
    },
    () => ({ server: 'inside', 'strict-transport-security': 'max-age=0' }),
  );
  const sent = { 'x-gone': '1', 'x-inner-a': '1', 'x-set': '1', 'x-add': 'a', 'x-absent': 'own', 'x-from': 'me' };
  const { 'x-gone': gone, 'x-inner-a': inner, 'x-set': set, 'x-add': add, 'x-absent': absent } = await seen(sent);
  t.deepEqual([gone, inner, set, add, absent], [undefined, undefined, '100 % of me', 'a, b', 'own']);
  t.is((await seen({}))['x-absent'], 'c');
  const { headers } = await ask(sent);
  t.is(headers.server, undefined);
  t.is(headers['strict-transport-security'], 'max-age=1');
  t.regex(String(headers['x-route']), /^httproute\/default\/web\/rule\/0.* for me$/);
  const none = await ask({}, { host: 'none.test' });
  t.is(none.status, 404);
  t.is(none.headers['strict-transport-security'], 'max-age=1');
  // Routes see what the policy wrote.
  await apply(
    httpRoute('web', {
      hostnames: ['web.test'],
      rules: [
        {
          matches: [{ headers: [{ name: 'x-absent', value: 'c' }] }],
          backendRefs: [{ name: 'web', port: 80 }],
        },
      ] as never,
    }),
  );
  await untilFits(
    'no route',
    () => ask({ 'x-absent': 'own' }),
    ({ status }) => status === 404,
  );
  t.is((await ask({})).status, 200);
});

const allForwarded = [
  'X-Real-IP',
  'X-Forwarded-Host',
  'X-Forwarded-Port',
  'X-Forwarded-Scheme',
  'X-Scheme',
  'X-Original-Forwarded-For',
];

test('backends learn how the client spoke to the proxy, and from known proxies how it spoke to them', async (t) => {
  const trustedCIDRs = ['127.0.0.2/32'];
  const forwarded = { forwardedFor: 'Replace', add: allForwarded };
  const { seen, apply } = await startRuled(t, { headers: { forwarded }, clientIP: { trustedCIDRs } });
  const pick = async (headers: Headers, more: object = {}) => {
    const found = await seen(headers, more);
    return Object.fromEntries(['x-forwarded-for', ...allForwarded].map((name) => [name, found[name.toLowerCase()]]));
  };
  const plain = {
    'x-forwarded-for': '127.0.0.1',
    'X-Real-IP': '127.0.0.1',
    'X-Forwarded-Host': 'a.wild.test:8080',
    'X-Forwarded-Port': '80',
    'X-Forwarded-Scheme': 'http',
    'X-Scheme': 'http',
    'X-Original-Forwarded-For': undefined,
  };
  t.deepEqual(await pick({}, { host: 'a.wild.test:8080' }), plain);
  const claims = {
    'x-forwarded-for': '203.0.113.7, 127.0.0.2',
    'x-real-ip': '203.0.113.8',
    'x-forwarded-host': 'shop.test',
    'x-forwarded-port': '443',
    'x-forwarded-proto': 'https',
    'x-forwarded-scheme': 'ftp',
    'x-scheme': 'ftp',
    'x-original-forwarded-for': '203.0.113.9',
  };
  const original = { 'X-Original-Forwarded-For': '203.0.113.7, 127.0.0.2' };
  t.deepEqual(await pick(claims, { host: 'a.wild.test:8080' }), { ...plain, ...original });
  const byProxy = {
    'x-forwarded-for': '203.0.113.7',
    'X-Real-IP': '203.0.113.7',
    'X-Forwarded-Host': 'shop.test',
    'X-Forwarded-Port': '443',
    'X-Forwarded-Scheme': 'https',
    'X-Scheme': 'https',
    ...original,
  };
  t.deepEqual(await pick(claims, { from: '127.0.0.2' }), byProxy);
  t.is(
    clientAddress('127.0.0.2', () => [claims['x-forwarded-for']], {}),
    '127.0.0.2',
  );
  await apply(policy({ headers: { forwarded: { forwardedFor: 'Keep' } } }));
  await untilFits(
    'a list that stays as it came',
    async () => (await seen({ 'x-forwarded-for': '203.0.113.7' }))['x-forwarded-for'],
    (found) => found === '203.0.113.7',
  );
});

thorough(test)('silent connections of HTTP/2 are pinged, and requests end after their longest time', async (t) => {
  const silent = createServer((_, response) => response.writeHead(200).write('begun'));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.teardown(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const { port, apply } = await startRuled(t, { http2: { keepalive: { interval: '1s' } } });
  const session = h2Connect(`http://127.0.0.1:${port}`);
  t.teardown(() => session.destroy());
  await once(session, 'ping');
  await apply(
    policy({ timeouts: { maxStreamDuration: '1s' } }),
    ...backend('slow', (silent.address() as AddressInfo).port),
    httpRoute('slow', { hostnames: ['slow.test'], rules: refs({ slow: 1 }) as never }),
  );
  const heard = await untilFits(
    'an answer that is cut',
    () => exchange(port, rawRequest('/', ['Host: slow.test'])),
    ({ text }) => text.includes('begun'),
  );
  t.false(heard.text.includes('\r\n0\r\n'), 'it has no end');
});

thorough(test)(
  'a silent connection of a TCP listener is closed, and one above the limit after its delay',
  async (t) => {
    const port = await startEchoBackend(t);
    const world = await startWorld(
      t,
      gateway('edge', [{ name: 'tcp', port: 9000, protocol: 'TCP' }]),
      policy({ timeouts: { tcpIdle: '5s' }, limits: { maxConnections: 1, closeDelay: '500ms' } }),
      ...backend('web', port),
      l4Route('TCPRoute', 'web', { rules: refs({ web: 1 }) as never }),
    );
    const edge = await world.envoy.port('tcp/9000');
    // A client that is stopped before it speaks is silent, too.
    const first = await until('an echo', async () => {
      const connection = await openEcho(t, edge);
      return (await connection.say('hello')) === 'hello' && connection;
    });
    const second = await opened(t, edge);
    t.is(await ended(second), '');
    await first.ended;
  },
);

async function opened(t: ExecutionContext, port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** What it heard until its end. */
async function ended(socket: Socket): Promise<string> {
  let heard = '';
  socket.on('data', (chunk: Buffer) => {
    heard += chunk.toString('latin1');
  });
  await once(socket, 'close');
  return heard;
}
