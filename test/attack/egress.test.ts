import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { AdminClient } from '../../src/cli/kit/admin-client.ts';
import { readStatus } from '../../src/cli/status/status.ts';
import { agentToken } from '../support/agent-world.ts';
import { aiRule, aiService, ask, chat } from '../support/ai.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { addresses, type LyingDns, startLyingDns } from '../support/lying-dns.ts';
import { thorough } from '../support/repetitions.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { external, plant, type Trap } from '../support/trap.ts';
import { until, untilFits } from '../support/until.ts';

// A tenant who may write XBackends, AIServices and routes, and who runs the name server of a domain.

/** The owner's: names may lead there. */
const open = '127.0.0.2';
/** What no name may lead to. */
const planted = '127.0.0.1';

const toXBackend = (name: string) =>
  routeObject(name, `${name}.test`, [
    { backendRefs: [{ group: 'gateway.networking.x-k8s.io', kind: 'XBackend', name }] },
  ]);

interface World {
  readonly dns: LyingDns;
  readonly gateway: Standalone;
  /** On the forbidden address. */
  readonly trap: Trap;
  /** On the open one, at the same port. */
  readonly port: number;
  /** What the host of an XBackend's route answers. */
  status(name: string): Promise<number>;
  /** Resolves when the trap's neighbours serve as before. */
  neighbours(): Promise<void>;
}

/** A gateway with XBackends of the given names for hosts, a Service with endpoints, and an XBackend that is fine. */
async function startWorld(
  t: ExecutionContext,
  hosts: Readonly<Record<string, string>>,
  { objects = [], allowedAddresses = [`${open}/32`], servers = [] as { host: string; port: number }[] } = {},
): Promise<World> {
  const dns = await startLyingDns(t);
  // The trap has the same port, which must not be one that the system gives to connections.
  const good = await startBackend(t, undefined, open, await freePort());
  const trap = await plant(t, planted, good.port);
  const service = await startBackend(t);
  dns.set('good.example', addresses('good.example', [open]));
  const names = Object.keys(hosts);
  const gateway = await startStandalone(
    {
      'tenant.yaml': [
        ...names.flatMap((name) => [external(name, hosts[name] as string, good.port), toXBackend(name)]),
        ...objects,
      ],
      'others.yaml': [
        external('good', 'good.example', good.port),
        toXBackend('good'),
        ...serviceObjects('service', [service.port]),
        routeObject('service', 'service.test', [{ backendRefs: [{ name: 'service', port: 80 }] }]),
      ],
    },
    { allowedAddresses, nameServers: [...servers, { host: dns.host, port: dns.port }] },
  );
  t.teardown(() => gateway.stop());
  const status = async (name: string) => (await send(gateway.port, { host: `${name}.test` })).status;
  const neighbours = async () => {
    for (const name of ['good', 'service'])
      await untilFits(
        `${name} to serve`,
        () => status(name),
        (code) => code === 200,
      );
  };
  await neighbours();
  return { dns, gateway, trap, port: good.port, status, neighbours };
}

const problems = ({ log }: Standalone) => log.filter(({ level }) => level === 'error').map(({ msg }) => msg);

const conditionsOf = (gateway: Standalone, kind: 'XBackend' | 'AIService', name: string): string =>
  JSON.stringify(gateway.control.graph.statusOf(kind, `default/${name}`));

/** Requests until the name server was asked for a name by the agent and the answer has got to Envoy, which a later resolution of it proves. */
async function resolvedTwice({ dns }: World, name: string): Promise<void> {
  const count = () => dns.asked.filter((each) => each.name === name).length;
  const before = count();
  await until(`${name} to be asked for again`, () => count() >= before + 4);
}

