import { type AddressInfo, createServer, type Socket } from 'node:net';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { endings } from '../support/endings.ts';
import { type CountingBackend, send, serviceObjects, startBackend } from '../support/http.ts';
import { type LimitServer, startLimitServer } from '../support/limit-server.ts';
import { isCurrent, routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

// Ratelimit services that hang, break off, send noise, or say more than whether a request comes through; and a client and a tenant who use them.

interface World {
  readonly gateway: Standalone;
  readonly web: CountingBackend;
  readonly server: LimitServer;
}
const test = anyTest as TestFn<World>;
const ends = endings(test);

/** By what they do with a connection as soon as something was asked. */
const broken: Readonly<Record<string, (socket: Socket) => void>> = {
  hangs: () => undefined,
  resets: (socket) => void socket.resetAndDestroy(),
  ends: (socket) => void socket.end(),
  noise: (socket) => void socket.end(Buffer.from([0, 1, 2, 255, 254, 13, 10, 13, 10, 200])),
  http1: (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
};

async function startBroken(act: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('data', () => act(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const group = 'gateway.networking.k8s.io';
const policy = (name: string, service: object, more: object = {}): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'RateLimitPolicy',
  metadata: { name },
  spec: {
    targetRefs: [{ group, kind: 'HTTPRoute', name }],
    counting: 'Service',
    onFailure: 'Reject',
    service: { backendRef: { port: 80, ...service }, domain: 'shop', timeout: '10s' },
    buckets: [{ name: 'all' }],
    ...more,
  },
});

const quickly = (name: string, onFailure: string) =>
  policy(
    `${name}-${onFailure.toLowerCase()}`,
    {},
    {
      onFailure,
      service: { backendRef: { name, port: 80 }, domain: 'shop', timeout: '50ms' },
    },
  );

test.before(async (t) => {
  t.timeout(600_000);
  const server = await startLimitServer(ends);
  const web = await startBackend(ends);
  const policies = [
    ...Object.keys(broken).flatMap((name) => [quickly(name, 'Reject'), quickly(name, 'Allow')]),
    policy('lies', { name: 'ratelimit' }),
    policy('early', { name: 'ratelimit' }, { phase: 'BeforeAuth' }),
    policy('foreign', { name: 'ratelimit', namespace: 'infra' }),
    policy(
      'forged',
      { name: 'ratelimit' },
      {
        buckets: [
          {
            name: 'all',
            descriptor: [{ key: 'a', value: '%REQ(x-secret)%' }],
            key: [{ type: 'Path' }, { type: 'Host' }],
          },
        ],
      },
    ),
  ];
  const names = policies.map((each) => (each as { readonly metadata: { readonly name: string } }).metadata.name);
  const services = await Promise.all(
    Object.entries(broken).map(async ([name, act]) => serviceObjects(name, [await startBroken(act)])),
  );
  const inInfra = serviceObjects('ratelimit', [server.port]).map((object) => {
    const each = object as { readonly metadata: object };
    return { ...each, metadata: { ...each.metadata, namespace: 'infra' } };
  });
  const toWeb = [{ backendRefs: [{ name: 'web', port: 80 }] }];
  const gateway = await startStandalone({
    'web.yaml': [
      ...serviceObjects('web', [web.port]),
      ...serviceObjects('ratelimit', [server.port]),
      ...inInfra,
      ...services.flat(),
      ...[...names, 'free'].map((name) => routeObject(name, `${name}.test`, toWeb)),
    ],
    'policies.yaml': policies,
  });
  t.context = { gateway, web, server };
  await until('all of it to be served', async () => isCurrent(gateway) && (await ask(t, 'free')).status === 200);
});
test.after.always((t) => t.context.gateway.stop());

const ask = (t: ExecutionContext<World>, name: string, more: Omit<Parameters<typeof send>[1], 'host'> = {}) =>
  send(t.context.gateway.port, { host: `${name}.test`, ...more });

for (const name of Object.keys(broken)) {
  test.serial(
    `a ratelimit service that is broken (${name}) opens what onFailure closes to no request, and holds up no others`,
    async (t) => {
      const before = t.context.web.requests.length;
      const waiting = [1, 2, 3].map(() => ask(t, `${name}-reject`));
      t.is((await ask(t, 'free')).status, 200);
      t.deepEqual(
        (await Promise.all(waiting)).map(({ status }) => status),
        [503, 503, 503],
      );
      t.is(t.context.web.requests.length, before + 1);
      t.is((await ask(t, `${name}-allow`)).status, 200);
    },
  );
}

for (const host of ['lies', 'early']) {
  test.serial(
    `no answer of a ratelimit service leads a request elsewhere, or is taken for a header of ours: ${host}`,
    async (t) => {
      const { server, web } = t.context;
      const headers = [
        { key: 'x-gw-scope', value: 'free.test' },
        { key: 'x-gw-limit', value: 'other/policy/bucket' },
        { key: 'x-gw-ai-budgets', value: 'of another' },
        { key: 'x-gw-spy', value: '1' },
      ];
      server.says = { overallCode: 1, requestHeadersToAdd: headers, responseHeadersToAdd: headers };
      const passed = await ask(t, host, { path: '/mine' });
      t.is(passed.status, 200);
      t.is(web.requests.at(-1), '/mine');
      t.is(web.seen.at(-1)?.host, `${host}.test`);
      server.says = { overallCode: 2, responseHeadersToAdd: headers };
      const rejected = await ask(t, host);
      server.says = undefined;
      t.is(rejected.status, 429);
      for (const seen of [passed.headers, rejected.headers, web.seen.at(-1) ?? {}])
        t.deepEqual(
          Object.keys(seen).filter((name) => name.startsWith('x-gw-')),
          [],
        );
    },
  );
}
test.serial('a tenant asks no ratelimit service of another namespace that does not grant it', async (t) => {
  const { server } = t.context;
  server.asked.length = 0;
  t.is((await ask(t, 'foreign')).status, 503);
  t.deepEqual(server.asked, []);
});

test.serial('a client puts nothing into a descriptor but what its policy names', async (t) => {
  const { server } = t.context;
  server.asked.length = 0;
  const headers = { 'x-gw-limit-path': '/other', 'x-gw-limit-host': 'other', 'x-secret': 'stolen' };
  await ask(t, 'forged', { path: '//a/../b?c=d', headers });
  t.deepEqual(server.asked, ['shop: a=%REQ(x-secret)%, path=/b, host=forged.test']);
});
