import anyTest, { type TestFn } from 'ava';
import { trafficPolicyEntry } from '../../src/admin/traffic-policies/record.ts';
import { startAdmin, type TestAdmin } from '../support/admin.ts';
import * as schemas from '../support/layout1-schemas.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, ownObject, service } from '../support/objects.ts';

const test = anyTest as TestFn<TestAdmin>;

test.beforeEach(async (t) => {
  t.context = await startAdmin();
});
test.afterEach.always((t) => t.context.close());

const policy = (name: string, target: object, spec: object, created = '2026-01-01') =>
  ownObject(
    'TrafficPolicy',
    name,
    { targetRefs: [{ group: 'gateway.networking.k8s.io', ...target }], ...spec },
    { created: `${created}T00:00:00Z` },
  );

const timeouts = { request: '9s' };
const world = [
  gatewayClass(),
  gateway('edge', [{}]),
  service('web'),
  endpointSlice('web', ['10.0.0.1']),
  httpRoute('shop', {
    hostnames: ['shop.test'],
    rules: [
      {
        name: 'slow',
        matches: [{ path: { type: 'PathPrefix', value: '/slow' } }],
        backendRefs: [{ name: 'web', port: 80 }],
      },
      { backendRefs: [{ name: 'web', port: 80 }] },
    ],
  }),
  policy('all', { kind: 'Gateway', name: 'edge' }, { timeouts, retry: { attempts: 1 } }),
  policy('late', { kind: 'Gateway', name: 'edge' }, { timeouts: { request: '1s' } }, '2026-02-01'),
  policy('slow', { kind: 'HTTPRoute', name: 'shop', sectionName: 'slow' }, { timeouts: { request: '0s' } }),
  policy('plain', { kind: 'HTTPRoute', name: 'shop' }, { disabled: ['retry'] }),
] as const;

async function entriesAt(admin: TestAdmin, query: string): Promise<string[]> {
  const response = await admin.layout1(`/v1/traffic-policies${query}`);
  const entries = trafficPolicyEntry.array().parse(await response.json());
  return entries.map(({ target, rule, level, group, policy: { name }, state, by, value }) =>
    [`${target.kind}${rule ?? ''}`, level, group, name, state, by?.name ?? '', JSON.stringify(value)].join(' '),
  );
}

const atRule = [
  'HTTPRoute0 gateway retry all overridden plain {"attempts":1}',
  'HTTPRoute0 gateway timeouts all overridden slow {"request":"9s"}',
  'HTTPRoute0 gateway timeouts late conflicted all {"request":"1s"}',
  'HTTPRoute0 route retry plain disabled  null',
  'HTTPRoute0 rule timeouts slow inForce  {"request":"0s"}',
];

test('the list says which policy holds at a route and at a Gateway, and whose place others take', async (t) => {
  t.context.build(...world);
  const route = await entriesAt(t.context, '?target=httproute/default/shop');
  t.deepEqual(route.filter((line) => line.startsWith('HTTPRoute0')).sort(), atRule);
  t.true(route.includes('HTTPRoute1 gateway timeouts all inForce  {"request":"9s"}'));
  const all = await entriesAt(t.context, '');
  t.deepEqual(all.filter((line) => line.startsWith('Gateway')).sort(), [
    'Gateway gateway retry all inForce  {"attempts":1}',
    'Gateway gateway timeouts all inForce  {"request":"9s"}',
    'Gateway gateway timeouts late conflicted all {"request":"1s"}',
  ]);
  t.is((await t.context.layout1('/v1/traffic-policies?target=Gateway/default/none')).status, 404);
});

test('route-test says where a rule speaks for itself, and where a policy overrides that', async (t) => {
  const route = httpRoute('own', {
    hostnames: ['own.test'],
    rules: [
      {
        timeouts: { request: '7s', backendRequest: '2s' },
        retry: { attempts: 3 },
        matches: [{ path: { type: 'PathPrefix', value: '/both' } }],
        backendRefs: [{ name: 'web', port: 80 }],
      },
      { timeouts: { request: '7s', backendRequest: '2s' }, backendRefs: [{ name: 'web', port: 80 }] },
    ],
  } as never);
  const above = { timeouts: { request: '9s', streamIdle: '1m' }, retry: { attempts: 1, perTry: '1s' } };
  const held = async (path: string) => {
    const response = await t.context.layout1('/v1/route-test', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ host: 'own.test', path }),
    });
    const { policies } = schemas.routeTest.parse(await response.json());
    return policies.map(({ group, value, from, overrides }) =>
      [group, JSON.stringify(value), from.kind, from.name, ...overrides.map(({ name }) => name)].join(' '),
    );
  };
  t.context.build(...world, route, policy('all', { kind: 'Gateway', name: 'edge' }, above));
  t.deepEqual(await held('/both'), [
    'retry {"attempts":3} HTTPRoute own all',
    'timeouts {"request":"7s","streamIdle":"1m"} TrafficPolicy all late',
  ]);
  t.deepEqual(await held('/'), [
    'retry {"attempts":1} TrafficPolicy all',
    'timeouts {"request":"7s","streamIdle":"1m"} TrafficPolicy all late',
  ]);
  t.context.build(policy('all', { kind: 'Gateway', name: 'edge' }, { timeouts: { request: '9s' } }));
  t.deepEqual(await held('/'), ['timeouts {"request":"7s"} HTTPRoute own late all']);
  t.context.build(policy('all', { kind: 'Gateway', name: 'edge' }, { ...above, mode: 'Override' }));
  t.deepEqual(await held('/both'), [
    'retry {"attempts":1,"perTry":"1s"} TrafficPolicy all',
    'timeouts {"request":"9s","streamIdle":"1m"} TrafficPolicy all late',
  ]);
});

test('route-test says what holds for a request, from where, and what it takes the place of', async (t) => {
  t.context.build(...world);
  const response = await t.context.layout1('/v1/route-test', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ host: 'shop.test', path: '/slow' }),
  });
  const { policies } = schemas.routeTest.parse(await response.json());
  const named = (name: string) => ({ namespace: 'default', name });
  t.deepEqual(policies, [
    {
      group: 'retry',
      value: null,
      from: { kind: 'TrafficPolicy', ...named('plain'), level: 'route' },
      overrides: [named('all')],
    },
    {
      group: 'timeouts',
      value: { request: '0s' },
      from: { kind: 'TrafficPolicy', ...named('slow'), level: 'rule' },
      overrides: [named('all'), named('late')],
    },
  ]);
});