const spellings = {
  localhost: 'localhost',
  below: 'a.localhost',
  plain: '127.0.0.1',
  decimal: '2130706433',
  hexadecimal: '0x7f000001',
  octal: '0177.0.0.1',
  short: '127.1',
  mixed: '0x7f.0.1',
  any: '0.0.0.0',
  metadata: '169.254.169.254',
  alibaba: '100.100.100.200',
  azure: '168.63.129.16',
  google: 'metadata.google.internal',
  multicast: '224.0.0.1',
  broadcast: '255.255.255.255',
  elsewhere: 'web.other.svc',
  admin: 'gatewright-admin.gatewright-system.svc',
};

test('no spelling of a forbidden address or name is taken, and each says so in status', async (t) => {
  const world = await startWorld(t, spellings);
  for (const name of Object.keys(spellings)) {
    t.regex(
      conditionsOf(world.gateway, 'XBackend', name) ?? `${name}: ${problems(world.gateway)}`,
      /HostnameNotAllowed/,
      name,
    );
    t.true((await world.status(name)) >= 500, name);
  }
  t.regex(conditionsOf(world.gateway, 'XBackend', 'elsewhere'), /name the Service in backendRefs/);
  t.regex(conditionsOf(world.gateway, 'XBackend', 'decimal'), /127\.0\.0\.1, a loopback address/);
  t.is(world.trap.connections, 0);
  await world.neighbours();
});

const lies: Readonly<Record<string, (name: string) => Parameters<LyingDns['set']>[1]>> = {
  loopback: (name) => addresses(name, [planted]),
  'loopback with a TTL of 0': (name) => addresses(name, [planted], 0),
  '0.0.0.0': (name) => addresses(name, ['0.0.0.0']),
  'IPv6 loopback': (name) => addresses(name, ['::1']),
  'unspecified IPv6': (name) => addresses(name, ['::']),
  'IPv4-mapped loopback': (name) => addresses(name, ['::ffff:127.0.0.1']),
  'IPv4-compatible loopback': (name) => addresses(name, ['::127.0.0.1']),
  'IPv4-translated loopback': (name) => addresses(name, ['::ffff:0:127.0.0.1']),
  'NAT64 of loopback': (name) => addresses(name, ['64:ff9b::127.0.0.1']),
  'local-use NAT64 of loopback': (name) => addresses(name, ['64:ff9b:1::127.0.0.1']),
  '6to4 of loopback': (name) => addresses(name, ['2002:7f00:1::1']),
  'an alias of localhost': (name) => [{ type: 'CNAME', name, ttl: 1, data: 'localhost' }],
  'a chain of aliases to loopback':
    (name) =>
    ({ type }) => [
      { type: 'CNAME', name, ttl: 1, data: 'one.example' },
      { type: 'CNAME', name: 'one.example', ttl: 1, data: 'two.example' },
      ...addresses('two.example', [planted])({ name, type, over: 'udp' }),
    ],
  'an alias of a Service elsewhere':
    (name) =>
    ({ type }) => [
      { type: 'CNAME', name, ttl: 1, data: 'gatewright-admin.gatewright-system.svc.cluster.local' },
      ...addresses('gatewright-admin.gatewright-system.svc.cluster.local', [open])({ name, type, over: 'udp' }),
    ],
};

thorough(test)('no name is led to a forbidden address, whatever its name server says', async (t) => {
  const names = Object.keys(lies).map((lie, index) => ({ lie, backend: `lie${index}`, host: `lie${index}.example` }));
  const world = await startWorld(t, Object.fromEntries(names.map(({ backend, host }) => [backend, host])));
  for (const { lie, host } of names) world.dns.set(host, (lies[lie] as (typeof lies)[string])(host));
  await Promise.all(names.map(({ host }) => resolvedTwice(world, host)));
  for (const { lie, backend } of names) t.is(await world.status(backend), 503, lie);
  t.is(world.trap.connections, 0);
  await world.neighbours();
  await saysWhy(t, world.gateway, 'lie0', 'lie0.example leads to 127.0.0.1, a loopback address');
});

