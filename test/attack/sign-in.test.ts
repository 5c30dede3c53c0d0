import type { RequestListener } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { serviceObjects, startBackend } from '../support/http.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';
import { routeObject, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

// A stranger who wants the page where people sign in, or the server that is asked, to take a request for another one; and a server that lies.

const start = 'https://login.test/start?theme=dark&rd=';
const page = 'Accept: text/html';

async function world(t: ExecutionContext, answer: RequestListener) {
  const [web, auth] = [await startBackend(t), await startBackend(t, answer)];
  const to = [{ backendRefs: [{ name: 'web', port: 80 }] }];
  const gateway = await startStandalone({
    'all.yaml': [
      ...serviceObjects('web', [web.port]),
      ...serviceObjects('auth', [auth.port]),
      routeObject('exact', 'app.test', to),
      routeObject('wide', '*.wild.test', to),
      {
        apiVersion: 'gatewright.dev/v1alpha1',
        kind: 'AccessPolicy',
        metadata: { name: 'sign-in' },
        spec: {
          targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
          forwardAuth: {
            backendRef: { name: 'auth', port: 80 },
            http: { path: '/verify', requestHeaders: ['cookie'] },
            signIn: { url: 'https://login.test/start?theme=dark' },
          },
        },
      },
    ],
  });
  t.teardown(() => gateway.stop());
  const ask = (target: string, ...headers: readonly string[]) => exchange(gateway.port, rawRequest(target, headers));
  await until('the policy to hold', async () => (await ask('/', 'Host: app.test', page)).status === 302);
  return { ask, web, auth };
}

test('where a browser is sent is the policy’s page, whatever a stranger writes into host, path and headers', async (t) => {
  const { ask, web, auth } = await world(t, (_, response) => response.writeHead(401).end());
  const targets = [
    ...[
      '/',
      '//evil.test/',
      '/\\evil.test',
      '/?rd=https://evil.test',
      '/&rd=https://evil.test',
      '/#rd',
      '/%0d%0aset-cookie:a=b',
    ],
    ...['/a%00b', '/..%2f..', '/?a=%', `/${'x'.repeat(3000)}`, '/?a=<script>"\'', 'http://app.test/absolute?x=1&y=2'],
  ];
  const hosts = ['app.test', 'APP.TEST', 'a.wild.test', 'app.test:1'];
  const forged = [
    'X-Forwarded-Host: evil.test',
    'X-Forwarded-Uri: /evil',
    'X-Original-URL: https://evil.test/',
    'X-Forwarded-Method: DELETE',
  ];
  for (const host of hosts) {
    for (const target of targets) {
      const where = `${host} ${target.slice(0, 40)}`;
      const { status, headers } = await ask(target, `Host: ${host}`, page, 'X-Forwarded-Proto: gopher', ...forged);
      // Rejected, or sent to the normal form of its own path.
      if (status === 400 || (status === 307 && headers.get('location')?.[0]?.startsWith('/') === true)) continue;
      t.is(status, 302, where);
      const [location = '', ...more] = headers.get('location') ?? [];
      t.deepEqual(more, [], where);
      t.true(location.startsWith(start), `${where}: ${location}`);
      const asked = location.slice(start.length);
      t.regex(asked, /^[-A-Za-z0-9._~%]+$/, where);
      t.regex(decodeURIComponent(asked), /^http:\/\/([a-z]+\.)+test(:\d+)?\//i, where);
      t.false(headers.has('set-cookie'), where);
    }
  }
  const written = ['evil.test', '/evil', 'https://evil.test/', 'DELETE', 'gopher'];
  for (const seen of auth.seen)
    t.deepEqual(
      written.filter((value) => Object.values(seen).includes(value)),
      [],
    );
  t.is(web.requests.length, 0, 'nothing reached the backend');
});

test('a server that answers with a place of its own sends no browser there, and its headers steer nothing', async (t) => {
  const { ask, web } = await world(t, (_, response) =>
    response
      .writeHead(401, {
        location: 'https://evil.test/',
        'x-gw-upstream': '192.0.2.1:80',
        'cache-control': 'max-age=9999',
      })
      .end('x'.repeat(5000)),
  );
  for (const host of ['app.test', 'a.wild.test']) {
    const { status, headers } = await ask('/a', `Host: ${host}`, page);
    t.is(status, 302);
    t.deepEqual(headers.get('location'), [`${start}${encodeURIComponent(`http://${host}/a`)}`]);
    t.deepEqual(headers.get('cache-control'), ['no-store']);
    t.false([...headers.keys()].some((name) => name.startsWith('x-gw-')));
  }
  t.is(web.requests.length, 0);
});

test('a program gets the 401, also where it writes that it takes pages in another way', async (t) => {
  const { ask } = await world(t, (_, response) => response.writeHead(401).end());
  for (const headers of [[], ['Accept: */*'], ['Accept: application/json'], ['X-Accept: text/html']]) {
    const { status } = await ask('/', 'Host: app.test', ...headers);
    t.is(status, 401, headers.join());
  }
});
