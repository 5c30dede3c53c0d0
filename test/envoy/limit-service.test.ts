import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { issueCertificate } from '../../scripts/example/certificate.ts';
import { endings } from '../support/endings.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { type LimitServer, startLimitServer } from '../support/limit-server.ts';
import { thorough } from '../support/repetitions.ts';
import { isCurrent, routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

/* A ratelimit service counts, in place of proxies and control planes: what it is asked, and what its answers and its absence mean. */

interface World extends Standalone {
  readonly server: LimitServer;
  /** With TLS. */
  readonly safe: LimitServer;
}
const test = anyTest as TestFn<World>;
const ends = endings(test);

const group = 'gateway.networking.k8s.io';
const policy = (name: string, spec: object, target: object = { kind: 'HTTPRoute', name }): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'RateLimitPolicy',
  metadata: { name },
  spec: {
    targetRefs: [{ group, ...target }],
    counting: 'Service',
    service: { backendRef: { name: 'ratelimit', port: 80 }, domain: 'shop', timeout: '10s' },
    buckets: [{ name: 'all' }],
    ...spec,
  },
});
const asking = (name: string) => ({ backendRef: { name, port: 80 }, domain: 'shop', timeout: '10s' });
const toWeb = [{ backendRefs: [{ name: 'web', port: 80 }] }];
const elsewhere = [{ filters: [{ type: 'RequestRedirect', requestRedirect: { hostname: 'elsewhere.test' } }] }];

const keyed = {
  buckets: [
    {
      name: 'keyed',
      descriptor: [{ key: 'tier', value: 'free' }],
      key: [
        { type: 'Header', name: 'X-User', entry: 'user' },
        { type: 'ClientIP', v6Prefix: 128 },
        { type: 'Path' },
        { type: 'Cookie', name: 'sid' },
      ],
    },
  ],
};
const matched = {
  buckets: [
    {
      name: 'posts',
      match: { methods: ['POST'], path: { value: '/login' }, clientCIDRs: { include: ['127.0.0.0/8'] } },
      descriptor: [
        { key: 'kind', value: 'login' },
        { key: 'from', value: 'here' },
        { key: 'more', value: '1' },
      ],
      key: [{ type: 'Method' }],
      cost: { request: { fromHeader: { name: 'x-cost', max: 9 } } },
    },
    { name: 'all', key: [{ type: 'ClientIP' }] },
  ],
};

const policies: Readonly<Record<string, object>> = {
  plain: policy('plain', {}),
  keyed: policy('keyed', keyed),
  exempt: policy('exempt', { buckets: [{ name: 'e', key: [{ type: 'Header', name: 'x-user' }], absent: 'Exempt' }] }),
  matched: policy('matched', matched),
  status: policy('status', { response: { status: 403 } }),
  shadow: policy('shadow', { onLimit: 'Shadow', onFailure: 'Reject' }),
  headers: policy('headers', { buckets: [{ name: 'all', headers: 'XRateLimit' }] }),
  early: policy('early', { phase: 'BeforeAuth' }),
  open: policy('open', { service: { ...asking('ratelimit'), timeout: '20ms' } }),
  closed: policy('closed', { service: { ...asking('ratelimit'), timeout: '20ms' }, onFailure: 'Reject' }),
  nowhere: policy('nowhere', { service: asking('missing') }),
  shut: policy('shut', { service: asking('missing'), onFailure: 'Reject' }),
  redirect: policy('redirect', {}),
  safe: policy('safe', { service: asking('safe'), onFailure: 'Reject' }),
  replaced: policy('replaced', { service: asking('replaced'), onFailure: 'Reject' }),
};

