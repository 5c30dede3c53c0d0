import test, { type ExecutionContext } from 'ava';
import type { Condition } from '../../src/gateway-api/index.ts';
import type { AccessPlace } from '../../src/graph/index.ts';
import { startBackend } from '../support/http.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, listener, ownObject, service } from '../support/objects.ts';
import { PoisonWorld, poisonedTraffic, watch } from '../support/poison-world.ts';
import { untilFits } from '../support/until.ts';
import type { AnyObject } from '../support/world.ts';

/** TrafficPolicies of which only Envoy knows that they are bad: each alone is left out, says so, and disturbs no other. */

const group = 'gateway.networking.k8s.io';
const policy = (name: string, target: object, spec: object) =>
  ownObject('TrafficPolicy', name, { targetRefs: [{ group, ...target }], ...spec });
const faults = { abort: { status: 418, percent: 100 }, onlyWithHeader: { name: poisonedTraffic.header } };
const responseLocation = [{ from: 'http://inside.test/', to: 'https://outside.test/' }];

const routeOf = (name: string) =>
  httpRoute(name, {
    parentRefs: [{ name: 'edge' }],
    hostnames: [`${name}.test`],
    rules: [{ backendRefs: [{ name: 'web', port: 80 }] }],
  } as never);

/** A route whose requests wait for a server: what a Gateway has is beside the filter chains then. */
const waiting = [
  routeOf('waits'),
  ownObject('AccessPolicy', 'waits', {
    targetRefs: [{ group, kind: 'HTTPRoute', name: 'waits' }],
    forwardAuth: { backendRef: { name: 'web', port: 80 } },
  }),
];

/** A Gateway with the route `shop` and more, whose Envoy serves it. */
async function shopWorld(t: ExecutionContext, port: number, more: readonly AnyObject[] = []): Promise<PoisonWorld> {
  const world = await PoisonWorld.start(t, {}, [80]);
  world.put(
    gatewayClass(),
    gateway('edge', [listener({ name: 'http', port: 80 })]),
    service('web', [80]),
    endpointSlice('web', ['127.0.0.1'], { port }),
    ...more,
    routeOf('shop'),
  );
  await world.startEnvoy('one');
  await world.answers('shop.test', '/');
  return world;
}

for (const [level, bad, good] of [
  ['Gateway', { kind: 'Gateway', name: 'edge' }, { kind: 'Gateway', name: 'edge' }],
  ['Gateway where requests wait', { kind: 'Gateway', name: 'edge' }, { kind: 'Gateway', name: 'edge' }],
  ['listener', { kind: 'Gateway', name: 'edge', sectionName: 'http' }, { kind: 'Gateway', name: 'edge' }],
  ['route', { kind: 'HTTPRoute', name: 'shop' }, { kind: 'HTTPRoute', name: 'shop' }],
  ['rule', { kind: 'HTTPRoute', name: 'shop', sectionName: 'all' }, { kind: 'HTTPRoute', name: 'shop' }],
] as const) {
  test(`what Envoy rejects of a policy of a ${level} is left out alone, and the policy says so until it is changed`, async (t) => {
    const backend = await startBackend(t, (_, response) =>
      response.writeHead(200, { location: 'http://inside.test/', connection: 'close' }).end('ok'),
    );
    const world = await PoisonWorld.start(t, {}, [80]);
    world.put(
      gatewayClass(),
      gateway('edge', [listener({ name: 'http', port: 80 })]),
      service('web', [80]),
      endpointSlice('web', ['127.0.0.1'], { port: backend.port }),
      ...(level.endsWith('wait') ? waiting : []),
      ...(['shop', 'other'] as const).map((name) =>
        httpRoute(name, {
          parentRefs: [{ name: 'edge' }],
          hostnames: [`${name}.test`, `*.${name}.test`],
          rules: [{ name: 'all', backendRefs: [{ name: 'web', port: 80 }] }],
        } as never),
      ),
    );
    await world.startEnvoy('one');
    const hosts = ['shop.test', 'x.shop.test', 'other.test', 'y.other.test'];
    for (const host of hosts) await world.answers(host, '/');
    const watching = watch(
      world,
      hosts.map((host) => [host, '/'] as const),
    );
    const accepted = (name: string): Condition | undefined => {
      const status = world.graph.statusOf('TrafficPolicy', `default/${name}`);
      return status && 'ancestors' in status
        ? status.ancestors[0]?.conditions.find(({ type }) => type === 'Accepted')
        : undefined;
    };
    const locationOf = async (host: string) => (await world.ask(host, '/')).headers.location;
    const changed = level === 'route' || level === 'rule' ? hosts.slice(0, 2) : hosts;
    world.put(policy('bad', bad, { faults }), policy('good', good, { responseLocation }));
    for (const host of changed)
      await untilFits(
        `the other policy to act on ${host}`,
        () => locationOf(host),
        (to) => to === 'https://outside.test/',
      );
    const said = await world.awaits('the policy to say it', () => accepted('bad'), 'False');
    t.is(said.reason, 'Invalid');
    t.regex(said.message, /^faults is rejected by the proxy, so it is left out until it is changed: .*Abort/);
    t.is(accepted('good')?.status, 'True');
    for (const name of ['shop', 'other']) t.is(world.routeCondition(name, 'Accepted')?.status, 'True', name);
    world.put(policy('bad', bad, { faults: { ...faults, onlyWithHeader: { name: 'x-fault' } } }));
    await world.awaits('the policy to be well', () => accepted('bad'), 'True');
    const { wrong, asked } = await watching.stop();
    t.deepEqual(wrong, [], `of ${asked}`);
  });
}

