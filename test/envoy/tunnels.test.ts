import test from 'ava';
import { serviceObjects } from '../support/http.ts';
import { crowdObjects, routeObject } from '../support/standalone.ts';
import { startTrafficWorld, trafficPolicy } from '../support/traffic-world.ts';
import { startLoud, type Tunnel, tunnel1, tunnel2 } from '../support/tunnels.ts';

/** Tunnels to backends by CONNECT, through the running program with a real Envoy. */

const gateway = { kind: 'Gateway', name: 'edge' };
const open = { status: 200, text: 'HELLO' };
const isClosed = ({ status, text }: Tunnel): boolean => (status === 403 || status === 404) && text === '';

test('CONNECT opens a tunnel to the route’s own backend where a policy says so, however its host is found', async (t) => {
  const loud = await startLoud(t);
  const toLoud = [
    { name: 'tunnel', matches: [{ method: 'CONNECT' }], backendRefs: [{ name: 'loud', port: 80 }] },
    { backendRefs: [{ name: 'web', port: 80 }] },
  ];
  const world = await startTrafficWorld(t, undefined, {
    'loud.yaml': [
      ...serviceObjects('loud', [loud.port]),
      routeObject('db', 'db.test', toLoud),
      routeObject('wide', '*.wide.test', toLoud),
      routeObject('parted', 'parted.test', toLoud),
      ...crowdObjects('parted.test', 'web'),
      routeObject('paths', 'paths.test', [
        { matches: [{ method: 'CONNECT', path: { value: '/db' } }], backendRefs: [{ name: 'loud', port: 80 }] },
      ]),
    ],
  });
  const hosts = ['db.test', 'DB.test', 'x.wide.test', 'parted.test'];
  const authorities = hosts.flatMap((host) => [`${host}:5432`, `${host}:${world.port}`]);
  for (const authority of authorities) {
    t.true(isClosed(await tunnel1(world.port, authority)), authority);
    t.true(isClosed(await tunnel2(world.port, authority)), authority);
  }
  t.is(loud.connections, 0);
  // Groups that wait for the end of a body, or count it, are for requests.
  await world.rule(
    trafficPolicy('tunnels', gateway, { upgrades: { connect: {} }, buffering: { request: { maxBytes: '1k' } } }),
  );
  for (const authority of authorities) {
    t.deepEqual(await tunnel1(world.port, authority), open, authority);
    t.deepEqual(await tunnel2(world.port, authority), open, authority);
    t.is((await world.ask(authority)).status, 200, 'other requests go elsewhere');
  }
  t.true(isClosed(await tunnel1(world.port, 'paths.test:80')), 'CONNECT has no path');
  await world.rule(
    trafficPolicy('tunnels', gateway, { upgrades: { connect: {} } }),
    trafficPolicy('none', { name: 'db', sectionName: 'tunnel' }, { disabled: ['upgrades'] }),
  );
  t.true(isClosed(await tunnel1(world.port, 'db.test:5432')));
  t.deepEqual(await tunnel2(world.port, 'x.wide.test:5432'), open);
});