test.before(async (t) => {
  t.timeout(600_000);
  const certificate = await issueCertificate(['ratelimit.example']);
  const server = await startLimitServer(ends);
  const safe = await startLimitServer(ends, { cert: certificate.certificatePem, key: certificate.keyPem });
  const backend = await startBackend(ends);
  const hosts = Object.keys(policies);
  const world = await startStandalone({
    'web.yaml': [
      ...serviceObjects('web', [backend.port]),
      ...serviceObjects('ratelimit', [server.port]),
      ...serviceObjects('safe', [safe.port]),
      ...serviceObjects('replaced', [1, server.port]),
      ...[...hosts, 'free'].map((name) => routeObject(name, `${name}.test`, name === 'redirect' ? elsewhere : toWeb)),
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'ca' }, data: { 'ca.crt': certificate.certificatePem } },
      {
        apiVersion: 'gateway.networking.k8s.io/v1',
        kind: 'BackendTLSPolicy',
        metadata: { name: 'safe' },
        spec: {
          targetRefs: [{ group: '', kind: 'Service', name: 'safe' }],
          validation: {
            caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'ca' }],
            hostname: 'ratelimit.example',
          },
        },
      },
      {
        apiVersion: 'gatewright.dev/v1alpha1',
        kind: 'AccessPolicy',
        metadata: { name: 'early' },
        spec: { targetRefs: [{ group, kind: 'HTTPRoute', name: 'early' }], clientIPs: { deny: ['127.0.0.0/8'] } },
      },
    ],
    'policies.yaml': [
      ...Object.values(policies),
      policy(
        'edge',
        { buckets: [{ name: 'edge', match: { headers: [{ name: 'x-everyone', value: '1' }] } }] },
        { kind: 'Gateway', name: 'edge' },
      ),
    ],
  });
  t.context = { ...world, server, safe };
  await until('all of it to be served', async () => isCurrent(world) && (await ask(t, 'free')).status === 200);
});
test.after.always((t) => t.context.stop());
test.beforeEach((t) => {
  const { server } = t.context;
  Object.assign(server, { isSilent: false, says: undefined });
  server.empty.clear();
  server.asked.length = 0;
});

const ask = (t: ExecutionContext<World>, name: string, more: Omit<Parameters<typeof send>[1], 'host'> = {}) =>
  send(t.context.port, { host: `${name}.test`, ...more });

const statusOf = async (t: ExecutionContext<World>, name: string) => (await ask(t, name)).status;

test.serial('a service is asked with what the policy says, and its answer decides', async (t) => {
  const { server } = t.context;
  t.is(await statusOf(t, 'plain'), 200);
  t.deepEqual(server.asked, ['shop: bucket=all']);
  server.empty.add('shop: bucket=all');
  const rejected = await ask(t, 'plain');
  t.is(rejected.status, 429);
  t.is(rejected.headers['x-gw-limit'], undefined);
  t.is(rejected.headers['x-envoy-ratelimited'], undefined);
  t.is(await statusOf(t, 'status'), 403);
  t.is(await statusOf(t, 'free'), 200);
});

test.serial('a descriptor has what requests differ by, and does without what a request lacks', async (t) => {
  const { server } = t.context;
  await ask(t, 'keyed', { path: '/a?b=c', headers: { 'x-user': 'ann', cookie: 'x=1; sid=7' } });
  await ask(t, 'keyed', { headers: { 'x-user': 'ann', 'x-forwarded-for': '192.0.2.1' } });
  t.deepEqual(server.asked, [
    'shop: tier=free, user=ann, remote_address=127.0.0.1, path=/a, sid=7',
    'shop: tier=free, user=ann, remote_address=127.0.0.1, path=/',
  ]);
  server.asked.length = 0;
  await ask(t, 'exempt');
  t.deepEqual(server.asked, []);
  await ask(t, 'exempt', { headers: { 'x-user': 'bob' } });
  t.deepEqual(server.asked, ['shop: bucket=e, x-user=bob']);
});

test.serial(
  'what a bucket does not match is not asked about, and what it compares is no entry of its own',
  async (t) => {
    const { server } = t.context;
    const all = 'shop: bucket=all, masked_remote_address=127.0.0.1/32';
    await ask(t, 'matched');
    t.deepEqual(server.asked, [all]);
    await ask(t, 'matched', { method: 'POST', path: '/login;a=1', headers: { 'x-cost': '50' } });
    t.deepEqual(server.asked, [all, 'shop: kind=login, from=here, more=1, method=POST x9', all]);
    server.empty.add('shop: kind=login');
    t.is((await ask(t, 'matched', { method: 'POST', path: '/login' })).status, 429);
    t.is(await statusOf(t, 'matched'), 200);
  },
);