/** Agent, admin API, command line's status, metrics and log. */
async function saysWhy(t: ExecutionContext, gateway: Standalone, name: string, why: string): Promise<void> {
  const { layout1 } = gateway.control.ports;
  const { body: names } = await gateway.json(gateway.agentPort, '/api/v1/stats/names');
  const { refused: rejected, names: list } = names as { refused: number; names: { message: string; times: number }[] };
  t.true(rejected > 0);
  t.true(
    list.some(({ message, times }) => message === why && times > 0),
    JSON.stringify(list),
  );
  const { body: status } = await gateway.json(gateway.agentPort, '/api/v1/status');
  const { ready, faults } = status as { ready: boolean; faults: { reason: string; message: string }[] };
  t.true(ready);
  t.true(faults.some(({ reason, message }) => reason === 'name_refused' && /allowedAddresses/.test(message)));
  const { body: backends } = await gateway.json(layout1, '/v1/backends');
  const found = (backends as { service: string; problem: string | null }[]).filter(({ problem }) => problem !== null);
  t.is(found.find(({ service }) => service === name)?.problem, why);
  t.false(found.some(({ service }) => service === 'good' || service === 'service'));
  const report = await readStatus(new AdminClient({ server: `http://127.0.0.1:${layout1}` }));
  t.true(
    report.problems.some((problem) => problem.includes(why)),
    report.problems.join('\n'),
  );
  const { body: metrics } = await send(gateway.agentPort, {
    host: 'localhost',
    path: '/api/v1/metrics',
    headers: { authorization: `Bearer ${agentToken}` },
  });
  const count = (metric: string) =>
    Number(
      new RegExp(`^gatewright_gateway_dataplane_names_${metric}_total(?:\\{.*\\})? (\\d+)$`, 'm').exec(metrics)?.[1],
    );
  t.true(count('refused') >= 10, metrics.slice(0, 2000));
  t.true(count('asked') > count('failed'));
  const lines = gateway.log.filter(({ msg }) => msg === 'a name leads where no request may be sent');
  t.true(lines.some(({ reason }) => reason === why));
  t.is(new Set(lines.map(({ name: of }) => of)).size, lines.length, 'each name is logged once');
}

thorough(test)('a name that turns to a forbidden address later leads nowhere from then on', async (t) => {
  const world = await startWorld(t, { turning: 'turning.example' });
  world.dns.set('turning.example', addresses('turning.example', [open]));
  await untilFits(
    'the good address to serve',
    () => world.status('turning'),
    (code) => code === 200,
  );
  world.dns.set('turning.example', addresses('turning.example', [planted]));
  await untilFits(
    'the name to lead nowhere',
    () => world.status('turning'),
    (code) => code === 503,
  );
  await resolvedTwice(world, 'turning.example');
  t.is(await world.status('turning'), 503);
  t.is(world.trap.connections, 0);
  await world.neighbours();
  world.dns.set('turning.example', addresses('turning.example', [open]));
  await untilFits(
    'the good address to serve again',
    () => world.status('turning'),
    (code) => code === 200,
  );
});

thorough(test)('of mixed and long answers the good addresses serve, and the bad ones get no connection', async (t) => {
  const world = await startWorld(t, { mixed: 'mixed.example', long: 'long.example', flood: 'flood.example' });
  const many = Array.from({ length: 200 }, () => open);
  world.dns.set('mixed.example', addresses('mixed.example', [planted, open, '0.0.0.0']));
  world.dns.set('long.example', addresses('long.example', [...many, planted]));
  world.dns.set(
    'flood.example',
    addresses(
      'flood.example',
      Array.from({ length: 2000 }, () => planted),
    ),
  );
  for (const name of ['mixed', 'long'])
    await untilFits(
      `${name} to serve`,
      () => world.status(name),
      (code) => code === 200,
    );
  for (let sent = 0; sent < 30; sent++) for (const name of ['mixed', 'long']) t.is(await world.status(name), 200);
  t.true(world.dns.asked.some(({ name, over }) => name === 'long.example' && over === 'tcp'));
  await until('the flood to be asked for', () =>
    world.dns.asked.some(({ name, over }) => name === 'flood.example' && over === 'tcp'),
  );
  t.is(await world.status('flood'), 503);
  t.is(world.trap.connections, 0);
});

