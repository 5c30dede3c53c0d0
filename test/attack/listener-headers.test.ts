import test, { type ExecutionContext } from 'ava';
import { backend, refs, startWorld } from '../support/graph-proxy.ts';
import { startBackend } from '../support/http.ts';
import { gateway, httpRoute, ownObject } from '../support/objects.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';

/** A stranger at a listener whose policy shows backends how clients spoke to it, takes HTTP/1.0 and trailers, and answers checks of a load balancer. */

const target = { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' };

const everything = [
  'X-Real-IP',
  'X-Forwarded-Host',
  'X-Forwarded-Port',
  'X-Forwarded-Scheme',
  'X-Scheme',
  'X-Original-Forwarded-For',
];

const open = {
  headers: {
    forwarded: { forwardedFor: 'Replace', add: everything },
    request: { removeMatching: [{ prefix: 'x-internal-' }] },
    requestID: { mode: 'None' },
  },
  http1: { allowHTTP10: true, defaultHost: 'web.test', trailers: true },
  healthCheck: { path: '/healthz' },
};

/** Its backend keeps every byte that it is sent, by requests. */
async function startOpen(t: ExecutionContext) {
  const requests: { readonly url: string; readonly lines: string; readonly body: string }[] = [];
  const web = await startBackend(t, (request, response) => {
    let body = '';
    request.setEncoding('latin1').on('data', (text: string) => {
      body += text;
    });
    request.once('end', () => {
      const { url = '', rawHeaders, rawTrailers } = request;
      requests.push({ url, lines: [...rawHeaders, '|', ...rawTrailers].join('\n').toLowerCase(), body });
      response.end('ok');
    });
  });
  const world = await startWorld(
    t,
    gateway('edge', [{ name: 'http', port: 80, protocol: 'HTTP' }]),
    ownObject('ListenerPolicy', 'edge', { targetRefs: [target], ...open }),
    ownObject('BackendPolicy', 'web', {
      targetRefs: [{ group: '', kind: 'Service', name: 'web' }],
      http1: { trailers: true },
    }),
    ownObject('AccessPolicy', 'guard', {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'guarded' }],
      clientIPs: { allow: ['192.0.2.0/24'] },
    }),
    ...backend('web', web.port),
    httpRoute('web', { hostnames: ['web.test'], rules: refs({ web: 1 }) as never }),
    httpRoute('guarded', { hostnames: ['guarded.test'], rules: refs({ web: 1 }) as never }),
  );
  return { port: await world.envoy.port('http/80'), requests };
}

const forged = everything.flatMap((name) => [
  `${name}: 192.0.2.1`,
  `${name.toUpperCase()}: 192.0.2.1`,
  `${name.toLowerCase()}:192.0.2.1\t`,
]);

test('no header of a stranger says to a backend how he spoke to the proxy, however often and however it is written', async (t) => {
  const { port, requests } = await startOpen(t);
  const more = ['X-Forwarded-For: 192.0.2.1', 'X-Forwarded-Proto: https', 'X-Internal-User: root', 'X-REQUEST-ID: a'];
  t.is((await exchange(port, rawRequest('/a', ['Host: web.test', ...forged, ...more]))).status, 200);
  t.is((await exchange(port, `GET /b HTTP/1.0\r\n${[...forged, ...more].join('\r\n')}\r\n\r\n`)).status, 200);
  t.is((await exchange(port, rawRequest('/c', ['Host: web.test', 'X_Real_IP: 192.0.2.1']))).status, 400);
  t.deepEqual(
    requests.map(({ url }) => url),
    ['/a', '/b'],
  );
  for (const { lines } of requests) {
    // What came in X-Forwarded-For is there under the name that says so, and nowhere else.
    t.is(lines.split('192.0.2.1').length, 2, lines);
    t.regex(lines, /\nx-original-forwarded-for\n192\.0\.2\.1\n/);
    t.regex(lines, /\nx-real-ip\n127\.0\.0\.1\n/);
    t.regex(lines, /\nx-forwarded-for\n127\.0\.0\.1\n/);
    t.regex(lines, /\nx-forwarded-host\nweb\.test\n/);
    t.regex(lines, /\nx-scheme\nhttp\n/);
    t.notRegex(lines, /x-internal-|x-request-id|https/);
  }
});

test('requests of HTTP/1.0 hold no second request, and none that two parsers could read in two ways', async (t) => {
  const { port, requests } = await startOpen(t);
  const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: web.test\r\n\r\n';
  const chunked = `0\r\n\r\n${smuggled}`;
  const bad = [
    `POST /t2 HTTP/1.0\r\nHost: web.test\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n${chunked}`,
    `POST /t3 HTTP/1.0\r\nHost: web.test\r\nContent-Length: 5\r\nContent-Length: 0\r\n\r\n${chunked}`,
    `GET /t4 HTTP/1.0\r\nHost: web.test\r\nHost: other.test\r\n\r\n`,
  ];
  for (const bytes of bad) {
    const { status } = await exchange(port, bytes);
    t.true(status === 0 || (status >= 400 && status < 500), `${status} for ${JSON.stringify(bytes)}`);
  }
  // RFC 9112 §6.1: of HTTP/1.0 the chunks may be read, and then the connection must end.
  const read = await exchange(
    port,
    `POST /chunks HTTP/1.0\r\nHost: web.test\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
  );
  t.is(read.text.split('HTTP/1.').length, 2, read.text);
  // Without keep-alive the connection ends behind the first answer.
  t.is((await exchange(port, `GET /last HTTP/1.0\r\nHost: web.test\r\n\r\n${smuggled}`)).status, 200);
  t.deepEqual(
    requests.map(({ url, body }) => `${url} ${body}`),
    ['/chunks ', '/last '],
  );
});

test('the path of checks opens no way to what is guarded', async (t) => {
  const { port, requests } = await startOpen(t);
  const ask = async (path: string, host = 'guarded.test') =>
    (await exchange(port, rawRequest(path, [`Host: ${host}`]))).status;
  t.is(await ask('/secret'), 403);
  for (const path of [
    '/healthz/../secret',
    '/healthz;/secret',
    '/healthz?/secret',
    '/healthz%00',
    '/healthz/',
    '/HEALTHZ',
  ])
    t.not(await ask(path), 200, path);
  t.is(await ask('/healthz'), 200);
  t.is(await ask('/secret/%2e%2e/healthz'), 200);
  t.deepEqual(requests, []);
});

test('a trailer is no header to the backend, and none is one of the proxy', async (t) => {
  const { port, requests } = await startOpen(t);
  const trailers = [
    'x-real-ip: 192.0.2.1',
    'x-gw-scope: a',
    'authorization: Basic eA==',
    'content-length: 5',
    'host: b',
  ];
  const body = `2\r\nhi\r\n0\r\n${trailers.join('\r\n')}\r\n\r\n`;
  const lines = ['Host: web.test', 'Transfer-Encoding: chunked'];
  const { status } = await exchange(port, rawRequest('/', lines, { method: 'POST', body }));
  t.true(status === 200 || status === 400, String(status));
  for (const seen of requests) {
    t.is(seen.body, 'hi');
    const [headers = '', behind = ''] = seen.lines.split('\n|\n');
    t.regex(headers, /\nx-real-ip\n127\.0\.0\.1/);
    t.notRegex(headers, /authorization|x-gw-/);
    t.notRegex(behind, /x-gw-/);
  }
  const healthy = await exchange(port, rawRequest('/after', ['Host: web.test']));
  t.is(healthy.status, 200);
});
