import anyTest, { type TestFn } from 'ava';
import type { z } from 'zod';
import { SecretText } from '../../src/config/index.ts';
import { startAdmin, type TestAdmin } from '../support/admin.ts';
import * as schemas from '../support/layout1-schemas.ts';
import { aiObject, endpointSlice, gateway, gatewayClass, httpRoute, ownObject, service } from '../support/objects.ts';

const test = anyTest as TestFn<TestAdmin>;

test.beforeEach(async (t) => {
  t.context = await startAdmin();
});
test.afterEach.always((t) => t.context.close());

const path = (value: string, type: 'PathPrefix' | 'Exact' = 'PathPrefix') => ({ path: { type, value } });
const to = (name: string) => ({ backendRefs: [{ name, port: 80 }] });

const world = [
  gatewayClass(),
  gateway('edge', [{}, { name: 'other', port: 81, hostname: '*.example.com' }]),
  gateway('inner', [{}]),
  service('web'),
  endpointSlice('web', ['10.0.0.1', '10.0.0.2']),
  service('empty'),
  httpRoute('shop', {
    hostnames: ['shop.test'],
    rules: [
      { matches: [path('/cart', 'Exact')], ...to('missing') },
      { matches: [{ ...path('/api'), method: 'POST' }], ...to('web') },
      { matches: [path('/api'), path('/')], ...to('empty') },
    ],
  }),
  httpRoute('lost', { hostnames: ['lost.test'], parentRefs: [{ name: 'edge', sectionName: 'nothing' }] }),
] as const;

