import test, { type ExecutionContext } from 'ava';
import { backend, refs, startWorld } from '../support/graph-proxy.ts';
import { type HttpAnswer, send, serviceObjects, startBackend } from '../support/http.ts';
import { askTcp, startTcpBackend } from '../support/l4-backends.ts';
import { endpointSlice, gateway, httpRoute, l4Route, ownObject, referenceGrant, service } from '../support/objects.ts';
import { thorough } from '../support/repetitions.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/** `failover` of BackendPolicies: other Services take requests while the one that a route names fails. */

/** Requests move when no endpoint is healthy, and not in part before. */
const policy = (backendRefs: readonly object[], more: object = {}) =>
  ownObject('BackendPolicy', 'web', {
    targetRefs: [{ group: '', kind: 'Service', name: 'web' }],
    failover: { backendRefs, belowHealthyPercent: 1 },
    ...more,
  });

/** Backends that say their name; `health` is what each answers. */
async function startNamed<Name extends string>(t: ExecutionContext, ...names: readonly Name[]) {
  const health = Object.fromEntries(names.map((name) => [name, 200])) as Record<Name, number>;
  const started = names.map(async (name) => {
    const answer = await startBackend(t, (_, response) => {
      response.statusCode = health[name];
      response.end(name);
    });
    return [name, answer.port] as const;
  });
  return { health, ports: Object.fromEntries(await Promise.all(started)) as Record<Name, number> };
}

/** Lets BackendPolicies of a namespace name Services of `other`. */
const grantTo = (namespace: string) =>
  ({
    ...referenceGrant('failover', { from: ['BackendPolicy', namespace], to: ['Service'] }, { namespace: 'other' }),
    spec: {
      from: [{ group: 'gatewright.dev', kind: 'BackendPolicy', namespace }],
      to: [{ group: '', kind: 'Service' }],
    },
  }) as ReturnType<typeof referenceGrant>;

/** One host that a table has, and one that is found by its wildcard. */
const hosts = ['web.test', 'late.wild.test'];

async function start(t: ExecutionContext, files: Readonly<Record<string, readonly object[]>>) {
  const rules = [{ backendRefs: [{ name: 'web', port: 80 }] }];
  const world = await startStandalone({
    ...files,
    'route.yaml': [routeObject('web', 'web.test', rules), routeObject('wild', '*.wild.test', rules)],
  });
  t.teardown(world.stop);
  return world;
}

const ask = ({ port }: Standalone, host = 'web.test'): Promise<HttpAnswer> => send(port, { host });

/** Until all hosts are answered by one backend. */
async function answeredBy(world: Standalone, name: string): Promise<void> {
  for (const host of hosts)
    await untilFits(
      `${name} to answer ${host}`,
      () => ask(world, host),
      ({ status, body }) => status === 200 && body === name,
    );
}

test('a Service without endpoints has its requests taken by the next one that has some, until it has endpoints again', async (t) => {
  const { ports } = await startNamed(t, 'first', 'second', 'third');
  const world = await start(t, {
    'web.yaml': serviceObjects('web', []),
    'second.yaml': serviceObjects('second', []),
    'third.yaml': serviceObjects('third', [ports.third]),
    'policy.yaml': [policy([{ name: 'second' }, { name: 'third' }])],
  });
  await answeredBy(world, 'third');
  world.write('second.yaml', ...serviceObjects('second', [ports.second]));
  await answeredBy(world, 'second');
  world.write('web.yaml', ...serviceObjects('web', [ports.first]));
  await answeredBy(world, 'first');
  for (let sent = 0; sent < 10; sent++) t.is((await ask(world)).body, 'first');
  world.write('web.yaml', ...serviceObjects('web', []));
  world.write('second.yaml', ...serviceObjects('second', []));
  await answeredBy(world, 'third');
});

test('requests move while health checks fail, and return when they succeed; the admin API shows both', async (t) => {
  const { ports, health } = await startNamed(t, 'first', 'second');
  const active = { interval: '300ms', timeout: '300ms', unhealthyThreshold: 1, http: { path: '/' } };
  const world = await start(t, {
    'web.yaml': serviceObjects('web', [ports.first]),
    'second.yaml': serviceObjects('second', [ports.second]),
    'policy.yaml': [policy([{ name: 'second' }], { healthCheck: { active } })],
  });
  await answeredBy(world, 'first');
  health.first = 503;
  await answeredBy(world, 'second');
  const { body } = await world.json(world.control.ports.layout1, '/v1/backends');
  const records = (body as { readonly items?: unknown }).items ?? body;
  const [web] = (records as { service: string; endpoints: { address: string; priority?: number }[] }[]).filter(
    ({ service }) => service === 'web',
  );
  t.deepEqual(Object.fromEntries((web?.endpoints ?? []).map(({ address, priority }) => [address, priority ?? 0])), {
    [`127.0.0.1:${ports.first}`]: 0,
    [`127.0.0.1:${ports.second}`]: 1,
  });
  health.first = 200;
  await answeredBy(world, 'first');
});

