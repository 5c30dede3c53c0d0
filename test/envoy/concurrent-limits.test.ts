import { once } from 'node:events';
import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { Client, credentials, status as grpcStatus, type ServiceError } from '@grpc/grpc-js';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { endings } from '../support/endings.ts';
import { startGrpcServer } from '../support/grpc-server.ts';
import { serviceObjects, startBackend } from '../support/http.ts';
import { request } from '../support/request.ts';
import { routeObject, type Standalone, startStandalone, untilRead } from '../support/standalone.ts';
import { until } from '../support/until.ts';

/* Limits of requests that are under way, of the running program. The backend holds those for /hold until a test lets them go. */

interface World extends Standalone {
  /** Answers that the backend has begun and holds. */
  readonly held: Set<ServerResponse>;
}
const test = anyTest as TestFn<World>;
const ends = endings(test);

interface Target {
  readonly kind: string;
  readonly name: string;
}
const policy = (name: string, bucket: object = {}, more: object = {}, target: Target = route(name)): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'RateLimitPolicy',
  metadata: { name: `limit-${name}` },
  spec: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', ...target }],
    buckets: [{ name: 'b', concurrent: 2, ...bucket }],
    ...more,
  },
});
const route = (name: string): Target => ({ kind: 'HTTPRoute', name });
const toWeb = [{ backendRefs: [{ name: 'web', port: 80 }] }];
const policies: Readonly<Record<string, object>> = {
  few: policy('few'),
  changed: policy('changed'),
  gone: policy('gone'),
  user: policy('user', { concurrent: 1, key: [{ type: 'Header', name: 'X-User' }] }),
  exempt: policy('exempt', { concurrent: 1, key: [{ type: 'Header', name: 'x-user' }], absent: 'Exempt' }),
  address: policy('address', { concurrent: 1, key: [{ type: 'ClientIP' }, { type: 'Host' }, { type: 'Method' }] }),
  shadow: policy('shadow', {}, { onLimit: 'Shadow' }),
  status: policy('status', { concurrent: 1 }, { response: { status: 503 } }),
};

test.before(async (t) => {
  t.timeout(600_000);
  const held = new Set<ServerResponse>();
  const web = await startBackend(ends, ({ url = '' }: IncomingMessage, response) => {
    if (!url.startsWith('/hold')) return response.end('ok');
    response.writeHead(200).write('begun');
    held.add(response);
    return response.once('close', () => held.delete(response));
  });
  const words = await startGrpcServer(ends, (message) => message);
  const world = await startStandalone();
  ends.teardown(() => world.stop());
  t.context = { ...world, held };
  const { write } = world;
  write(
    'web.yaml',
    ...serviceObjects('web', [web.port]),
    ...serviceObjects('words', [words.port]),
    ...Object.keys(policies).map((name) => ({
      ...routeObject(name, '', toWeb),
      spec: { parentRefs: [{ name: 'edge' }], hostnames: [`${name}.test`, `*.${name}.late.test`], rules: toWeb },
    })),
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'GRPCRoute',
      metadata: { name: 'words' },
      spec: {
        parentRefs: [{ name: 'edge' }],
        hostnames: ['words.test'],
        rules: [{ backendRefs: [{ name: 'words', port: 80 }] }],
      },
    },
  );
  write(
    'policies.yaml',
    ...Object.values(policies),
    policy('words', { concurrent: 1 }, {}, { kind: 'GRPCRoute', name: 'words' }),
  );
  await untilRead(world, ['GRPCRoute', 'default/words'], ['RateLimitPolicy', 'default/limit-words']);
});
test.afterEach.always(async (t) => {
  for (const response of t.context.held) response.end();
  await until('all of them to have ended', () => t.context.held.size === 0);
});

type Headers = Readonly<Record<string, string>>;

interface Asked {
  readonly sent: ClientRequest;
  readonly response: IncomingMessage;
}

/** Resolves with the head of the answer, which may go on. */
async function begin(t: ExecutionContext<World>, host: string, path: string, headers: Headers = {}): Promise<Asked> {
  const { port } = t.context;
  const sent = http.get({ host: '127.0.0.1', port, path, headers: { ...headers, host }, agent: false });
  sent.on('error', () => undefined);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.on('error', () => undefined).resume();
  return { sent, response };
}

const hold = (t: ExecutionContext<World>, host: string, headers?: Headers) => begin(t, host, '/hold', headers);

async function plain(t: ExecutionContext<World>, host: string, headers?: Headers) {
  const { response } = await begin(t, host, '/', headers);
  return { status: response.statusCode, headers: response.headers };
}

const statusOf = async (...of: Parameters<typeof plain>): Promise<number | undefined> => (await plain(...of)).status;

/** Until what has ended is known to have ended. */
const hasRoom = (t: ExecutionContext<World>, host: string) =>
  until('room', async () => (await statusOf(t, host)) === 200);

