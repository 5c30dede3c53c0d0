import test, { type ExecutionContext } from 'ava';
import type { Condition, GatewayStatus } from '../../src/gateway-api/index.ts';
import { testCertificates } from '../support/certificates.ts';
import { startBackend } from '../support/http.ts';
import {
  endpointSlice,
  gateway,
  gatewayClass,
  httpRoute,
  httpsListener,
  listener,
  ownObject,
  secret,
  service,
} from '../support/objects.ts';
import { PoisonWorld, poisonedTraffic, unencodable, watch } from '../support/poison-world.ts';
import { untilFits } from '../support/until.ts';
import type { AnyObject } from '../support/world.ts';

/** Content that no field of Envoy has room for, which no input is known to lead to: it costs its own object, and no other one waits for it. */

const healthy = [['good.test', '/']] as const;

const routeTo = (name: string, backend = 'web', { generation = 1, sectionName = 'http' } = {}) =>
  httpRoute(
    name,
    {
      parentRefs: [{ name: 'edge', sectionName }],
      hostnames: [`${name}.test`],
      rules: [{ backendRefs: [{ name: backend, port: 80 }] }],
    } as never,
    { generation },
  );

const edge = (...names: readonly string[]) =>
  gateway('edge', [
    listener(),
    listener({ name: 'shut', hostname: 'shut.test' }),
    ...names.map((name) => httpsListener(name, 'all')),
  ]);

async function startWorld(t: ExecutionContext): Promise<PoisonWorld> {
  t.timeout(300_000);
  const backend = await startBackend(t, (_, response) => response.writeHead(200, { connection: 'close' }).end('ok'));
  const world = await PoisonWorld.start(t, {}, [80, 443]);
  const [{ certificate, key }] = testCertificates;
  world.put(
    gatewayClass(),
    edge('sound'),
    secret('all', { 'tls.crt': certificate, 'tls.key': key }),
    ...['web', unencodable.backend, unencodable.endpoints].flatMap((name) => [
      service(name),
      endpointSlice(name, ['127.0.0.1'], { port: backend.port }),
    ]),
    routeTo('good'),
    routeTo('shut', 'web', { sectionName: 'shut' }),
  );
  await world.startEnvoy('first');
  for (const host of ['good.test', 'shut.test']) await world.answers(host, '/');
  return world;
}

/** Puts what is bad, then a neighbour, then has another Envoy start, then puts what is good in the place of what is bad. */
async function isAlone(
  t: ExecutionContext,
  world: PoisonWorld,
  {
    bad,
    good,
    said,
    closes,
  }: {
    readonly bad: AnyObject;
    readonly good: AnyObject;
    readonly said: () => Condition | undefined;
    readonly closes?: string;
  },
): Promise<string> {
  const watching = watch(world, healthy);
  world.put(bad);
  const { message = '' } = (await untilFits('the fault to be reported', said, isFault)) ?? {};
  world.put(routeTo('neighbour'));
  await world.answers('neighbour.test', '/');
  const { wrong, asked } = await watching.stop();
  t.deepEqual(wrong, [], `of ${asked}`);
  await world.startEnvoy('fresh');
  for (const host of ['good.test', 'neighbour.test'])
    await untilFits(
      `${host} to be served by a fresh proxy`,
      () => statusOf(world, host),
      (status) => status === 200,
    );
  if (closes) t.is(await statusOf(world, closes), 503);
  t.true(isFault(said()), 'all the while');
  world.put(good);
  await untilFits('the recovery to be reported', said, (found) => !isFault(found));
  t.deepEqual(
    world.events.filter(({ kind }) => kind === 'nacked'),
    [],
  );
  return message;
}

const statusOf = (world: PoisonWorld, host: string) =>
  world.ask(host, '/').then(
    ({ status }) => status,
    () => 0,
  );

const isFault = (condition: Condition | undefined): boolean => /cannot encode|invalid/.test(condition?.message ?? '');

for (const name of [unencodable.backend, unencodable.endpoints]) {
  test.serial(`${name}: the route that uses it says so, and all others are served and changed`, async (t) => {
    const world = await startWorld(t);
    const message = await isAlone(t, world, {
      bad: routeTo('bad', name),
      good: routeTo('bad', 'web', { generation: 2 }),
      said: () => world.routeCondition('bad', 'ResolvedRefs'),
    });
    t.regex(message, new RegExp(`port 80 of Service default/${name} cannot be encoded`));
    await world.answers('bad.test', '/');
  });
}

const programmed = (world: PoisonWorld, name: string): Condition | undefined =>
  (world.graph.statusOf('Gateway', 'default/edge') as GatewayStatus | undefined)?.listeners
    .find((each) => each.name === name)
    ?.conditions.find(({ type }) => type === 'Programmed');

test.serial('a listener: it says so, and those that share its port are served and changed', async (t) => {
  const world = await startWorld(t);
  const message = await isAlone(t, world, {
    bad: edge('sound', unencodable.listener, 'other'),
    good: edge('sound', 'other'),
    said: () => programmed(world, unencodable.listener),
  });
  t.regex(message, /^this listener cannot be encoded for the proxy, so it is left out until it is changed: /);
  for (const name of ['sound', 'other']) t.notRegex(programmed(world, name)?.message ?? '', /rejected/, name);
});

test.serial('a policy of a listener: it says so, and what it protects is closed', async (t) => {
  const world = await startWorld(t);
  const limited = (maxBytes: number) =>
    ownObject('TrafficPolicy', 'limit', {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge', sectionName: 'shut' }],
      requestBody: { maxBytes: `${maxBytes}` },
    });
  const message = await isAlone(t, world, {
    bad: limited(poisonedTraffic.unencodableBytes),
    good: limited(1000),
    closes: 'shut.test',
    said() {
      const status = world.graph.statusOf('TrafficPolicy', 'default/limit');
      const conditions = status && 'ancestors' in status ? (status.ancestors[0]?.conditions ?? []) : [];
      return conditions.find(({ type, status: now }) => type === 'Accepted' && now === 'False');
    },
  });
  t.regex(message, /^requestBody cannot be encoded for the proxy, and requests that it is for are answered 503 until/);
  await world.answers('shut.test', '/');
});
