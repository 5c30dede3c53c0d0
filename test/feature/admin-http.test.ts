import anyTest, { type TestFn } from 'ava';
import type { ErrorBody } from '../../src/admin/index.ts';
import { nodeView, startAdmin, type TestAdmin } from '../support/admin.ts';
import { gateway, gatewayClass, httpRoute } from '../support/objects.ts';

const test = anyTest as TestFn<TestAdmin>;

test.beforeEach(async (t) => {
  t.context = await startAdmin();
});
test.afterEach.always((t) => t.context.close());

const errorOf = async (response: Response): Promise<ErrorBody['error']> => ((await response.json()) as ErrorBody).error;

const routeNames = async (response: Response): Promise<string[]> =>
  ((await response.json()) as { name: string }[]).map(({ name }) => name);

const buildRoutes = (admin: TestAdmin, count: number): string =>
  admin.build(gatewayClass(), gateway('edge'), ...Array.from({ length: count }, (_, i) => httpRoute(`r${i}`)));

test('an unknown path is a 404 in the one error shape', async (t) => {
  const response = await t.context.layout1('/v1/nothing');
  t.is(response.status, 404);
  t.regex(response.headers.get('content-type') ?? '', /^application\/json/);
  t.deepEqual(await response.json(), { error: { code: 'not_found', message: 'there is no /v1/nothing here' } });
});

test('a known path with another method is a 405 that says what is allowed', async (t) => {
  const response = await t.context.layout1('/v1/routes', { method: 'DELETE' });
  t.is(response.status, 405);
  t.is(response.headers.get('allow'), 'GET, HEAD, OPTIONS');
  t.is((await errorOf(response)).code, 'method_not_allowed');
  const options = await t.context.layout2('/api/v1/clients', { method: 'OPTIONS' });
  t.is(options.status, 204);
  t.is(options.headers.get('allow'), 'GET, HEAD, OPTIONS');
  t.is(options.headers.get('access-control-allow-origin'), null);
});

test('HEAD answers like GET, without the body', async (t) => {
  buildRoutes(t.context, 1);
  const get = await t.context.layout1('/v1/routes');
  const head = await t.context.layout1('/v1/routes', { method: 'HEAD' });
  t.is(head.status, 200);
  for (const name of ['etag', 'content-length', 'x-total-count', 'x-snapshot-id']) {
    t.is(head.headers.get(name), get.headers.get(name));
  }
  t.is(await head.text(), '');
});

test('every answer has a request id: the client’s own when it is harmless', async (t) => {
  const idOf = async (given?: string) => {
    const response = await t.context.layout1(
      '/livez',
      given === undefined ? {} : { headers: { 'X-Request-Id': given } },
    );
    return response.headers.get('x-request-id');
  };
  t.is(await idOf('trace-1.a_b'), 'trace-1.a_b');
  t.regex((await idOf()) ?? '', /^[0-9a-f-]{36}$/);
  t.regex((await idOf('a b<script>')) ?? '', /^[0-9a-f-]{36}$/);
  t.regex((await idOf('x'.repeat(129))) ?? '', /^[0-9a-f-]{36}$/);
});

test('every answer forbids a browser to do anything with it', async (t) => {
  for (const response of [await t.context.layout1('/v1/summary'), await t.context.layout2('/nothing')]) {
    t.regex(response.headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/);
    t.is(response.headers.get('x-content-type-options'), 'nosniff');
    t.is(response.headers.get('cache-control'), 'no-store');
    t.is(response.headers.get('x-powered-by'), null);
  }
});

