import { Agent, get, type IncomingMessage, type ServerResponse } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { startGrpcAuth } from '../support/grpc-auth.ts';
import { type CountingBackend, send, serviceObjects, startBackend } from '../support/http.ts';
import { thorough } from '../support/repetitions.ts';
import { crowdObjects, routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

const web = { name: 'web', port: 80 };
const prefix = (value: string) => ({ path: { type: 'PathPrefix', value } });
const filter = (name: string, given: object) => ({
  type: 'ExternalAuth',
  externalAuth: { backendRef: { name, port: 80 }, ...given },
});
const byHttp = (name: string, http: object = {}, more: object = {}) =>
  filter(name, { protocol: 'HTTP', http, ...more });
const byGrpc = (name: string, grpc: object = {}, more: object = {}) =>
  filter(name, { protocol: 'GRPC', grpc, ...more });

/** Says yes to requests with `authorization: good`. */
function guard({ headers, url = '' }: IncomingMessage, response: ServerResponse): void {
  const good = headers.authorization === 'good';
  response.writeHead(good ? 200 : 401, {
    'x-user': 'ali',
    'x-other': '1',
    'x-asked': url,
    'x-reason': 'no',
    'content-length': good ? 2 : 12,
  });
  response.end(good ? 'ok' : 'who are you?');
}

async function gatewayWith(
  t: ExecutionContext,
  routes: readonly object[],
  services: Readonly<Record<string, CountingBackend | { readonly port: number }>>,
  more: readonly object[] = [],
): Promise<Standalone> {
  const standalone = await startStandalone({
    'services.yaml': [...Object.entries(services).flatMap(([name, { port }]) => serviceObjects(name, [port])), ...more],
    'route.yaml': [...routes, routeObject('up', 'up.test', [{ backendRefs: [web] }])],
  });
  t.teardown(() => standalone.stop());
  await untilFits(
    'the gateway to serve',
    () => send(standalone.port, { host: 'up.test' }),
    ({ status }) => status !== 404,
  );
  return standalone;
}

test('an HTTP server that is asked says who passes, and what the backend hears of it', async (t) => {
  const bodies: string[] = [];
  const main = await startBackend(t, (request, response) => {
    let body = '';
    request.on('data', (text) => {
      body += text;
    });
    request.once('end', () => {
      bodies.push(body);
      response.end('ok');
    });
  });
  const auth = await startBackend(t, guard);
  const rules = [
    { matches: [prefix('/all')], filters: [byHttp('auth', { path: '/check/' })], backendRefs: [web] },
    {
      matches: [prefix('/some')],
      filters: [byHttp('auth', { allowedHeaders: ['X-Tenant'], allowedResponseHeaders: ['X-User'] })],
      backendRefs: [web],
    },
    {
      matches: [prefix('/share')],
      backendRefs: [{ ...web, filters: [byHttp('auth')] }],
    },
    { matches: [prefix('/away')], filters: [byHttp('auth'), redirect], backendRefs: [] },
    { matches: [prefix('/dead')], filters: [byHttp('dead')], backendRefs: [web] },
    { matches: [prefix('/missing')], filters: [byHttp('missing')], backendRefs: [web] },
    { matches: [prefix('/open')], backendRefs: [web] },
  ];
  // On one host directly, on the others by the way of wildcards and of a host's parts, where the route is found late.
  const routes = [
    routeObject('exact', 'h.test', rules),
    routeObject('wide', '*.wide.test', rules),
    routeObject('parted', 'parted.test', rules),
    ...crowdObjects('parted.test', 'web'),
  ];
  const { port } = await gatewayWith(t, routes, { web: main, auth, dead: { port: 1 } });
  for (const host of ['h.test', 'x.wide.test', 'H.test:80', 'parted.test', 'Parted.test:80']) {
    const get = (path: string, headers = {}) => send(port, { host, path, headers });
    const rejected = await get('/all/orders?q=1');
    t.is(rejected.status, 401, host);
    t.is(rejected.body, 'who are you?');
    t.is(rejected.headers['x-reason'], 'no');
    t.is(auth.requests.at(-1), '/check/all/orders?q=1');
    t.is(auth.seen.at(-1)?.host, host);
    const good = { authorization: 'good', cookie: 'a=b', 'x-tenant': 't' };
    t.is((await get('/all', good)).status, 200);
    t.like(main.seen.at(-1), { 'x-user': 'ali', 'x-other': '1', host });
    t.is(auth.seen.at(-1)?.cookie, undefined);
    t.is((await get('/some', good)).status, 200);
    t.is(auth.seen.at(-1)?.['x-tenant'], 't');
    t.is(auth.seen.at(-1)?.cookie, undefined);
    t.is(main.seen.at(-1)?.['x-user'], 'ali');
    t.is(main.seen.at(-1)?.['x-other'], undefined);
    t.is((await get('/share')).status, 401);
    t.is((await get('/share', good)).status, 200);
    t.is((await get('/away')).status, 401);
    t.is((await get('/away', good)).status, 302);
    t.is((await get('/dead', good)).status, 403);
    t.is((await get('/missing', good)).status, 500);
    // What the answer says of its own length is not about the request.
    const sent = await send(port, { host, path: '/all', method: 'POST', headers: good, body: 'some body' });
    t.is(sent.status, 200);
    t.is(bodies.at(-1), 'some body');
    const before = auth.requests.length;
    t.is((await get('/open')).status, 200);
    t.is(auth.requests.length, before);
  }
});

const redirect = { type: 'RequestRedirect', requestRedirect: { scheme: 'https' } };

thorough(test)('of two servers of one rule both are asked, in their order, and each may deny', async (t) => {
  const main = await startBackend(t);
  const saying = (header: string) => (request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(request.headers[header] === 'good' ? 200 : 403, { 'content-length': 0 }).end();
  };
  const [one, two, open] = await Promise.all([
    startBackend(t, saying('x-one')),
    startBackend(t, saying('x-two')),
    startBackend(t, (_, response) => void response.writeHead(200, { 'content-length': 0 }).end()),
  ]);
  const honouring = (name: string) => byHttp(name, { allowedHeaders: ['x-one', 'x-two'] });
  const rules = [
    { matches: [prefix('/both')], filters: [honouring('one'), honouring('two')], backendRefs: [web] },
    { matches: [prefix('/last')], filters: [honouring('open'), honouring('two')], backendRefs: [web] },
    {
      matches: [prefix('/share')],
      filters: [honouring('one')],
      backendRefs: [{ ...web, filters: [honouring('two')] }],
    },
  ];
  const { port } = await gatewayWith(t, [routeObject('two', 'h.test', rules)], { web: main, one, two, open });
  const before = main.requests.length;
  const statusOf = async (path: string, headers: Record<string, string>) =>
    (await send(port, { host: 'h.test', path, headers })).status;
  for (const path of ['/both', '/share']) {
    t.is(await statusOf(path, { 'x-one': 'good', 'x-two': 'good' }), 200, path);
    t.is(await statusOf(path, { 'x-one': 'good' }), 403, path);
    t.is(await statusOf(path, { 'x-two': 'good' }), 403, path);
  }
  t.is(await statusOf('/last', {}), 403);
  t.is(await statusOf('/last', { 'x-two': 'good' }), 200);
  t.is(main.requests.length - before, 3);
});

thorough(test)(
  'a gRPC server that is asked sees the configured headers and body, and a body that is too large is rejected',
  async (t) => {
    const main = await startBackend(t, (request, response) => {
      request.resume().once('end', () => response.end('ok'));
    });
    const header = { key: 'x-user', value: 'ali' };
    const auth = await startGrpcAuth(t, ({ attributes }) =>
      attributes?.request?.http?.headers['x-token'] === 'good'
        ? { status: { code: 0 }, httpResponse: { case: 'okResponse', value: { headers: [{ header }] } } }
        : {
            status: { code: 7 },
            httpResponse: { case: 'deniedResponse', value: { status: { code: 402 }, body: 'pay' } },
          },
    );
    const rules = [
      { matches: [prefix('/all')], filters: [byGrpc('auth')], backendRefs: [web] },
      {
        matches: [prefix('/some')],
        filters: [byGrpc('auth', { allowedHeaders: ['X-Token'] }, { forwardBody: { maxSize: 100_000 } })],
        backendRefs: [web],
      },
    ];
    const { port } = await gatewayWith(t, [routeObject('route', 'h.test', rules)], { web: main, auth });
    const headers = { 'x-token': 'good', cookie: 'a=b' };
    const rejected = await send(port, { host: 'h.test', path: '/all' });
    t.is(rejected.status, 402);
    t.is(rejected.body, 'pay');
    t.is((await send(port, { host: 'h.test', path: '/all', headers })).status, 200);
    t.is(auth.asked.at(-1)?.attributes?.request?.http?.headers.cookie, 'a=b');
    t.is(main.seen.at(-1)?.['x-user'], 'ali');
    const body = 'x'.repeat(90_000);
    t.is((await send(port, { host: 'h.test', path: '/some', method: 'POST', headers, body })).status, 200);
    const http = auth.asked.at(-1)?.attributes?.request?.http;
    t.is(http?.headers.cookie, undefined);
    t.is(http?.body.length, 90_000);
    const large = { host: 'h.test', path: '/some', method: 'POST', headers, body: 'x'.repeat(110_000) };
    const before = auth.asked.length;
    t.is((await send(port, large)).status, 413);
    t.is(auth.asked.length, before);
  },
);

thorough(test)('a question that no endpoint has processed goes to another one, by HTTP and by gRPC', async (t) => {
  const main = await startBackend(t);
  const auth = await startBackend(t, (_, response) => void response.writeHead(200, { 'content-length': 0 }).end());
  const call = await startGrpcAuth(t, () => ({ status: { code: 0 } }));
  const rules = [
    { matches: [prefix('/http')], filters: [byHttp('auth')], backendRefs: [web] },
    { matches: [prefix('/grpc')], filters: [byGrpc('call')], backendRefs: [web] },
  ];
  const { port } = await gatewayWith(t, [routeObject('route', 'h.test', rules)], { web: main }, [
    ...serviceObjects('auth', [1, auth.port]),
    ...serviceObjects('call', [1, call.port]),
  ]);
  for (const path of ['/http', '/grpc'])
    for (let at = 0; at < 10; at += 1) t.is((await send(port, { host: 'h.test', path })).status, 200, path);
});

thorough(test)('a new auth server ends no connection', async (t) => {
  const main = await startBackend(t);
  const auth = await startBackend(t, guard);
  const open = routeObject('guarded', 'h.test', [{ backendRefs: [web] }]);
  const { port, write } = await gatewayWith(t, [], { web: main, auth });
  write('guarded.yaml', open);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  const ask = () => onConnection(port, agent);
  const first = await untilFits('the route to serve', ask, ({ status }) => status === 200);
  write('guarded.yaml', routeObject('guarded', 'h.test', [{ filters: [byHttp('auth')], backendRefs: [web] }]));
  const last = await untilFits('the route to be guarded', ask, ({ status }) => status === 401);
  t.is(last.clientPort, first.clientPort);
});

/** A request on a connection of the agent, which the client's port identifies. */
function onConnection(port: number, agent: Agent): Promise<{ readonly status: number; readonly clientPort: number }> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, agent, headers: { host: 'h.test' } }, (response) => {
      const clientPort = response.socket.localPort ?? 0;
      response.resume().once('end', () => resolve({ status: response.statusCode ?? 0, clientPort }));
    }).once('error', reject);
  });
}
