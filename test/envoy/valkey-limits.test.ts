import anyTest, { type TestFn } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { startAgent } from '../support/agent-world.ts';
import { type Endings, endings } from '../support/endings.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { gatewayObjects, routeObject } from '../support/standalone.ts';
import { TwoProcesses } from '../support/two-processes.ts';
import { until } from '../support/until.ts';
import { Valkey } from '../support/valkey.ts';

/*
 * Two installations, each with a control plane and a proxy of its own, that know nothing of each other but one Valkey. Windows are of an hour: no
 * bucket fills while a test runs.
 */

interface Installation {
  readonly port: number;
  readonly program: TwoProcesses;
}
interface World {
  readonly valkey: Valkey;
  readonly here: Installation;
  readonly there: Installation;
}
const test = anyTest as TestFn<World>;
const ends = endings(test);

const policy = (name: string, requests: number, more: object = {}): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'RateLimitPolicy',
  metadata: { name },
  spec: {
    counting: 'Shared',
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name }],
    buckets: [{ name: 'b', key: [{ type: 'Header', name: 'x-user' }], limits: [{ requests, per: '1h' }] }],
    ...more,
  },
});
const policies = [policy('few', 6), policy('away', 4), policy('closed', 1000, { onFailure: 'Reject' })];

async function install(t: Endings, valkey: Valkey, backend: number): Promise<Installation> {
  const port = await freePort();
  const toWeb = [{ backendRefs: [{ name: 'web', port: 80 }] }];
  const program = await TwoProcesses.start(t, {
    files: {
      'gateway.yaml': gatewayObjects(port),
      'web.yaml': [
        ...serviceObjects('web', [backend]),
        ...['few', 'away', 'closed'].map((name) => routeObject(name, `${name}.test`, toWeb)),
      ],
      'policies.yaml': policies,
    },
    controlPlane: {
      backends: { allowedAddresses: ['127.0.0.1/32'] },
      rateLimits: { valkey: { url: valkey.url } },
    },
    dataPlane: {},
  });
  const agent = await startAgent(t, `127.0.0.1:${program.xdsPort}`, {
    nodeId: 'one',
    cluster: 'default/edge',
    limitPatienceMs: 4000,
  });
  await agent.ready(AbortSignal.timeout(600_000));
  return { port, program };
}

test.before(async (t) => {
  t.timeout(600_000);
  const valkey = await Valkey.start(ends);
  const { port } = await startBackend(ends);
  t.context = { valkey, here: await install(ends, valkey, port), there: await install(ends, valkey, port) };
});

const statusOf = async ({ port }: Installation, host: string, user: string): Promise<number> =>
  (await send(port, { host: `${host}.test`, headers: { 'x-user': user } })).status;

test.serial('two installations let through what one limit has, and no more', async (t) => {
  const { here, there } = t.context;
  const got: number[] = [];
  for (const one of [here, there, here, there, here, there, here, there]) got.push(await statusOf(one, 'few', 'ann'));
  t.deepEqual(got, [200, 200, 200, 200, 200, 200, 429, 429]);
  t.is(await statusOf(there, 'few', 'bob'), 200);
});

test.serial('a control plane that starts again fills no bucket', async (t) => {
  const { program } = t.context.here;
  await program.killControlPlane();
  await program.startControlPlane();
  t.is(await statusOf(t.context.there, 'few', 'ann'), 429);
  await until('the proxy to be heard', async () => (await statusOf(t.context.here, 'closed', 'eve')) === 200);
  t.is(await statusOf(t.context.here, 'few', 'ann'), 429);
});

test.serial(
  'without Valkey each proxy goes on with its part of the limit, or rejects, and then both share it again',
  async (t) => {
    const { valkey, here } = t.context;
    await valkey.kill();
    const got: number[] = [];
    for (let count = 0; count < 8; count += 1) got.push(await statusOf(here, 'away', 'bob'));
    t.deepEqual(got, [200, 200, 200, 200, 429, 429, 429, 429]);
    t.is(await statusOf(here, 'closed', 'bob'), 503);
    const isConnected = async () =>
      /gatewright_shared_limit_store_connected 1/.test(await here.program.scrapeControlPlane());
    t.false(await isConnected());
    const away = async () => (await problemsOf(here)).find(({ code }) => code === 'limit_store_away');
    t.regex((await away())?.message ?? '', /go by onFailure of their policies: 127\.0\.0\.1:\d+: ./);
    await valkey.run();
    await until('a connection', isConnected);
    t.is(await away(), undefined);
    await until('an answer', async () => (await statusOf(here, 'closed', 'bob')) === 200);
  },
);

interface Problem {
  readonly code: string;
  readonly message: string;
}

const problemsOf = async ({ program }: Installation): Promise<readonly Problem[]> =>
  (await program.json<{ readonly items: readonly Problem[] }>('/v1/problems')).items;
