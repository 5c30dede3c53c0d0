import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { serviceObjects } from '../support/http.ts';
import { ownObject } from '../support/objects.ts';
import { crowdObjects, routeObject, startStandalone } from '../support/standalone.ts';
import { startTrafficWorld, trafficPolicy } from '../support/traffic-world.ts';
import { untilFits } from '../support/until.ts';

/** Protocols to which clients may change, through the running program with a real Envoy. */

const policy = (http1: object) =>
  ownObject('ListenerPolicy', 'edge', {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
    http1,
  });

const changed = /^HTTP\/1\.1 101 [\s\S]*BYTES$/;
const rejected = /^HTTP\/1\.1 403 /;

/** All that comes back. What is said after the change comes back in capitals, and ends it. */
async function change(port: number, host: string, protocol: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`);
  let text = '';
  for await (const piece of socket) {
    text += piece;
    if (/^HTTP\/1\.1 101 [\s\S]*\r\n\r\n$/.test(text)) socket.write('bytes');
    if (/^HTTP\/1\.1 [2-5]/.test(text)) break;
  }
  return text;
}

/** A backend that takes every change of the protocol. */
async function startUpgrading(t: ExecutionContext): Promise<number> {
  const server = createServer((request, response) => response.end(`asked for ${request.headers.upgrade}`));
  server.on('upgrade', ({ headers }, socket) => {
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${headers.upgrade}\r\n\r\n`);
    socket.once('data', (said) => socket.end(String(said).toUpperCase())).on('error', () => {});
  });
  // Envoy may be about to use a connection that would be closed for having been idle.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test('clients change to the protocols that a policy allows, and ask in vain for those that it ignores', async (t) => {
  const backend = await startUpgrading(t);
  const toWeb = [{ backendRefs: [{ name: 'web', port: 80 }] }];
  const world = await startStandalone({
    'web.yaml': [
      ...serviceObjects('web', [backend]),
      routeObject('web', 'web.test', toWeb),
      routeObject('wide', '*.wide.test', toWeb),
      routeObject('parted', 'parted.test', toWeb),
      ...crowdObjects('parted.test', 'web'),
    ],
    'policy.yaml': [policy({ upgrades: ['spdy/3.1'], ignoredUpgrades: ['h2c', 'tls/1.3'] })],
  });
  t.teardown(world.stop);
  for (const host of ['web.test', 'x.wide.test', 'parted.test']) {
    await untilFits(
      `a change at ${host}`,
      () => change(world.port, host, 'SPDY/3.1'),
      (text) => changed.test(text),
    );
    t.regex(await change(world.port, host, 'websocket'), changed, host);
    for (const ignored of ['h2c', 'TLS/1.3'])
      t.regex(
        await change(world.port, host, ignored),
        /^HTTP\/1\.1 200 [\s\S]*asked for undefined/,
        `${host} ${ignored}`,
      );
  }
  // Envoy answers others where the first look finds the route. Else they reach backends, as any request does.
  const exact = `web.test:${world.port}`;
  t.regex(await change(world.port, exact, 'spdy/3.1'), changed);
  t.regex(await change(world.port, exact, 'other'), /^HTTP\/1\.1 403 /);
  world.remove('policy.yaml');
  await untilFits(
    'WebSockets alone',
    () => change(world.port, exact, 'spdy/3.1'),
    (text) => text.startsWith('HTTP/1.1 403 '),
  );
  t.regex(await change(world.port, exact, 'websocket'), changed);
});

test('a route says itself to which protocols clients may change, and others are rejected however its host is found', async (t) => {
  const toUpgrading = [
    { name: 'exec', matches: [{ path: { value: '/' } }], backendRefs: [{ name: 'upgrading', port: 80 }] },
  ];
  const world = await startTrafficWorld(t, undefined, {
    'upgrading.yaml': [
      ...serviceObjects('upgrading', [await startUpgrading(t)]),
      routeObject('exact', 'exact.test', toUpgrading),
      routeObject('wide', '*.wide.test', toUpgrading),
      routeObject('parted', 'parted.test', toUpgrading),
      ...crowdObjects('parted.test', 'upgrading'),
      routeObject('other', 'other.test', toUpgrading),
    ],
  });
  const hosts = ['exact.test', `exact.test:${world.port}`, 'x.wide.test', 'parted.test', `parted.test:${world.port}`];
  const target = (name: string) => ({ name, sectionName: 'exec' });
  const spdy = ['exact', 'wide', 'parted'].map((name) =>
    trafficPolicy(name, target(name), { upgrades: { protocols: ['spdy/3.1'] } }),
  );
  await world.rule(...spdy);
  for (const host of hosts) {
    t.regex(await change(world.port, host, 'SPDY/3.1'), changed, host);
    for (const protocol of ['websocket', 'other', 'spdy/3.10', 'spdy/301', 'spdy/3.1, websocket'])
      t.regex(await change(world.port, host, protocol), rejected, `${host} ${protocol}`);
    t.is((await world.ask(host)).body, 'asked for undefined', host);
    t.is((await world.ask(host, { headers: { upgrade: 'h2c' } })).status, 200, 'no change without Connection');
  }
  t.regex(await change(world.port, 'other.test', 'websocket'), changed);
  await world.rule(
    trafficPolicy('all', { kind: 'Gateway', name: 'edge' }, { mode: 'Override', upgrades: { protocols: [] } }),
    ...spdy,
  );
  for (const host of [...hosts, 'other.test'])
    for (const protocol of ['spdy/3.1', 'websocket'])
      t.regex(await change(world.port, host, protocol), rejected, `${host} ${protocol}`);
});
