import type { IncomingMessage } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { type HttpRequest, send, startBackend } from '../support/http.ts';
import { backendObjects, isCurrent, routeObject, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/** How the server of a forwardAuth is asked: policies as they are written, a server that keeps its questions, and a real Envoy. */

const toWeb = { backendRefs: [{ name: 'web', port: 80 }] };

const policy = (route: string, forwardAuth: object): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name: route },
  spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: route }], forwardAuth },
});

/** Routes `NAME.test` to `web`, each with a policy of its own, and `auth.test`, which leads to the server itself. */
async function startWorld(
  t: ExecutionContext,
  policies: Readonly<Record<string, object>>,
  more: readonly object[] = [],
) {
  const asked: IncomingMessage[] = [];
  let answers: { status: number; location?: string } = { status: 200 };
  const auth = await startBackend(t, (request, response) => {
    asked.push(request);
    const { status, ...headers } = answers;
    response.writeHead(status, { 'x-user': 'ali', ...headers }).end();
  });
  const web = await startBackend(t);
  const run = await startStandalone(
    {
      'world.yaml': [
        ...backendObjects('web', web.port),
        ...backendObjects('auth', auth.port),
        ...more.map((object) => JSON.parse(JSON.stringify(object).replaceAll('"AUTH_PORT"', String(auth.port)))),
        routeObject('auth', 'auth.test', [{ backendRefs: [{ name: 'auth', port: 80 }] }]),
        ...Object.entries(policies).flatMap(([name, forwardAuth]) => [
          routeObject(name, `${name}.test`, [toWeb]),
          policy(name, forwardAuth),
        ]),
      ],
    },
    { allowedAddresses: ['127.0.0.0/8'] },
  );
  t.teardown(run.stop);
  await untilFits('the policies to be in force', () => isCurrent(run), Boolean);
  return {
    asked,
    web,
    answerWith: (next: typeof answers) => {
      answers = next;
    },
    ask: (host: string, request: Omit<HttpRequest, 'host'> = {}) => send(run.port, { host, ...request }),
    last: () => asked.at(-1) as IncomingMessage,
  };
}

const backendRef = { name: 'auth', port: 80 };

test('every 2xx lets in where the policy says so, and no other answer does', async (t) => {
  const { ask, answerWith, web } = await startWorld(t, {
    wide: { backendRef, http: { path: '/oauth2/auth', allowWith: 'Successful', toBackend: ['x-user'] } },
    exact: { backendRef, http: { path: '/oauth2/auth', toBackend: ['x-user'] } },
  });
  for (const status of [200, 202, 204, 206, 299]) {
    answerWith({ status });
    t.is((await ask('wide.test')).status, 200, String(status));
    t.is(web.seen.at(-1)?.['x-user'], 'ali');
    const before = web.requests.length;
    await ask('exact.test');
    t.is(web.requests.length - before, status === 200 ? 1 : 0, `${status} where 200 alone lets in`);
    t.is((await ask('auth.test')).status, status, 'its answers to others stay as they are');
  }
  const before = web.requests.length;
  for (const status of [300, 302, 401, 403, 404, 500, 502]) {
    answerWith({ status, ...(status < 400 && { location: 'https://id.test/' }) });
    t.not((await ask('wide.test')).status, 200, String(status));
  }
  t.is(web.requests.length, before);
});

test('the question has the method, the query and the headers of the policy, and nothing of what a client writes there', async (t) => {
  const setHeaders = [
    { name: 'X-Original-Method', value: '%REQ(:METHOD)%' },
    { name: 'X-From', value: 'edge 100%%' },
    { name: 'X-Client', value: '%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%' },
  ];
  const { ask, last, web } = await startWorld(t, {
    asks: { backendRef, http: { path: '/check?group=staff&x=/y', method: 'GET', setHeaders } },
  });
  const forged = { 'x-original-method': 'GET', 'x-from': 'me', 'x-client': '10.0.0.1' };
  const { status } = await ask('asks.test', { path: '/a?b=c', method: 'POST', body: 'text', headers: forged });
  t.is(status, 200);
  t.is(last().method, 'GET');
  t.is(last().url, '/check?group=staff&x=/y');
  t.like(last().headers, { 'x-original-method': 'POST', 'x-from': 'edge 100%', 'x-client': '127.0.0.1' });
  t.is(last().headers.host, 'asks.test');
  t.is(web.requests.at(-1), '/a?b=c');
  t.like(web.seen.at(-1), forged, 'the backend sees what the client sent');
  await ask('auth.test', { method: 'POST', path: '/own' });
  t.is(last().method, 'POST', 'requests that lead to the server itself stay as they are');
});

test('clients with one of the addresses are not asked about, and all others are', async (t) => {
  const signIn = { url: 'https://id.test/start' };
  const { ask, asked, answerWith } = await startWorld(t, {
    near: { backendRef, exceptClientIPs: ['127.0.0.0/8'], signIn },
    far: { backendRef, exceptClientIPs: ['10.0.0.0/8'], signIn },
  });
  answerWith({ status: 401 });
  t.is((await ask('near.test')).status, 200);
  t.is(asked.length, 0);
  const forged = { 'x-forwarded-for': '10.1.2.3', 'x-real-ip': '10.1.2.3', accept: 'text/html' };
  t.is((await ask('far.test', { headers: forged })).status, 302, 'an address that a client claims is not its own');
  t.is(asked.length, 1);
});

test('a host outside is asked by its own name', async (t) => {
  const xBackend = {
    apiVersion: 'gateway.networking.x-k8s.io/v1alpha1',
    kind: 'XBackend',
    metadata: { name: 'outside' },
    spec: { type: 'ExternalHostname', externalHostname: { hostname: 'localhost' }, port: { number: 'AUTH_PORT' } },
  };
  const ref = { group: 'gateway.networking.x-k8s.io', kind: 'XBackend', name: 'outside' };
  const { ask, last, answerWith } = await startWorld(
    t,
    {
      out: { backendRef: ref, http: { path: '/check', method: 'GET', allowWith: 'Successful' } },
      gone: { backendRef: { ...ref, name: 'gone' } },
    },
    [xBackend],
  );
  answerWith({ status: 202 });
  t.is((await ask('out.test', { method: 'POST' })).status, 200);
  t.like(last(), { method: 'GET', url: '/check' });
  t.is(last().headers.host, 'localhost');
  t.is(last().headers['x-forwarded-host'], 'out.test');
  t.is((await ask('gone.test')).status, 500, 'without a server no request passes');
});