test('reads carry the snapshot id, and a client that has the answer gets a 304', async (t) => {
  const admin = t.context;
  const id = buildRoutes(admin, 1);
  for (const path of ['/v1/routes', '/v1/snapshot', '/v1/nodes']) {
    const first = await admin.layout1(path);
    t.is(first.headers.get('x-snapshot-id'), id);
    const etag = first.headers.get('etag') ?? '';
    // A list of what proxies are not concerned with may stay the same while the snapshot changes.
    if (path !== '/v1/routes') t.true(etag.startsWith(`"${id}-`));
    t.regex(etag, /^".{8,}"$/);
    const again = await admin.layout1(path, { headers: { 'If-None-Match': etag } });
    t.is(again.status, 304, path);
    t.is(await again.text(), '');
  }
});

test('a node that changes state changes the tag, although the snapshot stays', async (t) => {
  const admin = t.context;
  const id = buildRoutes(admin, 1);
  admin.nodes.set('n1', nodeView('n1', { ready: false }));
  const etag = (await admin.layout1('/v1/nodes')).headers.get('etag') ?? '';
  admin.nodes.set('n1', nodeView('n1', { ready: true }));
  const after = await admin.layout1('/v1/nodes', { headers: { 'If-None-Match': etag } });
  t.is(after.status, 200);
  t.is(after.headers.get('x-snapshot-id'), id);
});

test('a list without limit is whole; with one it comes in pages that link to each other', async (t) => {
  const admin = t.context;
  buildRoutes(admin, 7);
  const whole = await admin.layout1('/v1/routes');
  t.is(whole.headers.get('x-total-count'), '7');
  t.is(whole.headers.get('link'), null);
  t.is((await routeNames(whole)).length, 7);

  const page = await admin.layout1('/v1/routes?limit=3&offset=3&namespace=default');
  t.is(page.headers.get('x-total-count'), '7');
  t.deepEqual(await routeNames(page), ['r3', 'r4', 'r5']);
  const links = (page.headers.get('link') ?? '').split(', ');
  t.deepEqual(links, [
    '</v1/routes?limit=3&offset=0&namespace=default>; rel="first"',
    '</v1/routes?limit=3&offset=0&namespace=default>; rel="prev"',
    '</v1/routes?limit=3&offset=6&namespace=default>; rel="next"',
    '</v1/routes?limit=3&offset=6&namespace=default>; rel="last"',
  ]);
  t.deepEqual(await routeNames(await admin.layout1('/v1/routes?limit=3&offset=6')), ['r6']);
  t.deepEqual(await routeNames(await admin.layout1('/v1/routes?limit=3&offset=60')), []);
});

test('lists are sorted in both directions, whatever order the objects came in', async (t) => {
  const admin = t.context;
  admin.build(
    gatewayClass(),
    httpRoute('b', {}, { namespace: 'a-b' }),
    httpRoute('c', {}, { namespace: 'a' }),
    httpRoute('a', {}, { namespace: 'a' }),
  );
  t.deepEqual(await routeNames(await admin.layout1('/v1/routes')), ['a', 'c', 'b']);
  t.deepEqual(await routeNames(await admin.layout1('/v1/routes?sort=name')), ['a', 'b', 'c']);
  t.deepEqual(await routeNames(await admin.layout1('/v1/routes?sort=name&order=desc')), ['c', 'b', 'a']);
});

const badQuery = test.macro({
  exec: async (t, path: string, parameter: string, message: RegExp) => {
    const response = await (t.context as TestAdmin).layout1(path);
    t.is(response.status, 400);
    const { code, details } = await errorOf(response);
    t.is(code, 'query_invalid');
    t.is(details?.[0]?.path, parameter);
    t.regex(details?.[0]?.message ?? '', message);
  },
  title: (_, path) => `400 for ${path}`,
});

