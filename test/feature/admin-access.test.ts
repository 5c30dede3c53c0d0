import anyTest, { type TestFn } from 'ava';
import type { z } from 'zod';
import { accessEntry } from '../../src/admin/access/record.ts';
import { startAdmin, type TestAdmin } from '../support/admin.ts';
import * as schemas from '../support/layout1-schemas.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, ownObject, secret, service } from '../support/objects.ts';
import { signer } from '../support/tokens.ts';

const test = anyTest as TestFn<TestAdmin>;

test.beforeEach(async (t) => {
  t.context = await startAdmin();
});
test.afterEach.always((t) => t.context.close());

const ref = (kind: string, name: string, sectionName?: string) => ({
  group: 'gateway.networking.k8s.io',
  kind,
  name,
  ...(sectionName !== undefined && { sectionName }),
});
const policy = (name: string, target: object | readonly object[], spec: object, created = '2026-01-01') =>
  ownObject('AccessPolicy', name, { targetRefs: [target].flat(), ...spec }, { created: `${created}T00:00:00Z` });

const staff = signer('staff');
const path = (value: string) => ({ path: { type: 'PathPrefix' as const, value } });
const labelled = { labels: { 'gatewright.dev/credentials': 'true' } };
const jwt = {
  providers: [
    {
      name: 'staff',
      issuer: 'https://id.test',
      audiences: ['api'],
      jwks: { inline: JSON.stringify({ keys: [staff.jwk] }) },
    },
  ],
};

const world = [
  gatewayClass(),
  gateway('edge', [{}]),
  service('web'),
  endpointSlice('web', ['10.0.0.1']),
  httpRoute('shop', {
    hostnames: ['shop.test', 'www.shop.test'],
    rules: [
      { name: 'health', matches: [path('/health')], backendRefs: [{ name: 'web', port: 80 }] },
      { name: 'orders', matches: [path('/orders')], backendRefs: [{ name: 'web', port: 80 }] },
    ],
  }),
  httpRoute('open', { hostnames: ['open.test'] }),
  policy('edge', ref('Gateway', 'edge'), { jwt, clientIPs: { deny: ['10.9.0.0/16'] }, overridable: ['jwt'] }),
  policy('health', ref('HTTPRoute', 'shop', 'health'), { overrides: ['jwt'] }),
  policy('keys', ref('HTTPRoute', 'shop', 'orders'), {
    apiKeys: { secretRefs: [{ name: 'keys' }], from: [{ header: 'x-key' }] },
  }),
  policy(
    'late',
    ref('HTTPRoute', 'shop', 'orders'),
    { apiKeys: { secretRefs: [{ name: 'keys' }], from: [{ header: 'x-key' }] } },
    '2026-02-01',
  ),
  policy('lost', [ref('HTTPRoute', 'nothing'), ref('HTTPRoute', 'open')], { csrf: {} }),
  secret('keys', { ann: 'sk-planted' }, labelled),
] as const;

type Entry = z.output<typeof accessEntry>;

