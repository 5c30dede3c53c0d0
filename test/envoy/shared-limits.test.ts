import http, { type IncomingHttpHeaders } from 'node:http';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import type { DataPlaneAgent } from '../../src/agent/index.ts';
import { startAgent } from '../support/agent-world.ts';
import { endings } from '../support/endings.ts';
import { serviceObjects, startBackend } from '../support/http.ts';
import { thorough } from '../support/repetitions.ts';
import { request } from '../support/request.ts';
import { gatewayObjects, routeObject } from '../support/standalone.ts';
import { TwoProcesses } from '../support/two-processes.ts';
import { until } from '../support/until.ts';

/*
 * Limits that two real proxies share: both listen on one port, and the kernel says which of them gets a connection. Windows are of an hour: no
 * bucket fills while a test runs.
 */

interface World {
  readonly port: number;
  readonly program: TwoProcesses;
  readonly agents: readonly DataPlaneAgent[];
}
const test = anyTest as TestFn<World>;
const ends = endings(test);

const group = 'gateway.networking.k8s.io';
const hourly = (requests: number) => ({ limits: [{ requests, per: '1h' }] });
const policy = (
  name: string,
  bucket: object,
  more: object = {},
  target: object = { kind: 'HTTPRoute', name },
): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'RateLimitPolicy',
  metadata: { name },
  spec: {
    counting: 'Shared',
    targetRefs: [{ group: 'gateway.networking.k8s.io', ...target }],
    buckets: [{ name: 'b', ...bucket }],
    ...more,
  },
});
const toWeb = [{ backendRefs: [{ name: 'web', port: 80 }] }];

const elsewhere = [{ filters: [{ type: 'RequestRedirect', requestRedirect: { hostname: 'elsewhere.test' } }] }];

/** What keys are made of is another when the response comes. */
const rewritten = [
  {
    filters: [
      {
        type: 'URLRewrite',
        urlRewrite: { hostname: 'inner.test', path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/inner' } },
      },
      { type: 'RequestHeaderModifier', requestHeaderModifier: { remove: ['x-user'] } },
    ],
    ...toWeb[0],
  },
];
const rulesOf: Readonly<Record<string, readonly object[]>> = {
  redirect: elsewhere,
  answered: rewritten,
  nested: [{ name: 'inner', matches: [{ path: { value: '/inner' } }], ...toWeb[0] }, ...toWeb],
};

const policies: Readonly<Record<string, object>> = {
  many: policy('many', hourly(40)),
  few: policy('few', hourly(3)),
  flood: policy('flood', hourly(100)),
  redirect: policy('redirect', hourly(1)),
  keyed: policy('keyed', { ...hourly(1), key: [{ type: 'Header', name: 'x-user' }] }),
  cost: policy('cost', { ...hourly(4), cost: { request: { fromHeader: { name: 'X-Cost', max: 3 } } } }),
  answered: policy('answered', {
    ...hourly(10),
    key: [{ type: 'Path' }, { type: 'Host' }, { type: 'Header', name: 'x-user' }],
    match: { path: { value: '/items' } },
    cost: { request: { number: 0 }, response: { fromHeader: { name: 'X-Used' } } },
  }),
  dear: policy('dear', { ...hourly(5), cost: { request: { number: 2 } } }),
  exempt: policy('exempt', { ...hourly(1), key: [{ type: 'Cookie', name: 'sid' }], absent: 'Exempt' }),
  host: policy('host', { ...hourly(1), key: [{ type: 'Host' }, { type: 'Route' }] }),
  matched: policy('matched', { ...hourly(1), match: { path: { value: '/login' }, methods: ['POST'] } }),
  paged: policy('paged', { ...hourly(1), headers: 'RateLimit' }),
  status: policy('status', hourly(1), { response: { status: 403 } }),
  shadow: policy('shadow', hourly(1), { onLimit: 'Shadow' }),
  headers: policy('headers', { ...hourly(2), headers: 'XRateLimit' }),
  draft: policy('draft', {
    limits: [
      { requests: 2, per: '1h' },
      { requests: 100, per: '24h' },
    ],
    headers: 'RateLimit',
  }),
  early: policy('early', { limits: [{ requests: 1, per: '24h' }] }, { phase: 'BeforeAuth' }),
  away: policy('away', { ...hourly(10), key: [{ type: 'Header', name: 'x-user' }] }),
  closed: policy('closed', { ...hourly(1000), key: [{ type: 'Header', name: 'x-user' }] }, { onFailure: 'Reject' }),
};

/** What clients get in place of Envoy's words. */
const page = {
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'TrafficPolicy',
  metadata: { name: 'paged' },
  spec: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'paged' }],
    errorPages: [
      { codes: [429], source: 'Gateway', body: { contentType: 'application/json', inline: '{"slow":"down"}' } },
    ],
  },
};

