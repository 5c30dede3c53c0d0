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

/* A tenant who may write EnvoyPatches in one namespace. */

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
  const all = extremes();
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
      /^the patch of backend default\/mal-\d+\/80 is rejected by the proxy, and left out until it is changed: /,
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