async function ask(admin: TestAdmin, body: object, token?: string): Promise<z.output<typeof schemas.routeTest>> {
  const response = await post(admin, body, token);
  const answer = await response.json();
  if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(answer)}`);
  return schemas.routeTest.parse(answer);
}

const post = (admin: TestAdmin, body: unknown, token?: string): Promise<Response> =>
  admin.layout1('/v1/route-test', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });

test('the rule that takes the request, where it sends it, and why the others do not', async (t) => {
  const admin = t.context;
  admin.build(...world);
  const answer = await ask(admin, { host: 'Shop.test:80', path: '/api/../api/x?y=1', method: 'POST' });
  t.like(answer, {
    outcome: 'forward',
    status: null,
    gateway: { namespace: 'default', name: 'edge' },
    listener: 'default.edge.http',
    request: { host: 'shop.test', path: '/api/x' },
    route: { kind: 'HTTPRoute', namespace: 'default', name: 'shop', rule: 1, match: 0, host: 'shop.test' },
    forwarded: { path: '/api/x', host: null },
    hints: [],
  });
  t.deepEqual(answer.backends, [
    {
      namespace: 'default',
      service: 'web',
      port: 80,
      share: 1,
      endpoints: 2,
      picker: null,
      status: null,
      failing: null,
    },
  ]);
  t.deepEqual(
    answer.candidates.map(({ rule, match, outcome, reason }) => [rule, match, outcome, reason]),
    [
      [0, 0, 'mismatch', "its path is /cart, the request's is /api/x"],
      [1, 0, 'chosen', null],
      [2, 0, 'later', 'a match with a method is tried first'],
      [2, 1, 'later', 'the longer path is tried first'],
    ],
  );
});

test('what the proxy answers by itself, and what to look at', async (t) => {
  const admin = t.context;
  admin.build(...world);
  t.like(await ask(admin, { host: 'shop.test', path: '/cart' }), { outcome: 'respond', status: 500 });
  const [hint] = (await ask(admin, { host: 'shop.test', path: '/cart' })).hints;
  t.regex(hint ?? '', /HTTPRoute default\/shop: BackendNotFound: .*missing/);
  t.like((await ask(admin, { host: 'shop.test', path: '/x' })).backends[0], {
    service: 'empty',
    endpoints: 0,
    status: 503,
  });

  const lost = await ask(admin, { host: 'lost.test' });
  t.like(lost, { outcome: 'no_host', status: 404, route: null });
  t.regex(
    lost.hints.join('\n'),
    /HTTPRoute default\/lost is for this host, but default\/edge does not take it: NoMatchingParent/,
  );
  t.regex(lost.hints.join('\n'), /Routes at http\/80 are for shop\.test/);

  const closed = await ask(admin, { host: 'shop.test', port: 9 });
  t.like(closed, { outcome: 'refused', status: 0, listener: null });
  t.regex(closed.hints[0] ?? '', /No listener of Gateway .* is open at port 9: it has http\/80/);
  t.like(await ask(admin, { host: 'shop.test', path: '/a%2Fb' }), {
    outcome: 'refused',
    status: 307,
    location: '/a/b',
  });
});

test('of several Gateways the one that does most answers, unless one is named', async (t) => {
  const admin = t.context;
  admin.build(...world);
  const answer = await ask(admin, { host: 'shop.test' });
  t.is(answer.gateway.name, 'edge');
  t.deepEqual(answer.alsoAt, [{ gateway: { namespace: 'default', name: 'inner' }, outcome: 'no_host', status: 404 }]);
  t.is((await ask(admin, { host: 'shop.test', gateway: 'default/inner' })).outcome, 'no_host');
  const unknown = await post(admin, { host: 'shop.test', gateway: 'nowhere' });
  t.is(unknown.status, 404);
  t.like(await unknown.json(), { error: { code: 'gateway_not_found' } });
});

test('a body that is no request is rejected with the field', async (t) => {
  const admin = t.context;
  t.is((await post(admin, { host: 'a.test' })).status, 503, 'nothing was built yet');
  admin.build(...world);
  for (const [body, field] of [
    [{}, 'host'],
    [{ host: 'a', path: 'x' }, 'path'],
    [{ host: 'a', path: '/a b' }, 'path'],
    [{ host: 'a', method: 'G T' }, 'method'],
    [{ host: 'a', port: 0 }, 'port'],
    [{ host: 'a', headers: { 'a b': '1' } }, 'headers.a b'],
  ] as const) {
    const response = await post(admin, body);
    t.is(response.status, 400);
    const { error } = (await response.json()) as { error: { code: string; details: { path: string }[] } };
    t.deepEqual([error.code, error.details[0]?.path], ['body_malformed', field]);
  }
});

test('the read-only token may ask', async (t) => {
  const [bearerToken, readOnlyBearerToken] = [new SecretText('full'), new SecretText('reading')];
  const admin = await startAdmin({ protect: [], bearerToken, readOnlyBearerToken });
  t.teardown(() => admin.close());
  admin.build(...world);
  t.is((await ask(admin, { host: 'shop.test' }, 'reading')).outcome, 'forward');
  t.is((await post(admin, { host: 'shop.test' })).status, 401);
});

test('a rule for models leads to services, the share of each that of the model it has most of', async (t) => {
  const admin = t.context;
  const provider = (name: string, ...models: readonly string[]) =>
    aiObject('AIService', name, {
      provider: 'stub',
      endpoint: { hostname: `${name}.test` },
      models: models.map((model) => ({ name: model })),
    });
  const ref = (name: string, weight: number) => ({ group: 'gatewright.dev', kind: 'AIService', name, weight });
  admin.build(
    ...world,
    provider('one', 'm', 'only-here'),
    provider('two', 'm'),
    httpRoute('chat', { hostnames: ['chat.test'], rules: [{ backendRefs: [ref('one', 1), ref('two', 3)] }] }),
  );
  const answer = await ask(admin, { host: 'chat.test', path: '/v1/chat/completions', method: 'POST' });
  const service = { namespace: 'default', port: 443, endpoints: null, picker: null, status: null, failing: null };
  t.deepEqual(answer.backends, [
    { ...service, service: 'one', share: 1 },
    { ...service, service: 'two', share: 0.75 },
  ]);
});

test('filters of our own kind are in the answer: a path by an expression, headers, and what the proxy answers by itself', async (t) => {
  const admin = t.context;
  const ref = (name: string) => ({
    type: 'ExtensionRef' as const,
    extensionRef: { group: 'gatewright.dev', kind: 'HTTPFilter', name },
  });
  admin.build(
    ...world.slice(0, 5),
    ownObject('HTTPFilter', 'short', { regexRewrite: { pattern: '^/users/([0-9]+)', substitution: '/u/\\1' } }),
    ownObject('HTTPFilter', 'host', {
      hostRewrite: { fromPathRegex: { pattern: '/([a-z]+)/.*', substitution: '\\1.in.test' } },
    }),
    ownObject('HTTPFilter', 'marks', { headers: { request: { set: [{ name: 'x-a', value: '%REQ(x-b)%!' }] } } }),
    ownObject('HTTPFilter', 'beta', { cookieMatch: { name: 'beta', value: '1' } }),
    ownObject('HTTPFilter', 'moved', {
      regexRedirect: { pattern: '^/old', substitution: '/new', hostname: 'new.test', stripQuery: true },
    }),
    ownObject('HTTPFilter', 'gone', { directResponse: { status: 410 } }),
    httpRoute('filtered', {
      hostnames: ['filtered.test'],
      rules: [
        { matches: [path('/users')], filters: [ref('short'), ref('host'), ref('marks')], ...to('web') },
        { matches: [path('/gone')], filters: [ref('beta')], ...to('web') },
        { matches: [path('/old')], filters: [ref('moved')] },
        { matches: [path('/gone')], filters: [ref('gone')] },
        { matches: [path('/missing')], filters: [ref('missing')], ...to('web') },
      ],
    }),
  );
  const forwarded = await ask(admin, { host: 'filtered.test', path: '/users/12/x' });
  t.like(forwarded, { outcome: 'forward', forwarded: { path: '/u/12/x', host: 'users.in.test' } });
  t.like(forwarded.filters?.headerEdits, { requestHeaders: { set: [{ name: 'x-a', value: '{request x-b}!' }] } });
  t.like(await ask(admin, { host: 'filtered.test', path: '/old/a?b' }), {
    outcome: 'redirect',
    location: 'http://new.test/new/a',
  });
  t.like(await ask(admin, { host: 'filtered.test', path: '/gone', headers: { cookie: 'a=1; beta=1' } }), {
    outcome: 'forward',
  });
  t.like(await ask(admin, { host: 'filtered.test', path: '/gone' }), {
    outcome: 'respond',
    status: 410,
    reason: 'the rule has the proxy answer',
  });
  t.like(await ask(admin, { host: 'filtered.test', path: '/missing' }), { outcome: 'respond', status: 500 });
});