test.before(async (t) => {
  t.timeout(600_000);
  const port = await freePort();
  const backend = await startBackend(ends, ({ url = '' }, response) => {
    const used = new URL(url, 'http://web').searchParams.get('used');
    response.writeHead(200, used === null ? {} : { 'x-used': used }).end('ok');
  });
  const hosts = Object.keys(policies);
  const program = await TwoProcesses.start(ends, {
    files: {
      'gateway.yaml': gatewayObjects(port),
      'web.yaml': [
        ...serviceObjects('web', [backend.port]),
        ...[...hosts, 'plain', 'one', 'other', 'nested'].map((name) =>
          routeObject(name, `${name}.test`, rulesOf[name] ?? toWeb),
        ),
        {
          ...routeObject('late', '', toWeb),
          spec: { parentRefs: [{ name: 'edge' }], hostnames: ['late.test', '*.late.test'], rules: toWeb },
        },
      ],
      'policies.yaml': [
        ...Object.values(policies),
        page,
        policy('late', hourly(3)),
        policy('several', hourly(1), {
          targetRefs: ['one', 'other'].map((name) => ({ group, kind: 'HTTPRoute', name })),
        }),
        policy('nested', hourly(2), {
          targetRefs: [
            { group, kind: 'HTTPRoute', name: 'nested' },
            { group, kind: 'HTTPRoute', name: 'nested', sectionName: 'inner' },
          ],
        }),
        policy('flood-each', hourly(1), { counting: 'Proxy' }, { kind: 'HTTPRoute', name: 'flood' }),
        policy(
          'everyone',
          { ...hourly(2), match: { headers: [{ name: 'x-everyone', value: '1' }] } },
          {},
          { kind: 'Gateway', name: 'edge' },
        ),
        {
          apiVersion: 'gatewright.dev/v1alpha1',
          kind: 'AccessPolicy',
          metadata: { name: 'early' },
          spec: {
            targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'early' }],
            clientIPs: { deny: ['127.0.0.0/8'] },
          },
        },
      ],
    },
    controlPlane: { backends: { allowedAddresses: ['127.0.0.1/32'] } },
    dataPlane: {},
  });
  const agents = [];
  for (const nodeId of ['one', 'two'])
    agents.push(
      await startAgent(ends, `127.0.0.1:${program.xdsPort}`, {
        nodeId,
        cluster: 'default/edge',
        reusePort: true,
        limitPatienceMs: 4000,
      }),
    );
  for (const agent of agents) await agent.ready(AbortSignal.timeout(600_000));
  t.context = { port, program, agents };
});

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function ask({ port }: World, host: string, { path = '/', method = 'GET', headers = {} }: Asked = {}) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
    http
      .request({ host: '127.0.0.1', port, path, method, headers: { host, ...headers }, agent: false }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      })
      .once('error', reject)
      .end();
  });
}

async function statuses(t: ExecutionContext<World>, host: string, ...asked: readonly Asked[]): Promise<number[]> {
  const got: number[] = [];
  for (const each of asked) got.push((await ask(t.context, host, each)).status);
  return got;
}

const cost = (value: string): Asked => ({ headers: { 'x-cost': value } });
const user = (name: string): Asked => ({ headers: { 'x-user': name } });
const none = Array.from({ length: 5 }, () => ({}));

test.serial('two proxies let through what one limit has, and no more', async (t) => {
  let [passed, asked] = [0, 0];
  await until('all of it to be let through', async () => {
    const got = await Promise.all(Array.from({ length: 8 }, () => ask(t.context, 'many.test')));
    asked += got.length;
    passed += got.filter(({ status }) => status === 200).length;
    t.true(got.every(({ status }) => status === 200 || status === 429));
    return passed >= 40;
  });
  t.is(passed, 40, `of ${asked}`);
  t.deepEqual(await statuses(t, 'many.test', ...none), [429, 429, 429, 429, 429]);
  for (const agent of t.context.agents) {
    const metrics = await (await request(`http://127.0.0.1:${agent.adminPort}/api/v1/metrics`)).text();
    t.regex(metrics, /shared_limit_requests_total\{bucket="default\/many\/b",outcome="passed"\} [1-9]/);
    t.regex(metrics, /shared_limit_leased_total [1-9]/);
  }
});