test('a policy of which Envoy rejects one group acts by the others, is degraded, and readers see which group is not in force', async (t) => {
  const backend = await startBackend(t, (_, response) =>
    response.writeHead(200, { location: 'http://inside.test/', connection: 'close' }).end('ok'),
  );
  const world = await shopWorld(t, backend.port);
  const condition = (type: string): Condition | undefined => {
    const status = world.graph.statusOf('TrafficPolicy', 'default/both');
    const conditions = status && 'ancestors' in status ? status.ancestors[0]?.conditions : undefined;
    return conditions?.find((each) => each.type === type);
  };
  const statesAt = (place: AccessPlace) =>
    Object.fromEntries(world.graph.trafficAt(place).map(({ group, state, message }) => [group, { state, message }]));
  const edge = { kind: 'Gateway', name: 'edge' };
  const requestBody = { maxBytes: String(poisonedTraffic.maxBytes) };
  world.put(policy('both', edge, { responseLocation, requestBody }));
  const degraded = await world.awaits('the policy to say it', () => condition('Degraded'), 'True');
  t.is(degraded.reason, 'Invalid');
  t.regex(
    degraded.message,
    /^requestBody is rejected by the proxy, and requests that it is for are answered 503 until/,
  );
  t.is(condition('Accepted')?.status, 'True');
  const { requestBody: limit, responseLocation: location } = statesAt({ gateway: 'default/edge' });
  t.is(limit?.state, 'rejected');
  t.is(limit?.message, degraded.message);
  t.deepEqual(location, { state: 'inForce', message: undefined });
  world.put(policy('both', edge, { responseLocation, requestBody: { maxBytes: '1k' } }));
  await untilFits(
    'the policy to be well',
    () => condition('Degraded'),
    (found) => found === undefined,
  );
  t.is(statesAt({ gateway: 'default/edge' }).requestBody?.state, 'inForce');
  await untilFits(
    'the other group to act',
    async () => (await world.ask('shop.test', '/')).headers.location,
    (to) => to === 'https://outside.test/',
  );
});

for (const target of [
  { kind: 'Gateway', name: 'edge', sectionName: 'shop' },
  { kind: 'HTTPRoute', name: 'shop' },
]) {
  test(`requests whose limit Envoy rejects are answered 503, and no others: of a policy of a ${target.kind}`, async (t) => {
    const backend = await startBackend(t, (_, response) => response.writeHead(200, { connection: 'close' }).end('ok'));
    const world = await PoisonWorld.start(t, {}, [80]);
    const listeners = ['shop', 'other'].map((name) => ({ name, port: 80, hostname: `*.${name}.test` }));
    world.put(
      gatewayClass(),
      gateway(
        'edge',
        listeners.map((each) => listener(each)),
      ),
      service('web', [80]),
      endpointSlice('web', ['127.0.0.1'], { port: backend.port }),
      ...['shop', 'other'].map((name) =>
        httpRoute(name, {
          parentRefs: [{ name: 'edge', sectionName: name }],
          hostnames: [`a.${name}.test`, `*.b.${name}.test`],
          rules: [{ backendRefs: [{ name: 'web', port: 80 }] }],
        } as never),
      ),
    );
    await world.startEnvoy('one');
    const statusOf = async (host: string) => (await world.ask(host, '/')).status;
    for (const host of ['a.shop.test', 'x.b.shop.test', 'a.other.test']) await world.answers(host, '/');
    const watching = watch(world, [
      ['a.other.test', '/'],
      ['x.b.other.test', '/'],
    ]);
    const limited = (maxBytes: string) => policy('limit', target, { requestBody: { maxBytes } });
    world.put(limited(String(poisonedTraffic.maxBytes)));
    for (const host of ['a.shop.test', 'A.shop.test', 'x.b.shop.test'])
      await untilFits(
        `${host} to be closed`,
        () => statusOf(host),
        (status) => status === 503,
      );
    world.put(limited('1k'));
    for (const host of ['a.shop.test', 'x.b.shop.test']) await world.answers(host, '/');
    const { wrong, asked } = await watching.stop();
    t.deepEqual(wrong, [], `of ${asked}`);
  });
}

for (const [what, more] of [
  ['', []],
  [' where requests wait', waiting],
] as const) {
  test(`a listener that changes after Envoy rejected a policy of the Gateway is taken, and so is what others use first${what}`, async (t) => {
    const backend = await startBackend(t, (_, response) => response.writeHead(200, { connection: 'close' }).end('ok'));
    const world = await shopWorld(t, backend.port, more);
    const edge = { kind: 'Gateway', name: 'edge' };
    world.put(policy('bad', edge, { faults }));
    await untilFits(
      'the policy to be rejected',
      () => world.graph.statusOf('TrafficPolicy', 'default/bad'),
      (status) => JSON.stringify(status ?? '').includes('is rejected by the proxy'),
    );
    world.put(
      ownObject('ListenerPolicy', 'edge', {
        targetRefs: [{ group, ...edge }],
        headers: { response: { set: [{ name: 'x-edge', value: 'new' }] } },
      }),
    );
    await untilFits(
      'the listener to be another',
      async () => (await world.ask('shop.test', '/')).headers['x-edge'],
      (value) => value === 'new',
    );
    world.put(policy('late', { kind: 'HTTPRoute', name: 'shop' }, { requestBody: { maxBytes: '1k' } }));
    await world.answers('shop.test', '/');
    const nacked = world.events.flatMap((event) => (event.kind === 'nacked' ? event.nack.resources : []));
    t.deepEqual([...new Set(nacked.map(({ name }) => name.split('/')[0]))].length, 1, 'the policy alone is rejected');
  });
}
