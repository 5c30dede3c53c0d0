import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { type CountingBackend, send, serviceObjects, startBackend } from '../support/http.ts';
import { thorough } from '../support/repetitions.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/** A gateway with one route for host `h.test`, ready when requests get through. */
async function gatewayWith(
  t: ExecutionContext,
  rules: readonly object[],
  services: Readonly<Record<string, readonly number[]>>,
): Promise<Standalone> {
  const standalone = await startStandalone({
    'services.yaml': Object.entries(services).flatMap(([name, ports]) => serviceObjects(name, ports)),
    'route.yaml': [routeObject('route', 'h.test', [...rules, { matches: [prefix('/up')], backendRefs: [web] }])],
  });
  t.teardown(() => standalone.stop());
  await untilFits(
    'the route to serve',
    () => send(standalone.port, { host: 'h.test', path: '/up' }),
    ({ status }) => status !== 404,
  );
  return standalone;
}

const prefix = (value: string) => ({ path: { type: 'PathPrefix', value } });
const web = { name: 'web', port: 80 };
const mirror = (name: string, share: object = {}) => ({
  type: 'RequestMirror',
  requestMirror: { backendRef: { name, port: 80 }, ...share },
});

const countOf = ({ requests }: CountingBackend, path: string) =>
  requests.filter((seen) => seen.startsWith(path)).length;

test('every mirror gets its share of copies, and the client the answer of the backend', async (t) => {
  const [main, all, some] = [await startBackend(t), await startBackend(t), await startBackend(t)];
  const rules = [
    {
      matches: [prefix('/m')],
      filters: [
        mirror('all'),
        mirror('some', { percent: 30 }),
        { type: 'RequestHeaderModifier', requestHeaderModifier: { set: [{ name: 'x-a', value: '1' }] } },
      ],
      backendRefs: [web],
    },
  ];
  const { port } = await gatewayWith(t, rules, { web: [main.port], all: [all.port], some: [some.port] });
  for (let sent = 0; sent < 300; sent++) t.is((await send(port, { host: 'h.test', path: '/m?q=1' })).status, 200);
  t.is(countOf(main, '/m?q=1'), 300);
  await untilFits(
    'all copies',
    () => countOf(all, '/m?q=1'),
    (count) => count === 300,
  );
  // 300 at 30 %: outside of 50 to 130 about once in a million runs.
  t.true(countOf(some, '/m') > 50 && countOf(some, '/m') < 130, `${countOf(some, '/m')} copies of 300`);
  const copy = all.seen.at(-1);
  t.is(copy?.host, 'h.test');
  t.is(copy?.['x-a'], '1');
});

const cors = (given: object) => ({ type: 'CORS', cors: given });

