import http, { type IncomingHttpHeaders } from 'node:http';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { runCommand } from '../support/command.ts';
import { writeListeners } from '../support/listeners-world.ts';
import { thorough } from '../support/repetitions.ts';
import { gatewayObjects, routeObject, type Standalone, startStandalone, untilCurrent } from '../support/standalone.ts';
import { startTrafficWorld, trafficPolicy, waitingObjects } from '../support/traffic-world.ts';
import { until } from '../support/until.ts';

/*
 * What RateLimitPolicies let through, of the running program. Windows are of an hour: no bucket fills while a test runs. Each test has hosts of its
 * own, and all policies are there from the start: a change of one fills the buckets of the listener again.
 */

const test = anyTest as TestFn<Standalone>;

interface Target {
  readonly kind: string;
  readonly name: string;
  readonly sectionName?: string;
}

const policy = (name: string, target: Target, buckets: readonly object[], more: object = {}): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'RateLimitPolicy',
  metadata: { name },
  spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', ...target }], buckets, ...more },
});

const hourly = (requests: number, more: object = {}) => ({ requests, per: '1h', ...more });
const route = (name: string, sectionName?: string): Target => ({
  kind: 'HTTPRoute',
  name,
  ...(sectionName && { sectionName }),
});
const toWeb = { backendRefs: [{ name: 'web', port: 80 }] };
const hosts = (name: string, hostnames: readonly string[], rules: readonly object[] = [toWeb]): object => ({
  ...(routeObject(name, '', rules) as object),
  spec: { parentRefs: [{ name: 'edge' }], hostnames, rules },
});
/** A host that has a scope of its own, and one that is found by a wildcard. */
const both = (name: string, rules?: readonly object[]) => hosts(name, [`${name}.test`, `*.${name}.late.test`], rules);

const keyed = {
  'by-ip': { key: [{ type: 'ClientIP' }] },
  'by-header': { key: [{ type: 'Header', name: 'X-User' }] },
  'by-cookie': { key: [{ type: 'Cookie', name: 'sid' }] },
  'by-query': { key: [{ type: 'QueryParam', name: 'q' }] },
  'by-method': { key: [{ type: 'Method' }] },
  'by-path': { key: [{ type: 'Path' }] },
  'by-host': { key: [{ type: 'Host' }] },
  'by-two': { key: [{ type: 'Header', name: 'x-user' }, { type: 'Method' }] },
  exempting: { key: [{ type: 'Header', name: 'x-user' }], absent: 'Exempt' },
  'matched-path': { match: { path: { value: '/login' } } },
  'matched-exact': { match: { path: { type: 'Exact', value: '/a.b' } } },
  'matched-method': { match: { methods: ['POST', 'PUT'] } },
  'matched-header': {
    match: {
      headers: [
        { name: 'X-Plan', value: 'free' },
        { name: 'x-there', type: 'Present' },
      ],
    },
  },
  'matched-query': { match: { queryParams: [{ name: 'q', value: '1' }] } },
  'matched-out': { match: { clientCIDRs: { exclude: ['127.0.0.0/8'] } } },
  'matched-in': { match: { clientCIDRs: { include: ['127.0.0.0/8'], exclude: ['127.0.0.9/32'] } } },
};

/** What a request of these buckets takes of the four that they hold. */
const costs = {
  'cost-fixed': { request: { number: 2 } },
  'cost-header': { request: { fromHeader: { name: 'X-Cost', max: 3 } } },
  'cost-default': { request: { fromHeader: { name: 'x-cost', default: 2 } } },
};
const cost = (value: string): Asked => ({ headers: { 'x-cost': value } });

const wildGateway = { kind: 'Gateway', name: 'edge', sectionName: 'wild' };

