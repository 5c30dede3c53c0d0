import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'ava';
import { serviceObjects, startBackend } from '../support/http.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';
import { neighbours, spellings, startTrafficWorld, trafficPolicy } from '../support/traffic-world.ts';
import { until } from '../support/until.ts';

/* A backend with odd answers, and a stranger with bodies that never end, where TrafficPolicies keep requests and change answers. */

const web = { name: 'web' };

test('of a Location only a beginning that fits as a whole is replaced, and nothing in it is taken for an expression', async (t) => {
  const world = await startTrafficWorld(t, (request, response) => {
    response.setHeader('location', Buffer.from(String(request.headers['x-give']), 'hex').toString('latin1'));
    response.writeHead(302).end();
  });
  const [from, to] = ['http://inside.test/', 'https://outside.test/'];
  await world.rule(trafficPolicy('web', web, { responseLocation: [{ from, to }] }));
  const locationOf = async (host: string, given: string) => {
    const hex = Buffer.from(given, 'latin1').toString('hex');
    const { status, headers } = await exchange(world.port, rawRequest('/', [`Host: ${host}`, `X-Give: ${hex}`]));
    t.is(status, 302, given);
    return headers.get('location')?.join(' and ');
  };
  const others = [
    'http://inside.test',
    'http://inside.test.evil.test/',
    'http://inside.test@evil.test/',
    'HTTP://INSIDE.TEST/',
    'https://inside.test/',
    'http://evil.test/?http://inside.test/',
    '/',
    "%CEL(request.headers['cookie'])%",
  ];
  for (const host of [...spellings, ...neighbours]) {
    for (const given of others) t.is(await locationOf(host, given), given, host);
  }
  const rests = ['', `?next=${from}`, '%CEL(1)%%REQ(cookie)%\'"\\', '%2e%2e/../', 'x'.repeat(8000), '\xe4\xff'];
  for (const host of spellings)
    for (const rest of rests) t.is(await locationOf(host, from + rest), to + rest, `${host} ${rest.slice(0, 40)}`);
  for (const host of neighbours) for (const rest of rests) t.is(await locationOf(host, from + rest), from + rest);
});

test('odd cookies of a backend stay as many as they are, and only attributes change that are named', async (t) => {
  const odd: readonly (readonly [string, string])[] = [
    ['', ' Secure'],
    ['a', 'a; Secure'],
    [';;;', ' Secure'],
    ['a=1; Path', 'a=1; Path=; Secure'],
    ['a=1; Path=/application', 'a=1; Path=/application; Secure'],
    ['a=1; PATH=/app', 'a=1; Path=/; Secure'],
    ['a=1;path = /app/', 'a=1; Path=/; Secure'],
    ['a=1; Path=/app/x/app/', 'a=1; Path=/x/app/; Secure'],
    ['path=/app; secure', 'path=/app; secure'],
    [
      'a=Domain=inside.test; Domain=.INSIDE.test; Domain=x.inside.test',
      'a=Domain=inside.test; Domain=outside.test; Domain=x.inside.test; Secure',
    ],
    ['a=%CEL(1)%; Expires=Wed, 21 Oct 2065 07:28:00 GMT', 'a=%CEL(1)%; Expires=Wed, 21 Oct 2065 07:28:00 GMT; Secure'],
    [`a=${'x'.repeat(8000)}`, `a=${'x'.repeat(8000)}; Secure`],
    [`a=${' '.repeat(8000)}; Secure${' '.repeat(8000)}`, `a=${' '.repeat(8000)}; Secure`],
    ['a=\xe4\xff', 'a=\xe4\xff; Secure'],
  ];
  const world = await startTrafficWorld(t, (request, response) => {
    const given = request.url === '/none' ? [] : odd.map(([cookie]) => cookie);
    response
      .writeHead(
        200,
        given.flatMap((cookie) => ['set-cookie', cookie]),
      )
      .end('ok');
  });
  const changes = { path: [{ from: '/app', to: '/' }], domain: [{ from: 'inside.test', to: 'outside.test' }] };
  await world.rule(trafficPolicy('web', web, { responseCookies: { ...changes, secure: true } }));
  const cookiesOf = async (host: string, path = '/') =>
    (await exchange(world.port, rawRequest(path, [`Host: ${host}`]))).headers.get('set-cookie');
  for (const host of spellings) {
    t.deepEqual(
      await cookiesOf(host),
      odd.map(([, changed]) => changed.trim()),
      host,
    );
    t.is(await cookiesOf(host, '/none'), undefined, host);
  }
  for (const host of neighbours)
    t.deepEqual(
      await cookiesOf(host),
      odd.map(([cookie]) => cookie.trim()),
      host,
    );
});