thorough(test)('requests move while an endpoint is ejected, and return when its time is over', async (t) => {
  const { ports, health } = await startNamed(t, 'first', 'second');
  const passive = { consecutive5xx: 1, interval: '200ms', baseEjectionTime: '1s', maxEjectionTime: '1s' };
  const world = await start(t, {
    'web.yaml': serviceObjects('web', [ports.first]),
    'second.yaml': serviceObjects('second', [ports.second]),
    'policy.yaml': [
      policy([{ name: 'second' }], { healthCheck: { passive: { ...passive, maxEjectionPercent: 100 } } }),
    ],
  });
  await answeredBy(world, 'first');
  health.first = 500;
  await answeredBy(world, 'second');
  health.first = 200;
  await answeredBy(world, 'first');
  t.pass();
});

thorough(test)(
  'an attempt goes to the next Service though the first looks healthy, where a TrafficPolicy says so',
  async (t) => {
    const { ports, health } = await startNamed(t, 'first', 'second');
    const world = await start(t, {
      'web.yaml': serviceObjects('web', [ports.first]),
      'second.yaml': serviceObjects('second', [ports.second]),
      'policy.yaml': [
        policy([{ name: 'second' }]),
        ownObject('TrafficPolicy', 'edge', {
          targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
          retry: { codes: [503], attempts: 1, attemptsPerPriority: 1 },
        }),
      ],
    });
    await answeredBy(world, 'first');
    health.first = 503;
    await answeredBy(world, 'second');
    for (let sent = 0; sent < 10; sent++) t.is((await ask(world)).body, 'second');
    health.first = 200;
    await answeredBy(world, 'first');
  },
);

thorough(test)('below the share of healthy endpoints a part of the requests moves', async (t) => {
  const { ports, health } = await startNamed(t, 'first', 'other', 'second');
  const active = { interval: '300ms', timeout: '300ms', unhealthyThreshold: 1, http: { path: '/' } };
  const world = await start(t, {
    'web.yaml': serviceObjects('web', [ports.first, ports.other]),
    'second.yaml': serviceObjects('second', [ports.second]),
    'policy.yaml': [
      policy([], {
        healthCheck: { active },
        failover: { backendRefs: [{ name: 'second' }], belowHealthyPercent: 100 },
      }),
    ],
  });
  const some = async () => {
    const bodies: string[] = [];
    for (let sent = 0; sent < 40; sent++) bodies.push((await ask(world)).body);
    return new Set(bodies);
  };
  await untilFits('both endpoints', some, (seen) => seen.has('first') && seen.has('other') && !seen.has('second'));
  health.first = 503;
  await untilFits('a share', some, (seen) => !seen.has('first') && seen.has('other') && seen.has('second'));
  health.first = 200;
  await untilFits('all of its own', some, (seen) => seen.has('first') && seen.has('other') && !seen.has('second'));
  t.pass();
});

test('a Service that is not there, or speaks otherwise, is passed by', async (t) => {
  const { ports } = await startNamed(t, 'second');
  const world = await start(t, {
    'web.yaml': serviceObjects('web', []),
    'grpc.yaml': serviceObjects('grpc', [ports.second], { appProtocol: 'kubernetes.io/h2c' }),
    'second.yaml': serviceObjects('second', [ports.second], { port: 8080 }),
    'policy.yaml': [policy([{ name: 'missing' }, { name: 'grpc' }, { name: 'second', port: 8080 }])],
  });
  await answeredBy(world, 'second');
  t.pass();
});

thorough(test)('connections of a TCPRoute go to the next Service, and back', async (t) => {
  const [first, second] = [await startTcpBackend(t, 'first'), await startTcpBackend(t, 'second')];
  const { envoy, apply } = await startWorld(
    t,
    gateway('edge', [{ name: 'tcp', port: 9000, protocol: 'TCP' }]),
    service('web', [{ port: 80, name: 'p80' }] as never),
    ...backend('second', second),
    policy([{ name: 'second' }]),
    l4Route('TCPRoute', 'tcp', { rules: refs({ web: 1 }) }),
  );
  const port = await envoy.port('tcp/9000');
  t.is(await askTcp(port), 'second');
  await apply(endpointSlice('web', ['127.0.0.1'], { port: first }));
  t.is(await askTcp(port), 'first');
});

test('a Service of another namespace takes requests while a ReferenceGrant there allows it', async (t) => {
  const { ports } = await startNamed(t, 'theirs');
  const { envoy, apply } = await startWorld(
    t,
    gateway('edge', [{ name: 'http', port: 80, protocol: 'HTTP' }]),
    service('web', [{ port: 80, name: 'p80' }] as never),
    service('theirs', [{ port: 80, name: 'p80' }] as never, { namespace: 'other' }),
    endpointSlice('theirs', ['127.0.0.1'], { port: ports.theirs, namespace: 'other' }),
    policy([{ name: 'theirs', namespace: 'other' }]),
    httpRoute('web', { hostnames: ['web.test'], rules: refs({ web: 1 }) as never }),
  );
  const port = await envoy.port('http/80');
  const status = async () => (await send(port, { host: 'web.test' })).status;
  t.is(await status(), 503);
  await apply(grantTo('default'));
  t.is(await status(), 200);
  await apply(grantTo('another'));
  t.is(await status(), 503);
});
