import { once } from 'node:events';
import { createServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import type { Condition } from '../../src/gateway-api/index.ts';
import { startBackend } from '../support/http.ts';
import {
  endpointSlice,
  gateway,
  gatewayClass,
  httpRoute,
  listener,
  ownObject,
  service as serviceObject,
} from '../support/objects.ts';
import { extremes } from '../support/patch-extremes.ts';
import { PoisonWorld, watch } from '../support/poison-world.ts';
import { until } from '../support/until.ts';

/* Tenants who may write EnvoyPatches in one namespace. */

const http = (name: string, backend = name) =>
  httpRoute(name, {
    parentRefs: [{ name: 'edge' }],
    hostnames: [`${name}.test`],
    rules: [{ backendRefs: [{ name: backend, port: 80 }] }],
  } as never);

const patch = (name: string, target: string, spec: object, namespace = 'default') =>
  ownObject('EnvoyPatch', name, { targetRefs: [{ group: '', kind: 'Service', name: target }], ...spec }, { namespace });

/** A backend that is spoken to by HTTP/2 without TLS; its port. */
async function startH2(t: ExecutionContext): Promise<number> {
  const server = createServer((_, response) => response.end('ok'));
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session: ServerHttp2Session) => sessions.add(session.on('error', () => session.destroy())));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function startPatchWorld(t: ExecutionContext) {
  const backend = await startBackend(t, (_, response) => response.end('ok'));
  const world = await PoisonWorld.start(t, {}, [80]);
  const endpoints = (name: string) => endpointSlice(name, ['127.0.0.1'], { port: backend.port });
  world.put(gatewayClass(), gateway('edge', [listener({ name: 'http', port: 80 })]));
  world.put(serviceObject('web', [80]), endpoints('web'), http('web'));
  const accepted = (name: string): Condition | undefined => {
    const status = world.graph.statusOf('EnvoyPatch', `default/${name}`);
    return status && 'ancestors' in status
      ? status.ancestors[0]?.conditions.find(({ type }) => type === 'Accepted')
      : undefined;
  };
  return { world, backend, endpoints, accepted };
}

async function endsNoProxy(t: ExecutionContext, version: 'HTTP/1.1' | 'HTTP/2'): Promise<void> {
  const { world, endpoints: plain, accepted } = await startPatchWorld(t);
  const h2 = version === 'HTTP/2' ? await startH2(t) : undefined;
  const endpoints = (name: string) => (h2 ? endpointSlice(name, ['127.0.0.1'], { port: h2 }) : plain(name));
  const service = (name: string) =>
    serviceObject(name, [h2 ? { port: 80, name: 'p80', appProtocol: 'kubernetes.io/h2c' } : 80] as never);
  const all = extremes('cluster', 'httpProtocolOptions');
  t.true(all.length > 150, `${all.length} patches`);
  const names = all.map((_, index) => `mal-${index}`);
  world.put(...names.flatMap((name) => [service(name), endpoints(name), http(name)]));
  const envoy = await world.startEnvoy('one');
  await world.answers('web.test', '/');
  await world.answers(`${names.at(-1)}.test`, '/');
  const watching = watch(world, [['web.test', '/']]);
  world.put(...all.map(({ patch: spec }, index) => patch(`p-${index}`, `mal-${index}`, spec)));
  // A route to a new backend goes behind the clusters that were sent before it, and its answers say that these were answered.
  for (const name of ['first', 'second', 'third']) {
    world.put(service(name), endpoints(name), http(name));
    await world.answers(`${name}.test`, '/');
  }
  const rejected = all.filter((_, index) => accepted(`p-${index}`)?.status === 'False');
  t.log(
    `${all.length} patches, ${rejected.length} rejected by Envoy: ${rejected.map(({ what }) => what.slice(0, 100)).join('; ')}`,
  );
  for (const [index, { what }] of all.entries()) {
    const said = accepted(`p-${index}`);
    if (said?.status !== 'False') continue;
    t.regex(
      said.message,
      /^the patch of backend default\/mal-\d+\/80 is rejected by the proxy, so it is left out until it is changed: /,
      what,
    );
    await world.answers(`mal-${index}.test`, '/');
  }
  // Also those that Envoy takes are used, with whatever answer.
  for (const name of names) t.true((await world.ask(`${name}.test`, '/')).status >= 200, name);
  t.true(envoy.running, envoy.log().slice(-2000));
  const { wrong, asked } = await watching.stop();
  t.deepEqual(wrong, [], `of ${asked}`);
}

test(
  'patches at the ends of all that they may say end no proxy, take nothing from neighbours, and each that is rejected is left out alone',
  endsNoProxy,
  'HTTP/1.1',
);
test('patches at the ends of all that they may say end no proxy whose backends are of HTTP/2', endsNoProxy, 'HTTP/2');

const routePatch = (name: string, target: string, spec: object, namespace = 'default') => {
  const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: target }];
  return ownObject('EnvoyPatch', name, { targetRefs, ...spec }, { namespace });
};

