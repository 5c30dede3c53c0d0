import { Agent, createServer, request, type Server } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { closeServer, portOf } from '../../scripts/example/echo-server.ts';
import { thorough } from '../support/repetitions.ts';
import { backendObjects, isCurrent, routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

/* A client that wants more than its share, a backend that lies about limits, and a tenant whose changes would fill the buckets of others. */

interface World extends Standalone {
  /** What the backend saw last. */
  readonly seen: { headers: NodeJS.Dict<string | string[]> };
  readonly web: Server;
}
const test = anyTest as TestFn<World>;

const toWeb = [{ backendRefs: [{ name: 'web', port: 80 }] }];
const policy = (name: string, target: object, bucket: object, more: object = {}): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'RateLimitPolicy',
  metadata: { name, ...(more as { metadata?: object }).metadata },
  spec: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', ...target }],
    buckets: [{ name: 'b', limits: [{ requests: 1, per: '1h' }], ...bucket }],
  },
});
const route = (name: string) => ({ kind: 'HTTPRoute', name });
const names = [
  'forged',
  'who',
  'address',
  'spelled',
  'login',
  'victim',
  'neighbour',
  'lying',
  'foreign',
  'cost',
] as const;

test.before(async (t) => {
  t.timeout(600_000);
  const seen: World['seen'] = { headers: {} };
  const web = createServer((incoming, response) => {
    seen.headers = incoming.headers;
    response.writeHead(200, { 'x-gw-limit': 'default/victim/b', 'x-ratelimit-limit': '7' }).end('ok');
  });
  // Envoy may be about to use a connection that would be closed for having been idle.
  web.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => {
    web.listen(0, '127.0.0.1', resolve);
  });
  t.context = Object.assign(await startStandalone(), { seen, web });
  const { write } = t.context;
  write(
    'web.yaml',
    ...backendObjects('web', portOf(web)),
    ...names.map((name) => routeObject(name, `${name}.test`, toWeb)),
  );
  write(
    'limits.yaml',
    policy('forged', route('forged'), { key: [{ type: 'Route' }, { type: 'Host' }] }),
    policy('who', route('who'), { key: [{ type: 'Identity' }] }),
    policy('address', route('address'), { key: [{ type: 'ClientIP' }] }),
    policy('spelled', route('spelled'), { key: [{ type: 'Host' }] }),
    policy('login', route('login'), { match: { path: { value: '/login' } } }),
    policy('victim', route('victim'), {}),
    policy('cost', route('cost'), {
      limits: [{ requests: 5, per: '1h' }],
      key: [{ type: 'Path' }],
      cost: { request: { fromHeader: { name: 'x-cost', default: 2, max: 4 } } },
    }),
    policy('foreign', route('foreign'), {}, { metadata: { namespace: 'other' } }),
  );
  await until(
    'all of it to be in force',
    async () => (await isCurrent(t.context)) && (await status(t, 'neighbour.test')) === 200,
  );
});
test.after.always(async (t) => {
  await t.context.stop();
  await closeServer(t.context.web);
});

interface Asked {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
}

function ask(
  { port }: World,
  host: string,
  { path = '/', headers = {}, agent }: Asked = {},
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]> }> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers: { host, ...headers }, agent: agent ?? false }, (response) => {
      response.resume();
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
    })
      .once('error', reject)
      .end();
  });
}

const status = async (t: ExecutionContext<World>, host: string, asked: Asked = {}): Promise<number> =>
  (await ask(t.context, host, asked)).status;

test.serial('no header, spelling or parameter gives a client a second bucket', async (t) => {
  const { port, seen } = t.context;
  t.is(await status(t, 'forged.test'), 200);
  for (const name of ['x-gw-limit', 'x-gw-limit-route', 'x-gw-limit-host', 'X-GW-Limit-Path', 'x-gw-limit-shadowed'])
    t.is(await status(t, 'forged.test', { headers: { [name]: 'other' } }), 429, name);
  t.is(await status(t, 'who.test'), 200);
  for (const name of ['identity', 'subject', 'issuer', 'user', 'client', 'certificate'])
    t.is(await status(t, 'who.test', { headers: { [`x-gw-limit-${name}`]: 'other' } }), 429, name);
  t.is(await status(t, 'address.test'), 200);
  for (const headers of [
    { 'x-forwarded-for': '192.0.2.1' },
    { forwarded: 'for=192.0.2.1' },
    { 'x-real-ip': '192.0.2.1' },
    { 'true-client-ip': '192.0.2.1' },
  ] as Record<string, string>[])
    t.is(await status(t, 'address.test', { headers }), 429, JSON.stringify(headers));
  t.is(await status(t, 'spelled.test'), 200);
  for (const host of ['SPELLED.test', `spelled.test:${port}`, 'Spelled.Test.', 'spelled.test.'])
    t.is(await status(t, host), 429, host);
  t.is(await status(t, 'login.test', { path: '/login' }), 200);
  for (const path of [
    '/login/',
    '/login?x=1',
    '//login',
    '/./login',
    '/x/../login',
    '/login;a=1',
    '/%6cogin',
    '/login/x?',
    '/x/..;y/login',
  ])
    t.is(await status(t, 'login.test', { path }), 429, path);
  t.is(await status(t, 'login.test', { path: '/', headers: { 'x-gw-limit-shadowed': 'default/victim/b' } }), 200);
  t.deepEqual(
    Object.keys(seen.headers).filter((name) => name.startsWith('x-gw')),
    [],
  );
});

