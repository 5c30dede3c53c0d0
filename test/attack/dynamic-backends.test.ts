import { connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { addresses, type LyingDns, startLyingDns } from '../support/lying-dns.ts';
import { ownObject } from '../support/objects.ts';
import { thorough } from '../support/repetitions.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { plant, type Trap } from '../support/trap.ts';
import { until, untilFits } from '../support/until.ts';

// A stranger who may name any host to a proxy that forwards to hosts outside, and who runs the name server of a domain.

const open = '127.0.0.2';
const planted = '127.0.0.1';

interface World {
  readonly dns: LyingDns;
  readonly gateway: Standalone;
  /** On the forbidden address, at the port that requests may name. */
  readonly trap: Trap;
  status(host: string): Promise<number>;
}

async function startWorld(t: ExecutionContext, privateAddresses: 'Allowed' | 'Denied'): Promise<World> {
  const dns = await startLyingDns(t);
  const server = await startBackend(t, undefined, open, await freePort());
  const trap = await plant(t, planted, server.port);
  const service = await startBackend(t);
  dns.set('good.example', addresses('good.example', [open]));
  const gateway = await startStandalone(
    {
      'outside.yaml': [
        ownObject('DynamicBackend', 'outside', {
          hosts: ['*'],
          ports: [server.port],
          tls: { mode: 'None' },
          privateAddresses,
        }),
        {
          apiVersion: 'gateway.networking.k8s.io/v1',
          kind: 'HTTPRoute',
          metadata: { name: 'outside' },
          spec: {
            parentRefs: [{ name: 'edge' }],
            rules: [{ backendRefs: [{ group: 'gatewright.dev', kind: 'DynamicBackend', name: 'outside' }] }],
          },
        },
        ...serviceObjects('service', [service.port]),
        routeObject('service', 'service.test', [{ backendRefs: [{ name: 'service', port: 80 }] }]),
      ],
    },
    { allowedAddresses: [`${open}/32`], nameServers: [dns] },
  );
  t.teardown(() => gateway.stop());
  const status = async (host: string) => (await send(gateway.port, { host })).status;
  await untilFits(
    'a host outside to answer',
    () => status('good.example'),
    (code) => code === 200,
  );
  return { dns, gateway, trap, status };
}

/** What the agent says of the names that it has not let through. */
async function rejectedNames({ gateway }: World): Promise<ReadonlyMap<string, string>> {
  const { body } = await gateway.json(gateway.agentPort, '/api/v1/stats/names');
  const { names } = body as { names: { name: string; message: string }[] };
  return new Map(names.map(({ name, message }) => [name, message]));
}

const inside = [
  'localhost',
  'a.localhost',
  'LOCALHOST',
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '0.0.0.0',
  '169.254.169.254',
  'metadata.google.internal',
  '[::1]',
  '[::ffff:127.0.0.1]',
  'web.other.svc',
  'web.other.svc.cluster.local',
  'gatewright-admin.gatewright-system.svc',
  'localhost.any.named.gatewright.internal',
  '127.0.0.1.any.named.gatewright.internal',
];

test('no spelling of a host leads a stranger to the proxy itself, its cloud, or the cluster', async (t) => {
  const world = await startWorld(t, 'Allowed');
  for (const host of inside) t.true((await world.status(host)) >= 400, host);
  t.is(world.trap.connections, 0);
  const rejected = await rejectedNames(world);
  t.regex(
    rejected.get('localhost') ?? '',
    /^localhost leads to 127\.0\.0\.1, a loopback address|^localhost leads to ::1, a loopback address/,
  );
  t.is(rejected.get('web.other.svc'), 'web.other.svc is a name of the cluster');
  t.false(world.dns.asked.some(({ name }) => name.endsWith('gatewright.internal') && name.startsWith('good')));
  t.is(await world.status('good.example'), 200);
  t.is(await world.status('service.test'), 200);
});

thorough(test)('no name server leads a stranger inside, whatever it answers and whenever', async (t) => {
  const world = await startWorld(t, 'Denied');
  const { dns, trap, status } = world;
  dns.set('loop.example', addresses('loop.example', [planted]));
  dns.set('mapped.example', addresses('mapped.example', ['::ffff:127.0.0.1']));
  dns.set('alias.example', [{ type: 'CNAME', name: 'alias.example', ttl: 1, data: 'localhost' }]);
  dns.set('service.example', [{ type: 'CNAME', name: 'service.example', ttl: 1, data: 'web.other.svc.cluster.local' }]);
  const privates = {
    ten: '10.1.2.3',
    home: '192.168.1.1',
    carrier: '100.64.0.9',
    local: 'fd12::1',
    nat: '64:ff9b::10.0.0.1',
  };
  for (const [name, address] of Object.entries(privates))
    dns.set(`${name}.example`, addresses(`${name}.example`, [address]));
  const names = ['loop', 'mapped', 'alias', 'service', ...Object.keys(privates)];
  for (const name of names) t.is(await status(`${name}.example`), 503, name);
  for (const address of ['10.1.2.3', '192.168.1.1']) t.is(await status(address), 503, address);
  const rejected = await rejectedNames(world);
  t.is(rejected.get('ten.example'), 'ten.example leads to 10.1.2.3, a private address');
  for (const name of Object.keys(privates)) t.true(rejected.has(`${name}.example`), name);

  // Good addresses of a mixed answer serve.
  dns.set('mixed.example', addresses('mixed.example', [planted, open, '10.1.2.3']));
  await untilFits(
    'the good address to serve',
    () => status('mixed.example'),
    (code) => code === 200,
  );
  for (let sent = 0; sent < 10; sent++) t.is(await status('mixed.example'), 200);
  // A name that turns inside later: Envoy keeps the address that it had.
  const askedFor = () => dns.asked.filter(({ name }) => name === 'good.example').length;
  dns.set('good.example', addresses('good.example', [planted]));
  const before = askedFor();
  await until('the name to be asked for again', async () => {
    t.is((await send(world.gateway.port, { host: 'good.example' })).body, 'ok');
    return askedFor() > before;
  });
  for (let sent = 0; sent < 20; sent++) t.is((await send(world.gateway.port, { host: 'good.example' })).body, 'ok');
  t.is(trap.connections, 0);
  t.is(await status('service.test'), 200);
});

/** Writes bytes, and gives the status line of what comes back. */
const raw = (port: number, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let got = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => {
      got += chunk.toString();
      if (got.includes('\r\n')) socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(got.split('\r\n')[0] ?? ''));
  });

