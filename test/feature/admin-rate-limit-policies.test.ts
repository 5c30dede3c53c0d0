import anyTest, { type TestFn } from 'ava';
import { rateLimitPolicyEntry } from '../../src/admin/rate-limit-policies/record.ts';
import { startAdmin, type TestAdmin } from '../support/admin.ts';
import * as schemas from '../support/layout1-schemas.ts';
import {
  endpointSlice,
  gateway,
  gatewayClass,
  httpRoute,
  listenerSet,
  ownObject,
  service,
} from '../support/objects.ts';

const test = anyTest as TestFn<TestAdmin>;

test.beforeEach(async (t) => {
  t.context = await startAdmin();
});
test.afterEach.always((t) => t.context.close());

const policy = (name: string, target: object, buckets: readonly object[], more: object = {}, created = '2026-01-01') =>
  ownObject(
    'RateLimitPolicy',
    name,
    { targetRefs: [{ group: 'gateway.networking.k8s.io', ...target }], buckets, ...more },
    { created: `${created}T00:00:00Z` },
  );

const bucket = (name: string, per = '1m', more: object = {}) => ({ name, limits: [{ requests: 5, per }], ...more });
const login = { methods: ['POST'], path: { value: '/login' } };
const toWeb = { backendRefs: [{ name: 'web', port: 80 }] };

const world = [
  gatewayClass(),
  gateway('edge', [{ name: 'http' }, { name: 'wild', hostname: '*.wild.test' }], {
    allowedListeners: { namespaces: { from: 'Same' } },
  }),
  listenerSet('more.sets', [{ name: 'own', port: 81, protocol: 'HTTP' }]),
  service('web'),
  endpointSlice('web', ['10.0.0.1']),
  httpRoute('shop', {
    parentRefs: [{ name: 'edge' }, { group: 'gateway.networking.k8s.io', kind: 'ListenerSet', name: 'more.sets' }],
    hostnames: ['shop.test', 'shop.wild.test'],
    rules: [{ name: 'slow', matches: [{ path: { type: 'PathPrefix', value: '/slow' } }], ...toWeb }, toWeb],
  }),
  policy('all', { kind: 'Gateway', name: 'edge' }, [bucket('every')]),
  policy('late', { kind: 'Gateway', name: 'edge' }, [bucket('second')], { onLimit: 'Shadow' }, '2026-02-01'),
  policy('wild', { kind: 'Gateway', name: 'edge', sectionName: 'wild' }, [bucket('wild')]),
  policy('set', { kind: 'ListenerSet', name: 'more.sets' }, [bucket('set')], { counting: 'Shared' }),
  policy('shop', { kind: 'HTTPRoute', name: 'shop' }, [
    bucket('logins', '1m', { match: login, key: [{ type: 'Header', name: 'X-User' }] }),
    bucket('bad', 'soon'),
  ]),
  policy('slow', { kind: 'HTTPRoute', name: 'shop', sectionName: 'slow' }, [bucket('slow')], { phase: 'BeforeAuth' }),
] as const;

async function entriesAt(admin: TestAdmin, query: string): Promise<string[]> {
  const response = await admin.layout1(`/v1/rate-limit-policies${query}`);
  const entries = rateLimitPolicyEntry.array().parse(await response.json());
  return entries.map(({ target: { kind }, section, rule, level, policy: { name }, ...rest }) =>
    [`${kind}${section ?? rule ?? ''}`, level, name, rest.bucket, rest.phase, rest.state].join(' '),
  );
}

test('the list has the buckets of a route, a Gateway and a ListenerSet in order, and says what is left out', async (t) => {
  t.context.build(...world);
  const route = await entriesAt(t.context, '?target=httproute/default/shop');
  t.deepEqual(
    route.filter((line) => line.startsWith('HTTPRoute0')),
    [
      'HTTPRoute0 rule slow slow beforeAuth inForce',
      'HTTPRoute0 gateway all every afterAuth inForce',
      'HTTPRoute0 gateway late second afterAuth shadow',
      'HTTPRoute0 listenerSet set set afterAuth inForce',
      'HTTPRoute0 listener wild wild afterAuth inForce',
      'HTTPRoute0 route shop logins afterAuth inForce',
      'HTTPRoute0 route shop bad afterAuth leftOut',
    ],
  );
  t.deepEqual(await entriesAt(t.context, '?target=Gateway/default/edge'), [
    'Gateway gateway all every afterAuth inForce',
    'Gateway gateway late second afterAuth shadow',
    'Gatewaywild listener wild wild afterAuth inForce',
  ]);
  t.deepEqual(await entriesAt(t.context, '?target=ListenerSet/default/more.sets'), [
    'ListenerSet gateway all every afterAuth inForce',
    'ListenerSet gateway late second afterAuth shadow',
    'ListenerSet listenerSet set set afterAuth inForce',
  ]);
  t.true((await entriesAt(t.context, '?state=leftOut')).every((line) => line.includes(' bad ')));
  const response = await t.context.layout1('/v1/rate-limit-policies?target=HTTPRoute/default/shop&state=leftOut');
  const [left] = rateLimitPolicyEntry.array().parse(await response.json());
  t.regex(left?.message ?? '', /bucket bad is left out: "soon" is not a duration/);
  t.is((await t.context.layout1('/v1/rate-limit-policies?target=Gateway/default/none')).status, 404);
  t.is((await t.context.layout1('/v1/rate-limit-policies?target=HTTPRoute/default/none')).status, 404);
});

async function limitsOf(admin: TestAdmin, request: object) {
  const response = await admin.layout1('/v1/route-test', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  return schemas.routeTest.parse(await response.json()).limits;
}

const names = (limits: Awaited<ReturnType<typeof limitsOf>>) => limits.map((each) => each.bucket);

test('route-test says what a request counts against: of its own listener, route and rule alone', async (t) => {
  t.context.build(...world);
  const limits = await limitsOf(t.context, { host: 'shop.test', path: '/login', port: 80 });
  t.deepEqual(names(limits), ['every', 'second', 'logins']);
  t.deepEqual(limits[2], {
    bucket: 'logins',
    level: 'route',
    policy: { namespace: 'default', name: 'shop' },
    phase: 'afterAuth',
    match: login,
    key: [{ kind: 'header', name: 'x-user' }],
    limits: [{ requests: 5, perMs: 60_000, burst: 5 }],
    concurrent: null,
    cost: null,
    responseCost: null,
    service: null,
    counting: 'proxy',
    shadow: false,
    status: 429,
  });
  const slow = await limitsOf(t.context, { host: 'shop.wild.test', path: '/slow', port: 80 });
  t.deepEqual(names(slow), ['slow', 'every', 'second', 'wild', 'logins']);
  const ofSet = await limitsOf(t.context, { host: 'shop.test', path: '/', port: 81 });
  t.deepEqual(
    ofSet.map(({ counting }) => counting),
    ['proxy', 'proxy', 'shared', 'proxy'],
  );
  t.deepEqual(names(ofSet), ['every', 'second', 'set', 'logins']);
  const noRoute = await limitsOf(t.context, { host: 'x.wild.test', path: '/', port: 80 });
  t.deepEqual(names(noRoute), ['every', 'second', 'wild']);
});