test('patches of routes at the ends of all that they may say end no proxy, and each that is rejected is left out alone', async (t) => {
  const { world, accepted } = await startPatchWorld(t);
  const all = extremes('routeAction');
  t.true(all.length > 30, `${all.length} patches`);
  // All of them are of one host: what Envoy rejects of one would take the others with it.
  const names = all.map((_, index) => `mal-${index}`);
  const route = (name: string) =>
    httpRoute(name, {
      parentRefs: [{ name: 'edge' }],
      hostnames: ['mal.test'],
      rules: [
        {
          matches: [{ path: { type: 'PathPrefix', value: `/${name}` } }],
          backendRefs: [{ name: 'web', port: 80 }],
          // Tries and hedges are for requests that are tried again.
          timeouts: { backendRequest: '30s' },
        },
      ],
    } as never);
  world.put(...names.map(route));
  const envoy = await world.startEnvoy('one');
  await world.answers('web.test', '/');
  await world.answers('mal.test', `/${names.at(-1)}`);
  const watching = watch(world, [['web.test', '/']]);
  world.put(...all.map(({ patch: spec }, index) => routePatch(`p-${index}`, `mal-${index}`, spec)));
  // What only both together are wrong in: the route has the one time, and the patch the other.
  const both = { retry_policy: { retry_back_off: { base_interval: '2s', max_interval: '1s' } } };
  world.put(route('both'), routePatch('both', 'both', { routeAction: both }));
  const said = await world.awaits('the wrong one to say it', () => accepted('both'), 'False');
  t.regex(
    said.message,
    /^the patch of HTTPRoute default\/both is rejected by the proxy, so it is left out until it is changed: /,
  );
  await world.answers('mal.test', '/both');
  const rejected = all.filter((_, index) => accepted(`p-${index}`)?.status === 'False');
  t.log(`${all.length} patches, rejected by Envoy: ${rejected.map(({ what }) => what.slice(0, 100)).join('; ')}`);
  for (const name of names) t.true((await world.ask('mal.test', `/${name}`)).status >= 200, name);
  t.true(envoy.running, envoy.log().slice(-2000));
  const { wrong, asked } = await watching.stop();
  t.deepEqual(wrong, [], `of ${asked}`);
});

test('patches of a Gateway at the ends of all that they may say end no proxy, and its ports stay open', async (t) => {
  const { world, accepted } = await startPatchWorld(t);
  const envoy = await world.startEnvoy('one');
  await world.answers('web.test', '/');
  const all = extremes('listener', 'connectionManager');
  t.true(all.length > 80, `${all.length} patches`);
  const rejected: string[] = [];
  for (const [index, { what, patch: spec }] of all.entries()) {
    // By this the answer says which patch is in force.
    const own = { server_name: `p-${index}`, server_header_transformation: 'OVERWRITE', ...spec.connectionManager };
    const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }];
    const generation = index + 1;
    world.put(
      ownObject(
        'EnvoyPatch',
        'own',
        { targetRefs, ...spec, connectionManager: own },
        { namespace: 'default', generation },
      ),
    );
    const isIn = async () => {
      const said = accepted('own');
      if (said?.observedGeneration === generation && said.status === 'False') return rejected.push(what) > 0;
      const { headers } = await world.ask('web.test', '/').catch(() => ({ headers: { server: undefined } }));
      return own.server_header_transformation === 'OVERWRITE'
        ? headers.server === own.server_name
        : headers.server !== `p-${index - 1}`;
    };
    await until(`${what} to be in force or rejected`, isIn);
    t.true(envoy.running, `${what}: ${envoy.log().slice(-2000)}`);
  }
  t.log(`${all.length} patches, rejected by Envoy: ${rejected.join('; ')}`);
  world.remove(ownObject('EnvoyPatch', 'own', {}, { namespace: 'default' }));
  await world.answers('web.test', '/');
});

test('a tenant’s patch is for no Service of another namespace, and says so', async (t) => {
  const { world, accepted } = await startPatchWorld(t);
  await world.startEnvoy('one');
  await world.answers('web.test', '/');
  world.put(patch('his', 'web', { cluster: { connect_timeout: '0.001s' } }, 'mal'));
  world.put(patch('own', 'web', { cluster: { connect_timeout: '7s' } }));
  await world.awaits('the other patch', () => accepted('own'), 'True');
  t.deepEqual(world.graph.statusOf('EnvoyPatch', 'mal/his'), undefined);
  await world.answers('web.test', '/');
});

test('a tenant’s patch is for no route and no Gateway of another namespace', async (t) => {
  const { world, accepted } = await startPatchWorld(t);
  await world.startEnvoy('one');
  await world.answers('web.test', '/');
  const target = { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' };
  const ports = { targetRefs: [target], connectionManager: { max_request_headers_kb: 1 } };
  world.put(routePatch('his', 'web', { routeAction: { timeout: '0.001s' } }, 'mal'));
  world.put(ownObject('EnvoyPatch', 'ports', ports, { namespace: 'mal' }));
  world.put(routePatch('own', 'web', { routeAction: { timeout: '7s' } }));
  await world.awaits('the other patch', () => accepted('own'), 'True');
  for (const name of ['his', 'ports']) t.deepEqual(world.graph.statusOf('EnvoyPatch', `mal/${name}`), undefined);
  await world.answers('web.test', '/');
});