test.serial('as many requests are under way as the bucket says, on hosts found at once and late', async (t) => {
  await hold(t, 'few.test');
  await hold(t, 'a.few.late.test');
  const { status, headers } = await plain(t, 'few.test');
  t.deepEqual([status, headers['retry-after'], headers['x-gw-limit']], [429, '1', undefined]);
  t.is(await statusOf(t, 'b.few.late.test'), 429);
  for (const response of t.context.held) response.end();
  await hasRoom(t, 'few.test');
  await hasRoom(t, 'few.test');
});

test.serial('clients that go away make room, and a storm of them leaves nothing behind', async (t) => {
  const [first, second] = [await hold(t, 'gone.test'), await hold(t, 'gone.test')];
  t.is(await statusOf(t, 'gone.test'), 429);
  first.sent.destroy();
  second.sent.destroy();
  await hasRoom(t, 'gone.test');
  const storm = Array.from({ length: 150 }, async (_, at) => {
    const { port } = t.context;
    const options = { host: '127.0.0.1', port, path: '/hold', headers: { host: 'gone.test' }, agent: false };
    const sent = http.get(options).on('error', () => undefined);
    setTimeout(() => sent.destroy(), at % 10);
    await new Promise((resolve) => sent.once('close', resolve));
  });
  await Promise.all(storm);
  await hasRoom(t, 'gone.test');
  const again = async () => (await hold(t, 'gone.test')).response.statusCode;
  await until('one of two places', async () => (await again()) === 200);
  await until('the other one', async () => (await again()) === 200);
  t.is(await statusOf(t, 'gone.test'), 429);
});

test.serial('each key has a count of its own', async (t) => {
  const user = (name: string) => ({ 'x-user': name });
  t.is((await hold(t, 'user.test', user('a'))).response.statusCode, 200);
  t.deepEqual([await statusOf(t, 'user.test', user('a')), await statusOf(t, 'user.test', user('b'))], [429, 200]);
  await hold(t, 'user.test');
  t.is(await statusOf(t, 'user.test'), 429, 'those without the header share one');
  await hold(t, 'exempt.test');
  t.is(await statusOf(t, 'exempt.test'), 200);
  await hold(t, 'address.test');
  t.is(await statusOf(t, 'ADDRESS.test'), 429);
  for (const name of ['x-gw-limit-address', 'x-gw-limit-host', 'x-forwarded-for'])
    t.is(await statusOf(t, 'address.test', { [name]: '192.0.2.1' }), 429, name);
  t.is(await statusOf(t, 'a.address.late.test'), 200);
});

test.serial('a bucket on trial rejects nothing, and one may have another status', async (t) => {
  for (let count = 0; count < 3; count += 1) t.is((await hold(t, 'shadow.test')).response.statusCode, 200);
  await hold(t, 'status.test');
  t.is(await statusOf(t, 'status.test'), 503);
  const metrics = await (await request(`http://127.0.0.1:${t.context.agentPort}/api/v1/metrics`)).text();
  t.regex(metrics, /limit_requests_total\{bucket="default\/limit-shadow\/b",outcome="shadowed"\} 1/);
  t.regex(metrics, /limit_requests_total\{bucket="default\/limit-few\/b",outcome="rejected"\} [1-9]/);
});

test.serial('answers of gRPC, which have trailers, end as others do', async (t) => {
  const options = { 'grpc.default_authority': 'words.test' };
  const client = new Client(`127.0.0.1:${t.context.port}`, credentials.createInsecure(), options);
  t.teardown(() => client.close());
  const raw = (bytes: Buffer) => bytes;
  const call = () =>
    new Promise<number>((resolve) => {
      client.makeUnaryRequest('/a.B/C', raw, raw, Buffer.from('hi'), (error: ServiceError | null) =>
        resolve(error?.code ?? grpcStatus.OK),
      );
    });
  const codes = new Set<number>();
  for (let count = 0; count < 4; count += 1)
    await until('an answer', async () => {
      const code = await call();
      codes.add(code);
      return code === grpcStatus.OK;
    });
  codes.delete(grpcStatus.RESOURCE_EXHAUSTED);
  t.deepEqual([...codes], [grpcStatus.OK]);
});

test.serial('a change of the limit keeps what is under way', async (t) => {
  const { write } = t.context;
  for (let count = 0; count < 2; count += 1) await hold(t, 'changed.test');
  t.is(await statusOf(t, 'changed.test'), 429);
  write(
    'policies.yaml',
    ...Object.entries(policies).map(([name, each]) => (name === 'changed' ? policy(name, { concurrent: 3 }) : each)),
  );
  await hasRoom(t, 'changed.test');
  await until('one more', async () => (await hold(t, 'changed.test')).response.statusCode === 200);
  t.is(await statusOf(t, 'changed.test'), 429);
});