test.before(async (t) => {
  t.timeout(600_000);
  t.context = await startStandalone();
  writeListeners(t.context);
  const { write, backend } = t.context;
  const rules = [
    { name: 'search', matches: [{ path: { value: '/search' } }], ...toWeb },
    { name: 'rest', ...toWeb },
  ];
  write(
    'web.yaml',
    ...(await backend('web')),
    ...[...Object.keys(keyed), ...Object.keys(costs)].map((name) => both(name)),
    both('shared'),
    both('rules', rules),
    both('levels', rules),
    both('windows'),
    both('burst'),
    both('plain'),
    both('shadow'),
    both('headers'),
    both('status'),
    both('early'),
    both('redirect', [{ filters: [{ type: 'RequestRedirect', requestRedirect: { hostname: 'elsewhere.test' } }] }]),
    both('bad'),
    hosts('wild', ['a.wild.test', '*.wild.test']),
    {
      ...(routeObject('team', '', [toWeb]) as object),
      spec: { parentRefs: [{ kind: 'ListenerSet', name: 'team' }], hostnames: ['a.team.test'], rules: [toWeb] },
    },
  );
  write(
    'policies.yaml',
    ...Object.entries(keyed).map(([name, bucket]) =>
      policy(name, route(name), [{ name: 'b', limits: [hourly(1)], ...bucket }]),
    ),
    ...Object.entries(costs).map(([name, cost]) =>
      policy(name, route(name), [{ name: 'b', limits: [hourly(4), hourly(100)], cost }]),
    ),
    policy('shared', route('shared'), [{ name: 'b', limits: [hourly(3)] }]),
    policy('search', route('rules', 'search'), [{ name: 'b', limits: [hourly(1)] }]),
    policy('whole', route('levels'), [{ name: 'b', limits: [hourly(3)] }]),
    policy('also-whole', route('levels'), [{ name: 'b', limits: [hourly(100)] }]),
    policy('part', route('levels', 'search'), [{ name: 'b', limits: [hourly(1)] }]),
    policy('windows', route('windows'), [{ name: 'b', limits: [hourly(100), { requests: 2, per: '90m' }] }]),
    policy('plain', route('plain'), [{ name: 'b', limits: [hourly(1)] }]),
    policy('burst', route('burst'), [{ name: 'b', limits: [hourly(1, { burst: 3 })] }]),
    policy('shadow', route('shadow'), [{ name: 'b', limits: [hourly(1)] }], { onLimit: 'Shadow' }),
    policy('headers', route('headers'), [{ name: 'b', limits: [hourly(2)], headers: 'XRateLimit' }]),
    policy('status', route('status'), [{ name: 'b', limits: [hourly(1)] }], { response: { status: 503 } }),
    policy('early', route('early'), [{ name: 'b', limits: [{ requests: 1, per: '60s' }] }], { phase: 'BeforeAuth' }),
    policy('redirect', route('redirect'), [{ name: 'b', limits: [hourly(1)] }]),
    policy('bad', route('bad'), [
      { name: 'bad', limits: [hourly(1)], match: { clientCIDRs: { include: ['10.0.0.1/8'] } } },
      { name: 'good', limits: [hourly(2)] },
    ]),
    policy('wild', wildGateway, [{ name: 'b', key: [{ type: 'Route' }], limits: [hourly(2)] }]),
    policy('team', { kind: 'ListenerSet', name: 'team' }, [{ name: 'b', limits: [hourly(1)] }]),
    policy('everyone', { kind: 'Gateway', name: 'edge' }, [
      { name: 'b', match: { headers: [{ name: 'x-everyone', value: '1' }] }, limits: [hourly(3)] },
    ]),
    {
      apiVersion: 'gatewright.dev/v1alpha1',
      kind: 'AccessPolicy',
      metadata: { name: 'early' },
      spec: {
        targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'early' }],
        clientIPs: { deny: ['127.0.0.0/8'] },
      },
    },
  );
  const { graph } = t.context.control;
  // A file may be served before the next one is read.
  await until('each of the files to be read', () =>
    (['ListenerSet', 'HTTPRoute', 'RateLimitPolicy'] as const).every((kind) => graph.find(kind, 'default/team')),
  );
  await untilCurrent(t.context);
  await until('a request to be served', async () => (await ask(t.context, 'matched-out.test')).status === 200);
});
test.after.always((t) => t.context.stop());

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function ask(
  { port }: Standalone,
  host: string,
  { path = '/', method = 'GET', headers = {} }: Asked = {},
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      { host: '127.0.0.1', port, path, method, headers: { host, ...headers }, agent: false },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      },
    );
    request.once('error', reject).end();
  });
}

/** The statuses that requests get, one after the other. */
async function statuses(t: ExecutionContext<Standalone>, host: string, ...asked: readonly Asked[]): Promise<number[]> {
  const got: number[] = [];
  for (const each of asked) got.push((await ask(t.context, host, each)).status);
  return got;
}

