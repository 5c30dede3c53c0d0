import { request } from 'node:http';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { type LimitGrants, takesPath } from '../../src/contracts/index.ts';
import { SharedLimits } from '../../src/shared-limits/index.ts';
import { systemClock } from '../../src/std/queue/index.ts';
import { AdmissionError, type Authenticator } from '../../src/xds/index.ts';
import { isCurrent, routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';
import { startXds } from '../support/xds.ts';

/* A client that wants more than its share of a limit that proxies share, a tenant beside it, and the agent of another Gateway. */

const test = anyTest as TestFn<Standalone>;

const toWeb = [{ backendRefs: [{ name: 'web', port: 80 }] }];
const policy = (name: string, bucket: object, more: object = {}): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'RateLimitPolicy',
  metadata: { name },
  spec: {
    counting: 'Shared',
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name }],
    buckets: [{ name: 'b', limits: [{ requests: 1, per: '1h' }], ...bucket }],
    ...more,
  },
});

test.before(async (t) => {
  t.timeout(600_000);
  t.context = await startStandalone();
  const { write, backend } = t.context;
  write(
    'web.yaml',
    ...(await backend('web')),
    ...['forged', 'address', 'login', 'victim', 'neighbour'].map((name) => routeObject(name, `${name}.test`, toWeb)),
  );
  write(
    'limits.yaml',
    policy('forged', { key: [{ type: 'Route' }, { type: 'Host' }] }),
    policy('address', { key: [{ type: 'ClientIP' }] }),
    policy('login', { match: { path: { value: '/login' } } }),
    policy('victim', {}),
  );
  await until(
    'all of it to be in force',
    async () => isCurrent(t.context) && (await statusOf(t, 'neighbour.test')) === 200,
  );
});
test.after.always((t) => t.context.stop());

function statusOf(
  t: ExecutionContext<Standalone>,
  host: string,
  headers: Readonly<Record<string, string>> = {},
  path = '/',
): Promise<number> {
  const { port } = t.context;
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers: { host, ...headers }, agent: false }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    })
      .once('error', reject)
      .end();
  });
}

test.serial('no header, spelling or parameter gives a client a second bucket that proxies share', async (t) => {
  t.is(await statusOf(t, 'forged.test'), 200);
  for (const name of ['x-gw-limit', 'x-gw-limit-route', 'x-gw-limit-host', 'X-GW-Limit-Path'])
    t.is(await statusOf(t, 'FORGED.test', { [name]: 'other' }), 429, name);
  t.is(await statusOf(t, 'address.test'), 200);
  for (const name of ['x-forwarded-for', 'x-real-ip', 'true-client-ip'])
    t.is(await statusOf(t, 'address.test', { [name]: '192.0.2.1' }), 429, name);
  t.is(await statusOf(t, 'login.test', {}, '/login'), 200);
  for (const path of ['//login', '/x/../login', '/login;a=1', '/%6cogin', '/x/..;y/login'])
    t.is(await statusOf(t, 'login.test', {}, path), 429, path);
});

test.serial('a tenant who changes limits of the same listener fills no bucket that proxies share', async (t) => {
  t.is(await statusOf(t, 'victim.test'), 200);
  t.is(await statusOf(t, 'victim.test'), 429);
  const { write } = t.context;
  for (const counting of ['Shared', 'Proxy']) {
    write('neighbour.yaml', policy('neighbour', {}, { counting }));
    await until('the limit of the neighbour', async () => (await statusOf(t, 'neighbour.test')) === 429);
    t.is(await statusOf(t, 'victim.test'), 429, counting);
  }
});

/** A client's token is the Gateway whose proxy it is. */
const byToken: Authenticator = {
  async admit({ token }) {
    if (token === undefined) throw new AdmissionError('unauthenticated', 'no token');
    return { subject: token, rejects: ({ cluster }) => (cluster === token ? undefined : `${token} is not ${cluster}`) };
  },
};

/** A real xDS server, which takes from buckets of Gateways. */
async function keeper(t: ExecutionContext<Standalone>) {
  const { server, port } = await startXds(t, { authenticator: byToken });
  const limits = new SharedLimits({
    identity: 'a',
    peers: { connected: () => [], ask() {}, answer() {} },
    proxies: () => 1,
    clock: systemClock,
    metrics: { taken() {}, readKeys() {}, readStore() {} },
  });
  server.agentServices.serveLimits(limits);
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  t.teardown(() => client.close());
  const raw = (bytes: Buffer) => bytes;
  return (token: string | undefined, message: unknown) =>
    new Promise<{ code: status; answer: LimitGrants | undefined }>((resolve) => {
      const metadata = new Metadata();
      if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
      const bytes = Buffer.from(typeof message === 'string' ? message : JSON.stringify(message));
      client.makeUnaryRequest(takesPath, raw, raw, bytes, metadata, (error: ServiceError | null, value) =>
        resolve({ code: error?.code ?? status.OK, answer: value && JSON.parse(value.toString()) }),
      );
    });
}

const take = (more: object = {}) => ({
  bucket: 'n/p/b|10/3600000/10',
  key: 'k',
  wanted: 1,
  back: 0,
  owner: '',
  debts: [],
  ...more,
});
const from = (cluster: string, ...takes: readonly unknown[]) => ({ nodeId: 'one', cluster, takes });

test.serial('an agent takes from limits of its own Gateway, and gives it no more than the limit', async (t) => {
  const ask = await keeper(t);
  const granted = async (gateway: string, more: object) =>
    (await ask(gateway, from(gateway, take(more)))).answer?.grants[0];
  const first = await granted('shop/edge', { wanted: 4 });
  t.is(first?.granted, 4);
  for (const message of [from('shop/edge', take({ wanted: 6 })), from('shop/edge', take({ debts: [1e15] }))])
    t.is((await ask('bank/edge', message)).code, status.PERMISSION_DENIED);
  t.is((await ask(undefined, from('shop/edge', take()))).code, status.UNAUTHENTICATED);
  // The same names at another Gateway are other buckets.
  await granted('bank/edge', { wanted: 5, debts: [1e15] });
  const second = await granted('shop/edge', { owner: first?.owner });
  t.is(second?.granted, 1);
  const back = await granted('shop/edge', { wanted: 0, back: 4_000_000_000, owner: first?.owner });
  t.is(back?.debts[0], 0, 'full, and no more than that');
  t.is((await granted('shop/edge', { wanted: 100 }))?.granted, 5);
});

test.serial('messages that are none are rejected, and others are served', async (t) => {
  const ask = await keeper(t);
  const gateway = 'shop/edge';
  for (const message of [
    'not json',
    'null',
    {},
    from(gateway, null),
    { ...from(gateway), takes: 'all' },
    ...[
      { wanted: -1 },
      { wanted: 1.5 },
      { wanted: 1e300 },
      { back: 'x' },
      { key: 7 },
      { key: 'k'.repeat(1000) },
      { debts: [Number.NaN] },
      { debts: [1, 1, 1, 1, 1] },
      { bucket: null },
    ].map((more) => from(gateway, take(more))),
  ])
    t.is((await ask(gateway, message)).code, status.INVALID_ARGUMENT, JSON.stringify(message));
  const many = Array.from({ length: 1001 }, () => take());
  t.is((await ask(gateway, from(gateway, ...many))).code, status.RESOURCE_EXHAUSTED);
  const odd = await ask(gateway, from(gateway, take({ bucket: 'no bucket' }), take()));
  t.deepEqual(
    odd.answer?.grants.map((grant) => grant?.granted),
    [undefined, 1],
  );
});