async function list(admin: TestAdmin, query: string): Promise<Entry[]> {
  const response = await admin.layout1(`/v1/access?${query}`);
  const answer = await response.json();
  if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(answer)}`);
  return accessEntry.array().parse(answer);
}

const text = ({ gateway, target, rule, level, part, policy: { name }, state, by }: Entry) =>
  `${gateway?.name ?? '-'} ${target.name}/${target.rule ?? '*'} ${rule ?? '*'}: ${level} ${part} of ${name} ${state}${by ? ` by ${by.name}` : ''}`;

async function ask(admin: TestAdmin, body: object): Promise<z.output<typeof schemas.routeTest>> {
  const response = await admin.layout1('/v1/route-test', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(answer);
  if (answer.includes('sk-planted')) throw new Error('a key is in the answer');
  return schemas.routeTest.parse(JSON.parse(answer));
}

test('of a route: rule by rule, which part of which policy is in force', async (t) => {
  t.context.build(...world);
  t.deepEqual((await list(t.context, 'route=HTTPRoute/default/shop')).map(text), [
    'edge shop/health 0: gateway clientIPs of edge inForce',
    'edge shop/health 0: gateway jwt of edge overridden by health',
    'edge shop/orders 1: gateway clientIPs of edge inForce',
    'edge shop/orders 1: rule apiKeys of keys inForce',
    'edge shop/orders 1: rule apiKeys of late conflicted by keys',
    'edge shop/orders 1: gateway jwt of edge inForce',
  ]);
  t.deepEqual((await list(t.context, 'route=httproute/default/open&part=csrf')).map(text), [
    'edge open/* 0: route csrf of lost inForce',
  ]);
  t.deepEqual((await list(t.context, 'route=HTTPRoute/default/shop&state=conflicted')).length, 1);
  const page = await t.context.layout1('/v1/access?route=HTTPRoute/default/shop&limit=2');
  t.is(page.headers.get('x-total-count'), '6');
  t.regex(page.headers.get('link') ?? '', /rel="next"/);
});

test('of a policy: every target with its hosts, and what answers 500 and why', async (t) => {
  t.context.build(...world);
  const [gatewayEntry] = await list(t.context, 'policy=default/edge&part=jwt');
  t.like(gatewayEntry, { state: 'inForce', level: 'gateway', hosts: ['*'], hostCount: 3, rule: null });
  t.deepEqual(
    (await list(t.context, 'policy=default/lost')).map(({ target, state, reasons, hosts }) => [
      target.name,
      state,
      reasons,
      hosts,
    ]),
    [
      ['nothing', 'unattached', ['TargetNotFound: HTTPRoute default/nothing does not exist'], []],
      ['open', 'inForce', [], ['open.test']],
    ],
  );
  t.context.build(
    policy('renamed', [ref('HTTPRoute', 'shop', 'gone'), ref('Gateway', 'edge', 'gone')], {
      clientIPs: { deny: ['10.0.0.0/8'] },
    }),
  );
  t.deepEqual(
    (await list(t.context, 'policy=default/renamed')).map(({ state, part, reasons }) => [state, part, reasons]),
    [
      ['unattached', null, ['TargetNotFound: Gateway default/edge has no listener named gone']],
      ['unattached', null, ['TargetNotFound: HTTPRoute default/shop has no rule named gone']],
    ],
    'a rule or listener that is not there is guarded by nothing',
  );
  t.context.graph.remove('Secret', 'default/keys');
  t.context.build();
  const [closed] = await list(t.context, 'policy=default/keys');
  t.like(closed, { state: 'closed', hosts: ['shop.test', 'www.shop.test'], hostCount: 2 });
  t.regex(closed?.reasons[0] ?? '', /^SecretNotFound: Secret default\/keys/);
});

test('of no one in particular: every policy at every target; of a Gateway what all of its requests meet', async (t) => {
  t.context.build(...world);
  const all = (await list(t.context, '')).map(text);
  for (const line of [
    'edge edge/* *: gateway jwt of edge inForce',
    'edge shop/orders *: rule apiKeys of late conflicted by keys',
    '- nothing/* *: null null of lost unattached',
  ])
    t.true(all.includes(line), `${line} is not in\n${all.join('\n')}`);
  t.deepEqual((await list(t.context, 'namespace=elsewhere')).length, 0);
  t.deepEqual((await list(t.context, 'target=Gateway/default/edge')).map(text), [
    'edge edge/* *: gateway clientIPs of edge inForce',
    'edge edge/* *: gateway jwt of edge inForce',
  ]);
  t.deepEqual(
    (await list(t.context, 'target=HTTPRoute/default/shop')).map(text),
    (await list(t.context, 'route=HTTPRoute/default/shop')).map(text),
  );
});

test('what is asked for wrongly is said', async (t) => {
  t.context.build(...world);
  for (const [query, status, code] of [
    ['route=HTTPRoute/default/shop&policy=default/edge', 400, 'query_invalid'],
    ['target=Gateway/default/edge&policy=default/edge', 400, 'query_invalid'],
    ['target=Gateway/default/none', 404, 'resource_not_found'],
    ['target=Service/default/web', 404, 'route_not_found'],
    ['route=HTTPRoute/default/none', 404, 'route_not_found'],
    ['route=shop', 404, 'route_not_found'],
    ['policy=default/none', 404, 'resource_not_found'],
    ['policy=default/edge&part=nothing', 400, 'query_invalid'],
  ] as const) {
    const response = await t.context.layout1(`/v1/access?${query}`);
    t.is(response.status, status, query);
    t.is(((await response.json()) as { error: { code: string } }).error?.code, code, query);
  }
});

test('route-test says of each part what it does with the request, and why', async (t) => {
  t.context.build(...world);
  const now = Math.floor(t.context.now.getTime() / 1_000);
  const orders = { host: 'shop.test', path: '/orders', from: '192.0.2.1' };
  const token = staff.token({ iss: 'https://id.test', aud: 'api', exp: now + 600 });
  const good = await ask(t.context, { ...orders, token, headers: { 'x-key': 'sk-planted' } });
  t.like(good, { outcome: 'forward', status: null });
  t.deepEqual(
    good.access?.parts.map(({ part, level, policy: of, verdict, reason }) => [part, level, of?.name, verdict, reason]),
    [
      ['clientIPs', 'gateway', 'edge', 'passes', '192.0.2.1 is not in deny'],
      ['apiKeys', 'rule', 'keys', 'passes', 'the key in header x-key is of client ann'],
      ['jwt', 'gateway', 'edge', 'passes', 'the token in header authorization is of provider default/edge/staff'],
    ],
  );
  const without = await ask(t.context, { ...orders, headers: { 'x-key': 'sk-no' } });
  t.like(without, {
    outcome: 'denied',
    status: 401,
    reason: 'apiKeys of AccessPolicy default/keys: the key in header x-key is not known',
    route: { name: 'shop', rule: 1 },
  });
  t.deepEqual(
    without.access?.parts.map(({ verdict, reached }) => [verdict, reached]),
    [
      ['passes', true],
      ['denies', true],
      ['denies', false],
    ],
  );
  const late = staff.token({ iss: 'https://id.test', aud: 'api', exp: now - 180 });
  const expired = await ask(t.context, { ...orders, token: late, headers: { 'x-key': 'sk-planted' } });
  t.like(expired, { status: 401, reason: 'jwt of AccessPolicy default/edge: token expired 3 min ago' });
  const shop = staff.token({ iss: 'https://id.test', aud: 'shop' });
  const audience = await ask(t.context, { ...orders, token: shop, headers: { 'x-key': 'sk-planted' } });
  t.like(audience, { status: 403, reason: 'jwt of AccessPolicy default/edge: audience api wanted, "shop" found' });
  const health = await ask(t.context, { host: 'shop.test', path: '/health', from: '10.9.1.1' });
  t.like(health, { status: 403, reason: 'clientIPs of AccessPolicy default/edge: 10.9.1.1 is in deny 10.9.0.0/16' });
  t.like(health.access?.parts[1], { part: 'jwt', verdict: 'overridden', reason: 'overridden by default/health' });
  const unsaid = await ask(t.context, { host: 'shop.test', path: '/health' });
  t.like(unsaid, { outcome: 'forward', access: { verdict: 'unknown', status: null } });
  t.regex(unsaid.hints[0] ?? '', /clientIPs: the client's address was not said/);
  const nowhere = await ask(t.context, { host: 'none.test', from: '192.0.2.1' });
  t.like(nowhere, { outcome: 'denied', status: 401, route: null });
});

test('route-test says what closes a route', async (t) => {
  t.context.build(...world.filter((object) => object.kind !== 'Secret'));
  const answer = await ask(t.context, { host: 'shop.test', path: '/orders', from: '192.0.2.1' });
  t.like(answer, { outcome: 'denied', status: 500 });
  t.regex(answer.reason, /apiKeys of AccessPolicy default\/keys: SecretNotFound: Secret default\/keys/);
});

test('the topology has policies and what they are for, also around one of them', async (t) => {
  t.context.build(...world);
  const read = async (query: string) =>
    schemas.topology.parse(await (await t.context.layout1(`/v1/topology${query}`)).json());
  const { nodes, edges } = await read('');
  t.like(
    nodes.find(({ id }) => id === 'policy/accesspolicy/default/edge'),
    { type: 'policy', status: 'healthy' },
  );
  t.deepEqual(
    edges
      .filter(({ type }) => type === 'apply')
      .map(({ source, target }) => `${source} ${target}`)
      .sort(),
    [
      'policy/accesspolicy/default/edge gateway/default/edge',
      'policy/accesspolicy/default/health route/httproute/default/shop',
      'policy/accesspolicy/default/keys route/httproute/default/shop',
      'policy/accesspolicy/default/late route/httproute/default/shop',
      'policy/accesspolicy/default/lost route/httproute/default/open',
    ],
  );
  const late = nodes.find(({ id }) => id === 'policy/accesspolicy/default/late');
  t.like(late, { status: 'failed' });
  t.regex(late?.detail ?? '', /has apiKeys of the older AccessPolicy default\/keys/);
  const around = await read('?gateway=edge');
  t.true(around.nodes.some(({ id }) => id === 'policy/accesspolicy/default/keys'));
});

test('Envoy\u2019s words for its own answers are explained, with what they say behind', async (t) => {
  for (const [code, named] of [
    ['rbac_access_denied_matched_policy[none]', 'rbac_access_denied_matched_policy'],
    ['jwt_authn_access_denied{Jwt_is_expired}', 'jwt_authn_access_denied'],
    ['ext_authz_denied', 'ext_authz_denied'],
    ['csrf_origin_mismatch', 'csrf_origin_mismatch'],
  ] as const) {
    const response = await t.context.layout1(`/v1/explain/${encodeURIComponent(code)}`);
    t.is(response.status, 200, code);
    t.like(schemas.explanation.parse(await response.json()), { code: named, kind: 'detail' });
  }
});