test(
  badQuery,
  '/v1/routes?limt=1&strict=true',
  'limt',
  /unknown query parameter; known here are limit, offset, .*did you mean "limit"/,
);
test(badQuery, '/v1/summary?limit=1&strict=true', 'limit', /none is known here/);
test(badQuery, '/v1/routes?strict=yes', 'strict', /true, false/);
test(badQuery, '/v1/routes?limit=0', 'limit', /from 1 to 500/);
test(badQuery, '/v1/routes?limit=501', 'limit', /from 1 to 500/);
test(badQuery, '/v1/routes?limit=1e2', 'limit', /whole number/);
test(badQuery, '/v1/routes?offset=-1', 'offset', /whole number/);
test(badQuery, '/v1/routes?sort=color', 'sort', /namespace, name, kind/);
test(badQuery, '/v1/routes?order=up', 'order', /asc, desc/);
test(badQuery, '/v1/routes?name=a&name=b', 'name', /more than once/);
test(badQuery, '/v1/nodes?ready=yes', 'ready', /true, false/);
test(badQuery, '/v1/routes?__proto__=1&strict=true', '__proto__', /unknown query parameter/);

test('a read ignores unknown query parameters and says so, unless it asks for the contrary', async (t) => {
  const admin = t.context;
  buildRoutes(admin, 2);
  const lenient = await admin.layout1('/v1/backends?all=true');
  t.is(lenient.status, 200);
  t.is(lenient.headers.get('warning'), '299 gatewright "unknown query parameter \\"all\\" is ignored"');
  const near = await admin.layout1('/v1/routes?limt=1');
  t.is((await routeNames(near)).length, 2);
  t.regex(near.headers.get('warning') ?? '', /"limt\\" is ignored; did you mean \\"limit\\"\?"$/);
  t.is((await admin.layout1('/v1/routes?limit=1')).headers.get('warning'), null);
  const prefer = await admin.layout1('/v1/routes?limt=1', { headers: { Prefer: 'respond-async, handling=strict' } });
  t.is(prefer.status, 400);
  t.is(prefer.headers.get('preference-applied'), 'handling=strict');
  t.is((await admin.layout1('/v1/routes?limt=1', { headers: { Prefer: 'handling=lenient' } })).status, 200);
  t.is((await admin.layout2('/api/v1/clients?all=1')).status, 200);
  t.is((await admin.layout2('/api/v1/clients?all=1&strict=true')).status, 400);
});

test('names of query parameters cannot break a header, however they are chosen', async (t) => {
  const admin = t.context;
  buildRoutes(admin, 1);
  const names = ['a%0d%0aX-Injected:%20yes', '%22%5c', '%00', '%F0%9F%92%A9', '__proto__', 'x'.repeat(5000), 'y', 'z'];
  const response = await admin.layout1(`/v1/routes?${names.map((name) => `${name}=1`).join('&')}`);
  t.is(response.status, 200);
  t.is(response.headers.get('x-injected'), null);
  const warning = response.headers.get('warning') ?? '';
  t.regex(warning, /^[ -~]+$/);
  t.regex(warning, /"3 more are ignored"$/);
  t.true(warning.length < 1000);
});

test('a broken promise of ours is a 500 that gives nothing away, and a line in the log', async (t) => {
  const admin = t.context;
  admin.nodes.set('n1', { ...nodeView('n1'), connectedAt: undefined as never });
  const response = await admin.layout1('/v1/nodes?sort=connectedAt', { headers: { 'X-Request-Id': 'find-me' } });
  t.is(response.status, 500);
  const { code, message } = await errorOf(response);
  t.is(code, 'internal_error');
  t.is(message, 'internal error; the log has it under request id find-me');
  const line = admin.logLines.find(
    (text) => text.includes('"request_id":"find-me"') && text.includes('"level":"error"'),
  );
  t.regex(line ?? '', /TypeError/);
});

test('requests are counted by the pattern of their path', async (t) => {
  const admin = t.context;
  await admin.layout1('/v1/nodes/whatever-a-client-asks');
  await admin.layout1('/who/knows');
  const text = await admin.metrics.text();
  t.regex(
    text,
    /admin_request_duration_seconds_count\{app="layout1",method="GET",route="\/v1\/nodes\/:nodeId",code="404"\} 1/,
  );
  t.regex(text, /route="unmatched",code="404"/);
  t.notRegex(text, /whatever-a-client-asks|who\/knows/);
});