test.serial('a Gateway asks about requests of all of its routes, beside what these ask', async (t) => {
  const { server } = t.context;
  const headers = { 'x-everyone': '1' };
  await ask(t, 'plain', { headers });
  await ask(t, 'free', { headers });
  await ask(t, 'free');
  t.deepEqual(server.asked, ['shop: bucket=edge', 'shop: bucket=all', 'shop: bucket=edge']);
  server.empty.add('shop: bucket=edge');
  t.is((await ask(t, 'free', { headers })).status, 429);
  t.is(await statusOf(t, 'free'), 200);
});

test.serial('a service is asked before or behind access policies, and not about redirects', async (t) => {
  const { server } = t.context;
  t.is(await statusOf(t, 'early'), 403);
  t.deepEqual(server.asked, ['shop: bucket=all']);
  server.empty.add('shop: bucket=all');
  t.is(await statusOf(t, 'early'), 429);
  t.is(await statusOf(t, 'redirect'), 302);
});

test.serial('shadow rejects nothing, whatever happens to the service', async (t) => {
  const { server } = t.context;
  server.empty.add('shop: bucket=all');
  t.is(await statusOf(t, 'shadow'), 200);
  t.deepEqual(server.asked, ['shop: bucket=all']);
});

test.serial('headers of the answer say what the service says is left', async (t) => {
  const { server } = t.context;
  server.says = {
    overallCode: 1,
    statuses: [
      {
        code: 1,
        currentLimit: { requestsPerUnit: 5, unit: 2 },
        limitRemaining: 3,
        durationUntilReset: { seconds: 7n },
      },
    ],
  };
  const { headers } = await ask(t, 'headers');
  t.like(headers, { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': '7' });
  t.is((await ask(t, 'plain')).headers['x-ratelimit-remaining'], undefined);
  server.says = { ...server.says, overallCode: 2, statuses: [{ code: 2, durationUntilReset: { seconds: 7n } }] };
  t.is((await ask(t, 'plain')).headers['retry-after'], '7');
});

test.serial('onFailure says what happens while a service does not answer in time', async (t) => {
  t.context.server.isSilent = true;
  t.deepEqual([await statusOf(t, 'open'), await statusOf(t, 'closed')], [200, 503]);
  const metrics = await (await fetch(`http://127.0.0.1:${t.context.agentPort}/api/v1/metrics`)).text();
  for (const counter of ['open_failure_mode_allowed', 'closed_error'])
    t.regex(metrics, new RegExp(`^envoy_cluster_ratelimit_default_${counter}{[^}]*} [1-9]`, 'm'));
});

test.serial('onFailure says what happens where there is no service', async (t) => {
  t.deepEqual([await statusOf(t, 'nowhere'), await statusOf(t, 'shut')], [200, 503]);
});

thorough(test.serial)('of a service whose endpoints are replaced another one is asked', async (t) => {
  for (let at = 0; at < 10; at += 1) t.is(await statusOf(t, 'replaced'), 200);
});

test.serial('a service is spoken to by TLS as a BackendTLSPolicy says', async (t) => {
  const { safe } = t.context;
  t.is(await statusOf(t, 'safe'), 200);
  t.deepEqual(safe.asked, ['shop: bucket=all']);
  safe.empty.add('shop: bucket=all');
  t.is(await statusOf(t, 'safe'), 429);
});

test.serial('a policy that comes to ask a service, or goes, is followed', async (t) => {
  const { server, write } = t.context;
  write('free.yaml', policy('free', {}));
  await until('the service to be asked', async () => (await statusOf(t, 'free')) === 200 && server.asked.length > 0);
  t.true(server.asked.every((text) => text === 'shop: bucket=all'));
  t.context.remove('free.yaml');
  await until('nothing to be asked any more', async () => {
    server.asked.length = 0;
    return (await statusOf(t, 'free')) === 200 && server.asked.length === 0;
  });
});

thorough(test.serial)('a service that ended is one that does not answer', async (t) => {
  t.context.server.stop();
  t.deepEqual([await statusOf(t, 'plain'), await statusOf(t, 'closed'), await statusOf(t, 'free')], [200, 503, 200]);
});