test('a Host that is no host, or says more than one, leads nowhere', async (t) => {
  const { gateway, trap, status } = await startWorld(t, 'Denied');
  const port = trap.port;
  for (const host of [
    `good.example:${port}:${port}`,
    `good.example:${port}@127.0.0.1`,
    `127.0.0.1:${port}#good.example`,
    'good.example:22',
    `%REQ(x-to)%:${port}`,
    `good.example%00.localhost:${port}`,
    `good.example,localhost:${port}`,
  ])
    t.regex(
      await raw(gateway.port, `GET / HTTP/1.1\r\nhost: ${host}\r\nx-to: localhost\r\nconnection: close\r\n\r\n`),
      /^HTTP\/1\.1 4\d\d/,
      host,
    );
  const absolute = `GET http://localhost:${port}/ HTTP/1.1\r\nhost: good.example\r\nconnection: close\r\n\r\n`;
  t.regex(await raw(gateway.port, absolute), /^HTTP\/1\.1 [45]\d\d/);
  const tunnel = `CONNECT localhost:${port} HTTP/1.1\r\nhost: good.example\r\n\r\n`;
  t.regex(await raw(gateway.port, tunnel), /^HTTP\/1\.1 4\d\d/);
  t.is(trap.connections, 0);
  t.is(await status('good.example'), 200);
});