const user = (name: string): Asked => ({ headers: { 'x-user': name } });

const tables: readonly (readonly [name: string, asked: readonly Asked[], expected: readonly number[]])[] = [
  ['by-ip', [{}, {}], [200, 429]],
  ['by-header', [user('a'), user('b'), user('a'), {}, {}], [200, 200, 429, 200, 429]],
  [
    'by-cookie',
    [{ headers: { cookie: 'x=1; sid=a' } }, { headers: { cookie: 'sid=b' } }, { headers: { cookie: 'sid=a' } }, {}, {}],
    [200, 200, 429, 200, 429],
  ],
  ['by-query', [{ path: '/?q=a' }, { path: '/?q=b' }, { path: '/x?y=1&q=a' }, {}, {}], [200, 200, 429, 200, 429]],
  ['by-method', [{}, { method: 'POST' }, {}, { method: 'POST' }], [200, 200, 429, 429]],
  ['by-path', [{ path: '/a' }, { path: '/b' }, { path: '/a?x=1' }], [200, 200, 429]],
  ['by-two', [user('a'), { ...user('a'), method: 'PUT' }, user('a'), {}], [200, 200, 429, 200]],
  ['cost-fixed', [{}, {}, {}], [200, 200, 429]],
  ['cost-header', [cost('2'), cost('3'), cost('2'), {}, cost('0')], [200, 429, 200, 429, 429]],
  ['cost-default', [cost('1'), {}, {}, cost('x'), cost('1'), cost('1')], [200, 200, 429, 429, 200, 429]],
  ['exempting', [user('a'), user('a'), {}, {}], [200, 429, 200, 200]],
  [
    'matched-path',
    [{ path: '/login' }, { path: '/login/x?y=1' }, { path: '/login;v=1' }, { path: '/loginx' }, {}],
    [200, 429, 429, 200, 200],
  ],
  ['matched-exact', [{ path: '/a.b?x' }, { path: '/a.b' }, { path: '/axb' }, { path: '/a.b/c' }], [200, 429, 200, 200]],
  ['matched-method', [{ method: 'POST' }, { method: 'PUT' }, {}, {}], [200, 429, 200, 200]],
  [
    'matched-header',
    [
      { headers: { 'x-plan': 'free', 'x-there': '' } },
      { headers: { 'x-plan': 'free', 'x-there': '1' } },
      { headers: { 'x-plan': 'free' } },
      { headers: { 'x-plan': 'paid', 'x-there': '1' } },
    ],
    [200, 429, 200, 200],
  ],
  ['matched-query', [{ path: '/?q=1' }, { path: '/?a=2&q=1' }, { path: '/?q=2' }, {}], [200, 429, 200, 200]],
  ['matched-out', [{}, {}], [200, 200]],
  ['matched-in', [{}, {}], [200, 429]],
  ['windows', [{}, {}, {}], [200, 200, 429]],
  ['burst', [{}, {}, {}, {}], [200, 200, 200, 429]],
  ['shared', [{}, {}, {}, {}], [200, 200, 200, 429]],
  ['rules', [{ path: '/search' }, { path: '/search' }, {}, {}], [200, 429, 200, 200]],
  ['levels', [{ path: '/search' }, { path: '/search' }, {}, {}], [200, 429, 200, 429]],
  ['status', [{}, {}], [200, 503]],
  ['early', [{}, {}], [403, 429]],
  ['redirect', [{}, {}], [302, 429]],
  ['bad', [{}, {}, {}], [200, 200, 429]],
];

/** Each bucket is that of its route, whichever of its hosts is asked: so one of the two is found to be empty already, where requests are alike. */
for (const [name, asked, expected] of tables) {
  test(`a limit holds on an exact host: ${name}`, async (t) => {
    t.deepEqual(await statuses(t, `${name}.test`, ...asked), [...expected]);
    const late = await statuses(t, `x.${name}.late.test`, ...asked);
    const counted = expected.flatMap((status, at) => (expected.includes(429) || status === 503 ? at : []));
    t.true(
      counted.every((at) => late[at] === expected[at] || late[at] === 429 || late[at] === 503),
      `late: ${late}`,
    );
    const limited = expected.findLastIndex((status) => status === 429 || status === 503);
    if (limited >= 0) t.is(late[limited], expected[limited], 'the host that is found late shares the bucket');
  });
}