test('an endless body that is kept is answered 413 at the limit, reaches no backend, and holds up no other request', async (t) => {
  const world = await startTrafficWorld(t);
  await world.rule(trafficPolicy('web', web, { buffering: { request: { maxBytes: '64k' } } }));
  const sockets = Array.from({ length: 32 }, () => connect(world.port, '127.0.0.1'));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
  });
  const texts = sockets.map(() => '');
  for (const [index, socket] of sockets.entries()) {
    socket.on('error', () => {});
    socket.on('data', (piece) => {
      texts[index] += piece.toString('latin1');
    });
    await once(socket, 'connect');
    socket.write(`POST /endless-${index} HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n`);
  }
  const piece = `8000\r\n${'x'.repeat(0x8000)}\r\n`;
  for (const socket of sockets) socket.write(piece);
  for (const host of ['a.test', ...neighbours]) t.is((await world.ask(host)).status, 200, host);
  for (const socket of sockets) for (let count = 0; count < 2; count++) socket.write(piece);
  await until('all answers', () => texts.every((text) => text.includes('\r\n\r\n')));
  for (const text of texts) t.regex(text, /^HTTP\/1\.1 413 /);
  t.false(world.web.requests.some((path) => path.startsWith('/endless')));
});

test('no header of a stranger makes a fault, or another speed, where answers have a speed', async (t) => {
  const text = 'x'.repeat(100_000);
  const world = await startTrafficWorld(t, (_, response) => response.end(text));
  await world.rule(trafficPolicy('web', web, { bandwidth: { perRequest: { response: '1Gi' } } }));
  const steering: readonly Record<string, string>[] = [
    { 'x-envoy-fault-abort-request': '418', 'x-envoy-fault-abort-request-percentage': '100' },
    { 'x-envoy-fault-abort-grpc-request': '14' },
    { 'x-envoy-fault-delay-request': '3600000', 'x-envoy-fault-delay-request-percentage': '100' },
    { 'x-envoy-fault-throughput-response': '1', 'x-envoy-fault-throughput-response-percentage': '100' },
    { 'x-envoy-upstream-alt-stat-name': 'x', 'x-envoy-downstream-service-cluster': 'x' },
  ];
  for (const host of spellings)
    for (const headers of steering) {
      const { status, body } = await world.ask(host, { headers });
      t.deepEqual([status, body.length], [200, text.length], JSON.stringify(headers));
    }
});

test('pages come from no Service that has not agreed, and what a stranger writes asks for no other one', async (t) => {
  const [pages, foreign] = await Promise.all(
    ['pages', 'foreign'].map((name) => startBackend(t, (_, response) => response.end(name))),
  );
  const inTenant = serviceObjects('foreign', [foreign?.port ?? 0]).map((object) => ({
    ...object,
    metadata: { ...(object as { readonly metadata: object }).metadata, namespace: 'tenant' },
  }));
  const objects = [...serviceObjects('pages', [pages?.port ?? 0]), ...inTenant];
  const world = await startTrafficWorld(t, (_, response) => response.writeHead(404).end('of the backend'), {
    'pages.yaml': objects,
  });
  // Longer than a busy machine takes: after it, clients get what the backend answered.
  const from = (backendRef: object) => ({ errorPages: [{ codes: [404], service: { backendRef, timeout: '1m' } }] });
  await world.rule(trafficPolicy('web', web, from({ name: 'foreign', namespace: 'tenant', port: 80 })));
  for (const host of spellings) t.is((await world.ask(host)).body, 'of the backend', host);
  t.deepEqual(foreign?.requests, []);
  await world.rule(trafficPolicy('web', web, from({ name: 'pages', port: 80 })));
  const path = `/foreign.tenant:80/%0d%0aX-Code:%20200?http://foreign.tenant/&${'x'.repeat(4_000)}`;
  const odd = ['X-Code: 200', 'X-Original-URI: /mine', 'X-Format: mine', 'Accept: %CEL(1)%', 'X-Gw-Pages: foreign'];
  const { status, text } = await exchange(world.port, rawRequest(path, ['Host: a.test', ...odd]));
  t.is(status, 404);
  t.true(text.endsWith('pages'), text);
  t.like(pages?.seen.at(-1), { 'x-code': '404', 'x-format': '%CEL(1)%', host: 'a.test' });
  t.is(pages?.requests.at(-1), '/');
  t.true(pages?.seen.at(-1)?.['x-original-uri']?.includes('%0d%0aX-Code'));
  for (const host of neighbours) t.is((await world.ask(host)).body, 'of the backend', host);
  t.deepEqual(foreign?.requests, []);
});
