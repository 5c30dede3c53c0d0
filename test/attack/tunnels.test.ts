import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { aiService, credential } from '../support/ai.ts';
import { serviceObjects, startBackend } from '../support/http.ts';
import { ownObject } from '../support/objects.ts';
import { thorough } from '../support/repetitions.ts';
import { routeObject } from '../support/standalone.ts';
import { startTrafficWorld, trafficPolicy } from '../support/traffic-world.ts';
import { plant } from '../support/trap.ts';
import { startLoud, type Tunnel, tunnel1, tunnel2, tunnelRaw } from '../support/tunnels.ts';

// A stranger who asks proxies for tunnels, and a tenant who would have them lead elsewhere than to Services.

const open = { status: 200, text: 'HELLO' };
const isRejected = ({ status, text }: Tunnel): boolean => status >= 400 && status < 500 && text === '';

const tunnelRule = (backend: object) => ({ matches: [{ method: 'CONNECT' }], backendRefs: [backend] });
const toLoud = tunnelRule({ name: 'loud', port: 80 });
const toWeb = { backendRefs: [{ name: 'web', port: 80 }] };

/** A route of one listener. */
function routeAt(sectionName: string, name: string, host: string, rules: readonly object[]): object {
  const route = routeObject(name, host, rules) as { readonly spec: object };
  return { ...route, spec: { ...route.spec, parentRefs: [{ name: 'edge', sectionName }] } };
}

/** One route has a tunnel, and all that a stranger might want besides is at a port of its own. */
async function startWorld(t: ExecutionContext, more: readonly object[] = []) {
  const loud = await startLoud(t);
  // Both have the same port, which must not be one that the system gives to connections.
  const { port } = await startBackend(t, undefined, '127.0.0.2', await freePort());
  const trap = await plant(t, '127.0.0.1', port);
  const world = await startTrafficWorld(t, undefined, {
    'tunnels.yaml': [
      ...serviceObjects('loud', [loud.port]),
      routeObject('db', 'db.test', [toLoud]),
      routeAt('http', 'wide', '*.wide.test', [toLoud, toWeb]),
      routeAt('own', 'own', 'own.wide.test', [toWeb]),
      ...more,
    ],
  });
  const [gatewayClass, edge] = world.gatewayObjects as [object, { spec: { listeners: object[] } }];
  const own = { name: 'own', port: world.port, protocol: 'HTTP', hostname: 'own.wide.test' };
  world.write('gateway.yaml', gatewayClass, {
    ...edge,
    spec: { ...edge.spec, listeners: [...edge.spec.listeners, own] },
  });
  return { loud, trap, world };
}

const connect = { upgrades: { connect: {} } };
const gateway = { kind: 'Gateway', name: 'edge' };

test('CONNECT leads to no host and port that it names, by HTTP/1.1 and HTTP/2: to the route’s own backend or nowhere', async (t) => {
  const { loud, trap, world } = await startWorld(t);
  const { port } = world;
  await world.rule(trafficPolicy('tunnels', gateway, connect));
  t.is((await world.ask('own.wide.test')).status, 200);
  const elsewhere = [
    `127.0.0.1:${trap.port}`,
    `localhost:${trap.port}`,
    `[::1]:${trap.port}`,
    '169.254.169.254:80',
    `none.test:${trap.port}`,
    // Hosts of others: of requests of HTTP, and of a listener more specific than the wildcard of a tunnel.
    `a.test:${trap.port}`,
    `own.wide.test:${port}`,
    `own.wide.test:${trap.port}`,
  ];
  for (const authority of elsewhere) {
    t.true(isRejected(await tunnel1(port, authority)), `${authority} by HTTP/1.1`);
    t.true(isRejected(await tunnel2(port, authority)), `${authority} by HTTP/2`);
  }
  t.is(loud.connections, 0);
  // The port that it names is not what is connected to.
  for (const authority of [`db.test:${trap.port}`, `x.wide.test:${trap.port}`, `db.test:${world.agentPort}`]) {
    t.deepEqual(await tunnel1(port, authority), open, authority);
    t.deepEqual(await tunnel2(port, authority), open, authority);
  }
  t.is(loud.connections, 6);
  t.is(trap.connections, 0);
  t.is(world.web.requests.filter((path) => path !== '/').length, 0);
});