test('CORS: preflights are answered by the gateway, and only allowed origins get permission', async (t) => {
  const main = await startBackend(t);
  const rules = [
    {
      matches: [prefix('/listed')],
      filters: [
        cors({
          allowOrigins: ['https://www.foo.com', 'https://*.bar.com'],
          allowMethods: ['GET', 'OPTIONS'],
          allowHeaders: ['x-1', 'x-2'],
          exposeHeaders: ['x-3', '*'],
          allowCredentials: true,
          maxAge: 3600,
        }),
      ],
      backendRefs: [web],
    },
    {
      matches: [prefix('/any')],
      filters: [cors({ allowOrigins: ['*'], allowMethods: ['*'], allowHeaders: ['*'] })],
      backendRefs: [web],
    },
    {
      matches: [prefix('/credentials')],
      filters: [
        cors({
          allowOrigins: ['*'],
          allowMethods: ['*'],
          allowHeaders: ['*'],
          exposeHeaders: ['*'],
          allowCredentials: true,
        }),
      ],
      backendRefs: [web],
    },
    {
      matches: [{ ...prefix('/put'), method: 'PUT' }],
      filters: [cors({ allowOrigins: ['https://www.foo.com'], allowMethods: ['PUT'] })],
      backendRefs: [web],
    },
    {
      matches: [{ ...prefix('/version'), headers: [{ name: 'X-Version', value: '2' }] }],
      filters: [cors({ allowOrigins: ['https://www.foo.com'], allowHeaders: ['x-version'] })],
      backendRefs: [web],
    },
  ];
  const { port } = await gatewayWith(t, rules, { web: [main.port] });
  const preflight = (path: string, origin: string, method = 'GET', headers = {}) =>
    send(port, {
      host: 'h.test',
      path,
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': method, ...headers },
    });

  const allowed = await preflight('/listed', 'https://xpto.www.bar.com');
  t.is(allowed.status, 200);
  t.like(allowed.headers, {
    'access-control-allow-origin': 'https://xpto.www.bar.com',
    'access-control-allow-methods': 'GET, OPTIONS',
    'access-control-allow-headers': 'x-1, x-2',
    'access-control-expose-headers': 'x-3',
    'access-control-max-age': '3600',
    'access-control-allow-credentials': 'true',
  });
  for (const origin of ['https://foobar.com', 'https://bar.com', 'https://www.bar.com:8443', 'http://www.foo.com']) {
    const rejected = await preflight('/listed', origin);
    t.is(rejected.status, 200, origin);
    t.is(rejected.headers['access-control-allow-origin'], undefined, origin);
  }
  const any = await preflight('/any', 'https://x.org:12345', 'DELETE', { 'access-control-request-headers': 'x-9' });
  t.like(any.headers, {
    'access-control-allow-origin': 'https://x.org:12345',
    'access-control-allow-methods': 'DELETE',
    'access-control-allow-headers': 'x-9',
    'access-control-max-age': '5',
  });
  t.is(any.headers['access-control-allow-credentials'], undefined);
  const trusted = await preflight('/credentials', 'https://x.org:12345', 'DELETE', {
    'access-control-request-headers': 'x-9',
  });
  t.like(trusted.headers, {
    'access-control-allow-origin': 'https://x.org:12345',
    'access-control-allow-methods': 'DELETE',
    'access-control-allow-headers': 'x-9',
    'access-control-allow-credentials': 'true',
  });
  // A preflight without a header or with an unknown method gets no such list.
  const bare = await preflight('/credentials', 'https://x.org');
  t.like(bare.headers, { 'access-control-allow-origin': 'https://x.org', 'access-control-allow-methods': 'GET' });
  t.is(bare.headers['access-control-allow-headers'], undefined);
  for (const origin of ['https://x.org', 'http://localhost:3000', 'null']) {
    const got = await send(port, { host: 'h.test', path: '/credentials', headers: { origin } });
    t.is(got.body, 'ok');
    t.like(
      got.headers,
      { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' },
      `${origin}: a request after the preflight`,
    );
    t.is(got.headers['access-control-expose-headers'], undefined);
  }
  const sameOrigin = await send(port, { host: 'h.test', path: '/credentials' });
  t.is(sameOrigin.headers['access-control-allow-origin'], undefined);
  t.is(
    (await preflight('/put', 'https://www.foo.com', 'PUT')).headers['access-control-allow-origin'],
    'https://www.foo.com',
  );
  t.is((await preflight('/put', 'https://www.foo.com', 'GET')).status, 404);
  // Of the headers of the request to come, a preflight has the names.
  const version = (names: string) =>
    preflight('/version', 'https://www.foo.com', 'GET', { 'access-control-request-headers': names });
  for (const names of ['x-version', 'content-type,x-version', 'x-version, z'])
    t.is((await version(names)).headers['access-control-allow-headers'], 'x-version', names);
  for (const names of ['x-versions', 'content-type', 'my-x-version']) t.is((await version(names)).status, 404, names);
  t.is((await preflight('/version', 'https://www.foo.com')).status, 404);
  t.is(countOf(main, '/listed') + countOf(main, '/any') + countOf(main, '/put'), 0);

  const simple = await send(port, { host: 'h.test', path: '/listed', headers: { origin: 'https://www.foo.com' } });
  t.is(simple.body, 'ok');
  t.is(simple.headers['access-control-allow-origin'], 'https://www.foo.com');
});

thorough(test)('a request is tried again for its codes and for no connection, within the times given', async (t) => {
  const attempts = new Map<string, number>();
  const main = await startBackend(t, ({ url = '' }, response) => {
    const asked = new URL(url, 'http://b').searchParams;
    const times = (attempts.get(url) ?? 0) + 1;
    attempts.set(url, times);
    if (times <= Number(asked.get('fail') ?? 0)) response.statusCode = Number(asked.get('code'));
    setTimeout(() => response.end('ok'), Number(asked.get('delay') ?? 0)).unref();
  });
  const rules = [
    { matches: [prefix('/three')], retry: { codes: [500], attempts: 3 }, backendRefs: [web] },
    { matches: [prefix('/zero')], retry: { codes: [500], attempts: 0 }, backendRefs: [web] },
    { matches: [prefix('/connect')], retry: { attempts: 5 }, backendRefs: [{ name: 'half', port: 80 }] },
    {
      matches: [prefix('/timed')],
      retry: { codes: [500], attempts: 5 },
      timeouts: { request: '6s' },
      backendRefs: [web],
    },
    {
      matches: [prefix('/each')],
      retry: { codes: [500], attempts: 3 },
      timeouts: { request: '60s', backendRequest: '6s' },
      backendRefs: [web],
    },
  ];
  const { port } = await gatewayWith(t, rules, { web: [main.port], half: [main.port, await freePort()] });
  const get = async (path: string) => (await send(port, { host: 'h.test', path })).status;
  t.is(await get('/three?code=500&fail=3'), 200);
  t.is(attempts.get('/three?code=500&fail=3'), 4);
  t.is(await get('/three?code=500&fail=4'), 500);
  t.is(await get('/three?code=503&fail=1'), 503);
  t.is(attempts.get('/three?code=503&fail=1'), 1);
  t.is(await get('/zero?code=500&fail=1'), 500);
  for (let sent = 0; sent < 20; sent++) t.is(await get('/connect'), 200);
  // Seconds, so that a busy machine is not what runs out of time.
  t.is(await get('/timed?code=500&fail=1'), 200);
  t.is(await get('/timed?code=500&fail=2&delay=3200'), 504);
  t.is(await get('/each?code=500&fail=2&delay=100'), 200);
  t.is(await get('/each?code=500&fail=0&delay=20000'), 504);
});

thorough(test)('a rewrite, header changes and copies of a backendRef are for its share alone', async (t) => {
  const [one, two, audit] = [await startBackend(t), await startBackend(t), await startBackend(t)];
  const rewrite = (path: object) => [{ type: 'URLRewrite', urlRewrite: { path } }];
  const rules = [
    {
      matches: [prefix('/full')],
      backendRefs: [{ ...web, filters: rewrite({ type: 'ReplaceFullPath', replaceFullPath: '/rewritten-full' }) }],
    },
    {
      matches: [prefix('/split')],
      filters: [{ type: 'RequestHeaderModifier', requestHeaderModifier: { add: [{ name: 'x-a', value: 'rule' }] } }],
      backendRefs: [
        {
          ...web,
          weight: 3,
          filters: [
            {
              type: 'URLRewrite',
              urlRewrite: { hostname: 'in.test', path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/one' } },
            },
            { type: 'RequestHeaderModifier', requestHeaderModifier: { add: [{ name: 'x-a', value: 'one' }] } },
          ],
        },
        { name: 'two', port: 80, weight: 1, filters: [mirror('audit')] },
        { name: 'missing', port: 80, weight: 1 },
      ],
    },
  ];
  const { port } = await gatewayWith(t, rules, { web: [one.port], two: [two.port], audit: [audit.port] });
  t.is((await send(port, { host: 'h.test', path: '/full/original' })).status, 200);
  t.is(one.requests.at(-1), '/rewritten-full');
  let rejected = 0;
  for (let sent = 0; sent < 300; sent++) {
    if ((await send(port, { host: 'h.test', path: '/split/b' })).status === 500) rejected++;
  }
  const shares = [countOf(one, '/one/b'), countOf(two, '/split/b'), rejected];
  t.is(
    shares.reduce((sum, share) => sum + share),
    300,
  );
  // 3:1:1 of 300: outside of these about once in a million runs.
  t.true((shares[0] as number) > 135 && (shares[0] as number) < 225, shares.join(' '));
  t.true((shares[1] as number) > 25 && (shares[1] as number) < 100, shares.join(' '));
  const seen = one.seen[one.requests.lastIndexOf('/one/b')];
  t.is(seen?.host, 'in.test');
  t.is(seen?.['x-a'], 'rule, one');
  t.is(two.seen[two.requests.lastIndexOf('/split/b')]?.['x-a'], 'rule');
  await untilFits(
    'the copies',
    () => countOf(audit, '/split/b'),
    (count) => count === shares[1],
  );
});

thorough(test)('every redirect code is answered as written', async (t) => {
  const main = await startBackend(t);
  const codes = [301, 302, 303, 307, 308];
  const rules = codes.map((statusCode) => ({
    matches: [prefix(`/${statusCode}`)],
    filters: [{ type: 'RequestRedirect', requestRedirect: { hostname: 'to.test', statusCode, port: 8443 } }],
  }));
  const { port } = await gatewayWith(t, rules, { web: [main.port] });
  for (const code of codes) {
    const { status, headers } = await send(port, { host: 'h.test', path: `/${code}` });
    t.is(status, code);
    t.is(headers.location, `http://to.test:8443/${code}`);
  }
});