thorough(test.serial)('rejected clients get the page that a TrafficPolicy has for them', async (t) => {
  await ask(t.context, 'paged.test');
  const { status, headers, text } = await ask(t.context, 'paged.test');
  t.deepEqual([status, headers['content-type'], text], [429, 'application/json', '{"slow":"down"}']);
});

const tables: readonly (readonly [name: string, asked: readonly Asked[], expected: readonly number[]])[] = [
  ['few', none, [200, 200, 200, 429, 429]],
  ['keyed', [user('a'), user('b'), user('a'), {}, {}], [200, 200, 429, 200, 429]],
  ['cost', [cost('2'), cost('3'), cost('2'), {}, cost('0')], [200, 429, 200, 429, 429]],
  ['dear', none, [200, 200, 429, 429, 429]],
  ['exempt', [{ headers: { cookie: 'sid=a' } }, { headers: { cookie: 'x=1; sid=a' } }, {}, {}], [200, 429, 200, 200]],
  [
    'matched',
    [{ path: '/login', method: 'POST' }, { path: '/login;a=1', method: 'POST' }, { path: '/login' }],
    [200, 429, 200],
  ],
  ['status', [{}, {}], [200, 403]],
  ['shadow', [{}, {}, {}], [200, 200, 200]],
  ['early', [{}, {}], [403, 429]],
  // Envoy asks for nothing that it answers by itself.
  ['redirect', [{}, {}], [302, 302]],
  ['plain', none, [200, 200, 200, 200, 200]],
];
for (const [name, asked, expected] of tables) {
  test.serial(`a limit of both proxies: ${name}`, async (t) => {
    t.deepEqual(await statuses(t, `${name}.test`, ...asked), [...expected]);
  });
}

thorough(test.serial)(
  'what responses cost is taken when they have ended, of the bucket of their request',
  async (t) => {
    const items = (id: number, used = '') => ({ path: `/items/${id}${used && `?used=${used}`}`, ...user('ann') });
    t.deepEqual(
      await statuses(t, 'answered.test', items(1), items(1), items(1, 'much'), items(1, '-5')),
      [200, 200, 200, 200],
    );
    t.deepEqual(await statuses(t, 'answered.test', items(1, '6')), [200]);
    t.deepEqual(await statuses(t, 'answered.test', items(1), items(1, '400')), [200, 200]);
    const several = Array.from({ length: 8 }, () => items(1));
    const countRejected = () => countAll(t.context.agents, 'default/answered/b', 'rejected');
    // A proxy keeps what it had taken ahead of requests for a moment, and may get none of several requests.
    await until('both proxies to reject', async () => {
      const before = await countRejected();
      const got = await statuses(t, 'answered.test', ...several);
      const after = await countRejected();
      return got.every((status) => status === 429) && after.every((count, at) => count > (before[at] ?? 0));
    });
    t.deepEqual(
      await statuses(t, 'answered.test', items(1), items(2), { ...items(1), ...user('bob') }),
      [429, 200, 200],
    );
    t.deepEqual(await statuses(t, 'answered.test', { path: '/other?used=400', ...user('ann') }, items(2)), [200, 200]);
  },
);

thorough(test.serial)('what a limit of each proxy rejects is no question about the shared one', async (t) => {
  const got = await statuses(t, 'flood.test', ...Array.from({ length: 12 }, () => ({})));
  const passed = got.filter((status) => status === 200).length;
  t.true(passed >= 1 && passed <= 2, got.join());
  const asked = await countAll(t.context.agents, 'default/flood/b', 'passed');
  t.is(
    asked.reduce((sum, count) => sum + count, 0),
    passed,
  );
});