test.serial('no value of a header makes a request cheaper than its policy says', async (t) => {
  const got = async (path: string, headers: Readonly<Record<string, string>>) => [
    await status(t, 'cost.test', { path, headers }),
    await status(t, 'cost.test', { path, headers }),
    await status(t, 'cost.test', { path, headers }),
  ];
  // Five are there, and each such request takes two.
  for (const [at, odd] of [
    '-1',
    '0',
    '00',
    '1.5',
    '1e0',
    '0x1',
    '',
    '1,1',
    'NaN',
    '³',
    "1'",
    '%REQ(x)%',
    '+1',
    '1_0',
  ].entries())
    t.deepEqual(await got(`/odd/${at}`, { 'x-cost': odd }), [200, 200, 429], odd);
  // Each takes four.
  for (const [at, large] of [
    '5',
    '4294967296',
    '9223372036854775808',
    '1'.repeat(100),
    '00000000000000000004',
  ].entries())
    t.deepEqual(await got(`/large/${at}`, { 'x-cost': large }), [200, 429, 429], large);
});

thorough(test.serial)('a backend that writes headers of limits shows clients none of ours', async (t) => {
  const { headers } = await ask(t.context, 'lying.test');
  t.is(headers['x-gw-limit'], undefined);
  t.is(headers['x-ratelimit-limit'], '7', 'its own header is its own');
});

test.serial('a policy limits no route of another namespace', async (t) => {
  for (let count = 0; count < 3; count += 1) t.is(await status(t, 'foreign.test'), 200);
});

thorough(test.serial)(
  'changes of routes, backends and access policies fill no bucket, and end no connection',
  async (t) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.teardown(() => agent.destroy());
    let connections = 0;
    const create = agent.createConnection.bind(agent);
    agent.createConnection = (...args) => {
      connections += 1;
      return create(...args);
    };
    t.is(await status(t, 'victim.test', { agent }), 200);
    t.is(await status(t, 'victim.test', { agent }), 429);
    const { write, control } = t.context;
    const before = control.graph.snapshot()?.id;
    const header = { type: 'ResponseHeaderModifier', responseHeaderModifier: { set: [{ name: 'x-new', value: '1' }] } };
    const changed = [{ ...toWeb[0], filters: [header] }];
    write(
      'more.yaml',
      routeObject('beside', 'victim.test', [{ ...changed[0], matches: [{ path: { value: '/beside' } }] }]),
      {
        apiVersion: 'gatewright.dev/v1alpha1',
        kind: 'AccessPolicy',
        metadata: { name: 'beside' },
        spec: {
          targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'neighbour' }],
          clientIPs: { deny: ['127.0.0.0/8'] },
        },
      },
    );
    await until('the changes', async () => control.graph.snapshot()?.id !== before && (await isCurrent(t.context)));
    await until('the access policy', async () => (await status(t, 'neighbour.test')) === 403);
    await until(
      'the other route',
      async () => (await ask(t.context, 'victim.test', { path: '/beside' })).headers['x-new'] === '1',
    );
    t.is(await status(t, 'victim.test', { agent }), 429, 'the bucket is as empty as before');
    t.is(connections, 1);
  },
);

thorough(test.serial)('while a limit comes and goes, no request is lost', async (t) => {
  const { write, remove } = t.context;
  let failed = 0;
  const done = new AbortController();
  const traffic = (async () => {
    while (!done.signal.aborted) {
      if ((await status(t, 'lying.test')) !== 200) failed += 1;
      await turn();
    }
  })();
  for (let round = 0; round < 3; round += 1) {
    write('lying.yaml', policy('lying', route('lying'), { match: { headers: [{ name: 'x-limited', value: '1' }] } }));
    const limited = { headers: { 'x-limited': '1' } };
    await until('the limit', async () => (await status(t, 'lying.test', limited)) === 429);
    remove('lying.yaml');
    await until('no limit', async () => (await status(t, 'lying.test', limited)) === 200);
  }
  done.abort();
  await traffic;
  t.is(failed, 0);
});