test('hosts are compared in one spelling', async (t) => {
  const { port } = t.context;
  const got: number[] = [];
  for (const host of [
    'by-host.test',
    'BY-HOST.test',
    `by-host.test:${port}`,
    'a.by-host.late.test',
    'A.by-host.late.test',
  ])
    got.push((await ask(t.context, host)).status);
  t.deepEqual(got, [200, 429, 429, 200, 429]);
});

test('what only would be over the limit comes through', async (t) => {
  t.deepEqual(await statuses(t, 'shadow.test', {}, {}), [200, 200]);
  t.deepEqual(await statuses(t, 'x.shadow.late.test', {}), [200]);
});

test('answers say how much is left where a bucket asks for it, and when to come again always', async (t) => {
  const first = await ask(t.context, 'x.headers.late.test');
  t.is(first.headers['x-ratelimit-limit'] ?? '', '2', JSON.stringify(first));
  const other = await ask(t.context, 'plain.test');
  t.is(other.headers['x-ratelimit-limit'], undefined);
  const rejected = await ask(t.context, 'plain.test');
  t.is(rejected.status, 429);
  t.regex(String(rejected.headers['retry-after']), /^\d+$/);
  t.deepEqual(
    Object.keys(rejected.headers).filter((name) => name.startsWith('x-')),
    [],
  );
});

test('a listener, a ListenerSet and a Gateway count what is theirs', async (t) => {
  t.deepEqual(await statuses(t, 'a.wild.test', {}, {}, {}), [200, 200, 429]);
  t.is((await ask(t.context, 'b.wild.test')).status, 429);
  t.deepEqual(await statuses(t, 'a.team.test', {}, {}), [200, 429]);
  t.deepEqual(await statuses(t, 'b.team.test', {}), [429]);
  const everyone = { headers: { 'x-everyone': '1' } };
  const at = ['matched-out.test', 'a.matched-out.late.test', 'none.test', 'matched-out.test', 'none.test'];
  const got: number[] = [];
  for (const host of at) got.push((await ask(t.context, host, everyone)).status);
  t.deepEqual(got, [200, 200, 404, 429, 429]);
  const errors = t.context.log.filter(({ level, component }) => level === 'error' && component === 'envoy');
  t.deepEqual(errors, [], 'what a listener has says nothing about requests of others');
});

thorough(test)(
  'a listener and a Gateway count what is theirs where requests wait, in both phases and for all proxies',
  async (t) => {
    t.timeout(600_000);
    const world = await startTrafficWorld(t, undefined, { 'waits.yaml': waitingObjects() });
    const [gatewayClass, edge] = gatewayObjects(world.port) as [object, { spec: object }];
    const listeners = [
      { name: 'http', port: world.port, protocol: 'HTTP' },
      { name: 'wild', port: world.port, protocol: 'HTTP', hostname: '*.w.test' },
    ];
    world.write('gateway.yaml', gatewayClass, { ...edge, spec: { ...edge.spec, listeners } });
    const marked = (name: string) => [
      { name: 'b', match: { headers: [{ name: 'x-for', value: name }] }, limits: [{ requests: 2, per: '60s' }] },
    ];
    const gateway = { kind: 'Gateway', name: 'edge' };
    const levels = { wild: wildGateway, all: gateway };
    const ways = { late: {}, early: { phase: 'BeforeAuth' }, shared: { counting: 'Shared' } };
    const policies = Object.entries(levels).flatMap(([level, target]) =>
      Object.entries(ways).map(([way, more]) => policy(`${level}-${way}`, target, marked(`${level}-${way}`), more)),
    );
    await world.rule(...(policies as { readonly metadata: { readonly name: string } }[]));
    const statusesOf = async (host: string, name: string) => {
      const got: number[] = [];
      for (let turn = 0; turn < 4; turn += 1) got.push((await world.ask(host, { headers: { 'x-for': name } })).status);
      return got;
    };
    for (const way of Object.keys(ways)) {
      t.deepEqual(await statusesOf('a.test', `wild-${way}`), [200, 200, 200, 200], way);
      t.deepEqual(await statusesOf('x.w.test', `wild-${way}`), [200, 200, 429, 429], way);
      t.deepEqual(await statusesOf('n.test', `all-${way}`), [200, 200, 429, 429], way);
    }
  },
);