thorough(test.serial)('each target of a policy has a bucket of its own, also a rule within its route', async (t) => {
  t.deepEqual(await statuses(t, 'one.test', {}, {}), [200, 429]);
  t.deepEqual(await statuses(t, 'other.test', {}, {}), [200, 429]);
  // Of the rule, and of the route that it is in.
  t.deepEqual(await statuses(t, 'nested.test', { path: '/inner' }, {}, { path: '/inner' }), [200, 200, 429]);
});

test.serial('hosts that are found late, spellings and the listener share what is theirs', async (t) => {
  t.deepEqual(await statuses(t, 'late.test', {}), [200]);
  t.deepEqual(await statuses(t, 'a.late.test', {}), [200]);
  t.deepEqual(await statuses(t, 'B.late.test', {}, {}), [200, 429]);
  t.deepEqual(await statuses(t, 'host.test', {}), [200]);
  t.deepEqual(await statuses(t, `HOST.test:${t.context.port}`, {}), [429]);
  const everyone = { headers: { 'x-everyone': '1' } };
  t.deepEqual(await statuses(t, 'plain.test', everyone, everyone, everyone), [200, 200, 429]);
});

thorough(test.serial)('answers have the headers of the draft where the bucket asks for them', async (t) => {
  const first = await ask(t.context, 'draft.test');
  t.like(first.headers, { 'ratelimit-policy': '"b";q=2;w=3600, "b-2";q=100;w=86400', ratelimit: '"b";r=1;t=0' });
  await ask(t.context, 'draft.test');
  const rejected = await ask(t.context, 'draft.test');
  t.is(rejected.status, 429);
  t.regex(String(rejected.headers.ratelimit), /^"b";r=0;t=1\d\d\d$/);
});

thorough(test.serial)(
  'answers say how much is left where the bucket asks for it, and when to come again',
  async (t) => {
    const first = await ask(t.context, 'headers.test');
    t.like(first.headers, { 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1' });
    await ask(t.context, 'headers.test');
    const rejected = await ask(t.context, 'headers.test');
    t.is(rejected.status, 429);
    t.like(rejected.headers, { 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '0' });
    const seconds = Number(rejected.headers['retry-after']);
    t.true(seconds > 900 && seconds <= 1800, String(seconds));
    t.is(rejected.text, 'local_rate_limited');
    t.is(rejected.headers['x-gw-limit'], undefined);
  },
);

thorough(test.serial)(
  'without a control plane each proxy goes on with its part of the limit, or rejects, and then both share it again',
  async (t) => {
    const { program, agents } = t.context;
    const countAlone = async () => {
      const counts = await Promise.all(agents.map((agent) => countOf(agent, 'shared_limit_alone_total')));
      return counts.reduce((sum, count) => sum + count, 0);
    };
    // Both know of each other.
    await until('both to have asked', async () => {
      t.is((await ask(t.context, 'closed.test', user('a'))).status, 200);
      return (await Promise.all(agents.map((agent) => countOf(agent, 'shared_limit_calls_total')))).every(
        (count) => count > 0,
      );
    });
    const aloneBefore = await countAlone();
    await program.killControlPlane();
    const got: number[] = [];
    for (let count = 0; count < 40; count += 1) got.push((await ask(t.context, 'away.test', user('b'))).status);
    const passed = got.filter((status) => status === 200).length;
    t.true(passed >= 5 && passed <= 10, got.join());
    t.true(
      got.every((status) => status === 200 || status === 429),
      got.join(),
    );
    t.deepEqual(await statuses(t, 'closed.test', user('c'), user('d')), [503, 503]);
    t.is((await countAlone()) - aloneBefore, 42);
    await program.startControlPlane();
    await until('an answer', async () => (await ask(t.context, 'closed.test', user('c'))).status === 200);
  },
);

/** By agent: how many requests of a bucket had this outcome. */
const countAll = (agents: readonly DataPlaneAgent[], bucket: string, outcome: string): Promise<number[]> =>
  Promise.all(
    agents.map((agent) => countOf(agent, `shared_limit_requests_total{bucket="${bucket}",outcome="${outcome}"}`)),
  );

/** What an agent has counted; 0 for what never happened. */
async function countOf(agent: DataPlaneAgent, metric: string): Promise<number> {
  const metrics = await (await request(`http://127.0.0.1:${agent.adminPort}/api/v1/metrics`)).text();
  const line = metrics.split('\n').find((each) => !each.startsWith('#') && each.includes(`${metric} `));
  return Number(line?.split(' ').at(-1) ?? 0);
}