thorough(test)('name servers that are dead or silent cost no endpoint, and another one is asked', async (t) => {
  const noOne = { host: '127.0.0.1', port: await freePort() };
  const mute = await startLyingDns(t, { otherwise: 'silence' });
  const world = await startWorld(t, { later: 'later.example' }, { servers: [noOne, mute] });
  await resolvedTwice(world, 'good.example');
  await world.neighbours();
  world.dns.set('good.example', 'SERVFAIL');
  await resolvedTwice(world, 'good.example');
  await world.neighbours();
  await world.dns.stop();
  t.is(await world.status('later'), 503);
  for (let sent = 0; sent < 20; sent++) t.is(await world.status('good'), 200);
  t.is(await world.status('service'), 200);
});

thorough(test)('a model provider is held to the same: its key goes to no forbidden address', async (t) => {
  const port = await freePort();
  const world = await startWorld(
    t,
    {},
    {
      objects: [
        aiService('literal', port, { provider: 'openai', models: [{ name: 'm' }] }),
        aiService('lying', port, {
          provider: 'openai',
          models: [{ name: 'n' }],
          endpoint: { hostname: 'models.example', port, tls: { mode: 'None' } },
        }),
        routeObject('ai', 'ai.test', [aiRule('literal', 'lying')]),
      ] as never[],
    },
  );
  const trap = await plant(t, planted, port);
  world.dns.set('models.example', addresses('models.example', [planted]));
  t.regex(conditionsOf(world.gateway, 'AIService', 'literal'), /HostnameNotAllowed/);
  await resolvedTwice(world, 'models.example');
  for (const model of ['m', 'n']) t.true((await ask(world.gateway.port, { body: chat(model) })).status >= 400, model);
  t.is(trap.connections, 0);
});

thorough(test)('a tenant writes nothing by way of the admin API on loopback', async (t) => {
  const dns = await startLyingDns(t);
  const gateway = await startStandalone({}, { nameServers: [dns] });
  t.teardown(() => gateway.stop());
  const { layout1 } = gateway.control.ports;
  dns.set('admin.example', addresses('admin.example', ['127.0.0.1']));
  gateway.write(
    'tenant.yaml',
    external('written', 'localhost', layout1),
    toXBackend('written'),
    external('resolved', 'admin.example', layout1),
    toXBackend('resolved'),
  );
  const post = (name: string) =>
    send(gateway.port, {
      host: `${name}.test`,
      method: 'POST',
      path: '/v1/resources',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        apiVersion: 'gateway.networking.k8s.io/v1beta1',
        kind: 'ReferenceGrant',
        metadata: { name: 'pwn', namespace: 'infra' },
        spec: {
          from: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace: 'mal' }],
          to: [{ group: '', kind: 'Secret' }],
        },
      }),
    });
  for (const name of ['written', 'resolved'])
    await untilFits(
      `${name} to be rejected`,
      async () => (await post(name)).status,
      (status) => status >= 500,
    );
  await until('admin.example to be asked for', () => dns.asked.length > 0);
  for (let sent = 0; sent < 20; sent++) t.is((await post('resolved')).status, 503);
  t.is(gateway.control.graph.find('ReferenceGrant', 'infra/pwn'), undefined);
});

thorough(test)('what the operator allows is reached, by any of its spellings', async (t) => {
  const world = await startWorld(
    t,
    { localhost: 'localhost', plain: '127.0.0.1', short: '127.1', named: 'named.example' },
    { allowedAddresses: ['127.0.0.0/8'] },
  );
  world.dns.set('named.example', addresses('named.example', [planted]));
  for (const name of ['localhost', 'plain', 'short', 'named'])
    await untilFits(
      `${name} to serve`,
      () => world.status(name),
      (code) => code === 200,
    );
  t.is(world.trap.connections, 4);
});