thorough(test)('addresses of one network are one client, where a bucket says how long its prefix is', async (t) => {
  t.timeout(600_000);
  const world = await startTrafficWorld(t);
  const edge = { kind: 'Gateway', name: 'edge' };
  const behind = { ...trafficPolicy('behind', edge, { clientIP: { trustedHops: 1 } }), kind: 'ListenerPolicy' };
  const rooms = { whole: {}, wide: { v4Prefix: 24, v6Prefix: 48 } };
  const ways = { proxy: {}, shared: { counting: 'Shared' } };
  const marked = (name: string, room: object) => [
    {
      name: 'b',
      match: { headers: [{ name: 'x-for', value: name }] },
      key: [{ type: 'ClientIP', ...room }],
      limits: [{ requests: 1, per: '1h' }],
    },
  ];
  const names = Object.keys(rooms).flatMap((room) => Object.keys(ways).map((way) => `${room}-${way}`));
  const policies = Object.entries(rooms).flatMap(([room, prefixes]) =>
    Object.entries(ways).map(([way, more]) =>
      policy(`${room}-${way}`, route('web'), marked(`${room}-${way}`, prefixes), more),
    ),
  );
  await world.rule(...([behind, ...policies] as { readonly metadata: { readonly name: string } }[]));
  const asked: readonly (readonly [address: string, whole: number, wide: number])[] = [
    ['10.1.2.3', 200, 200],
    ['10.1.2.9', 200, 429],
    ['10.1.2.3', 429, 429],
    ['10.1.3.3', 200, 200],
    ['2001:db8:1:2::1', 200, 200],
    ['2001:db8:1:2::2', 429, 429],
    ['2001:db8:1:3::1', 200, 429],
    ['2001:db8:2:2::1', 200, 200],
  ];
  for (const name of names)
    for (const [at, [address, whole, wide]] of asked.entries()) {
      const headers = { 'x-for': name, 'x-forwarded-for': address };
      const { status } = await world.ask(at % 2 === 0 ? 'a.test' : 'x.w.test', { headers });
      t.is(status, name.startsWith('whole') ? whole : wide, `${name} ${address}`);
    }
});

test('backends see nothing of it', async (t) => {
  const { text } = await ask(t.context, 'matched-out.test');
  t.false(text.toLowerCase().includes('x-gw'), text);
  await statuses(t, 'x.by-host.late.test', {});
  const fresh = await ask(t.context, 'fresh.by-host.late.test');
  t.is(fresh.status, 200);
  t.false(fresh.text.toLowerCase().includes('x-gw'), fresh.text);
});

thorough(test)('describe and route-test of the running program say what requests count against', async (t) => {
  const env = { GATEWRIGHT_SERVER: `http://127.0.0.1:${t.context.control.ports.layout1}` };
  const said = await runCommand(['describe', 'httproute/default/levels'], env);
  t.regex(
    said.stdout,
    /at default\/edge, rule search: b 1 per 3600 s, of rule, default\/part\n/,
    said.stdout + said.stderr,
  );
  t.regex(said.stdout, /at default\/edge, rule rest: b 3 per 3600 s, of route, default\/whole\n/);
  const bad = await runCommand(['describe', 'ratelimitpolicy/default/bad'], env);
  t.regex(bad.stdout, /TARGETS\n {2}HTTPRoute bad\n {2}not accepted: Invalid: bucket bad is left out: /);
  const gateway = await runCommand(['describe', 'gateway/default/edge'], env);
  t.regex(gateway.stdout, /at default\/edge, listener wild: /, gateway.stdout + gateway.stderr);
  const tested = await runCommand(['route-test', `levels.test:${t.context.port}/search`], env);
  t.regex(tested.stdout, /\nlimit {4}b 3 per 3600 s, of route, default\/whole\n/, tested.stdout + tested.stderr);
  t.regex(tested.stdout, /\nlimit {4}b 1 per 3600 s, of rule, default\/part\n/);
  const early = await runCommand(['route-test', `early.test:${t.context.port}/`], env);
  t.regex(early.stdout, /\nlimit {4}b 1 per 60 s, of route, default\/early, before access policies\n/);
});