thorough(test)(
  'a tunnel that is asked for in other words is none, and other requests of its host are as before',
  async (t) => {
    const { loud, trap, world } = await startWorld(t);
    const { port } = world;
    await world.rule(trafficPolicy('tunnels', gateway, connect));
    const target = `127.0.0.1:${trap.port}`;
    const heads = [
      [`CONNECT ${target} HTTP/1.1`, 'Host: db.test'],
      [`CONNECT http://db.test:80/ HTTP/1.1`, `Host: ${target}`],
      [`CONNECT /db.test HTTP/1.1`, 'Host: db.test'],
      [`CONNECT db.test@${target} HTTP/1.1`, 'Host: db.test'],
      [`GET / HTTP/1.1`, 'Host: db.test', 'Connection: upgrade', 'Upgrade: connect-udp'],
      [`GET / HTTP/1.1`, 'Host: db.test', 'Connection: upgrade', 'Upgrade: CONNECT'],
      [`GET / HTTP/1.1`, 'Host: db.test', 'X-HTTP-Method-Override: CONNECT', ':method: CONNECT'],
      [`POST / HTTP/1.1`, 'Host: db.test', 'Content-Length: 0'],
    ];
    for (const lines of heads) t.true(isRejected(await tunnelRaw(port, `${lines.join('\r\n')}\r\n\r\n`)), lines[0]);
    t.is(loud.connections, 0);
    t.is(trap.connections, 0);
    t.is((await world.ask('x.wide.test')).body, 'ok');
    t.deepEqual(await tunnel1(port, 'db.test:80'), open);
  },
);

test('who may not come in opens no tunnel, and its backend sees no byte', async (t) => {
  const { loud, world } = await startWorld(t, [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'keys', labels: { 'gatewright.dev/credentials': 'true' } },
      stringData: { anna: 'a-key-of-sixteen-or-more' },
    },
    ownObject('AccessPolicy', 'keys', {
      targetRefs: ['db', 'wide'].map((name) => ({ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name })),
      apiKeys: { secretRefs: [{ name: 'keys' }], from: [{ header: 'x-api-key' }] },
    }),
  ]);
  const { port } = world;
  await world.rule(trafficPolicy('tunnels', gateway, connect));
  for (const authority of ['db.test:80', `db.test:${port}`, 'x.wide.test:80']) {
    t.true(isRejected(await tunnel1(port, authority)), authority);
    t.true(isRejected(await tunnel2(port, authority, { 'x-api-key': 'wrong' })), authority);
  }
  t.is(loud.connections, 0);
  const key = 'a-key-of-sixteen-or-more';
  t.deepEqual(await tunnel1(port, 'db.test:80', ['Host: db.test:80', `X-Api-Key: ${key}`]), open);
  t.deepEqual(await tunnel2(port, 'x.wide.test:80', { 'x-api-key': key }), open);
});

thorough(test)('a tenant gets no tunnel to servers that requests name, or into the proxy', async (t) => {
  const { loud, trap, world } = await startWorld(t, [
    ownObject('DynamicBackend', 'outside', {
      hosts: ['*'],
      tls: { mode: 'None' },
      privateAddresses: 'Allowed',
    }),
    aiService('models', 9, { provider: 'openai', models: [{ name: 'm' }], auth: { secretRef: { name: 'models' } } }),
    credential('models', 'a-key-of-the-provider'),
    routeObject('named', '*.named.test', [
      tunnelRule({ group: 'gatewright.dev', kind: 'DynamicBackend', name: 'outside' }),
    ]),
    routeObject('models', 'models.test', [tunnelRule({ group: 'gatewright.dev', kind: 'AIService', name: 'models' })]),
    routeObject('mixed', 'mixed.test', [
      {
        matches: [{ method: 'CONNECT' }],
        backendRefs: [
          { name: 'loud', port: 80 },
          { group: 'gatewright.dev', kind: 'DynamicBackend', name: 'outside' },
        ],
      },
    ]),
  ]);
  await world.rule(trafficPolicy('tunnels', gateway, connect));
  const { port } = world;
  for (const host of ['x.named.test', 'localhost.named.test', 'models.test', 'mixed.test'])
    for (const each of [`${host}:${trap.port}`, `${host}:${port}`]) {
      t.true(isRejected(await tunnel1(port, each)), each);
      t.true(isRejected(await tunnel2(port, each)), each);
    }
  t.is(loud.connections, 0);
  t.is(trap.connections, 0);
  t.deepEqual(await tunnel1(port, 'db.test:80'), open);
});
