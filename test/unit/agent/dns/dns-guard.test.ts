import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { connect } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';
import test, { type ExecutionContext } from 'ava';
import { decode, encode } from 'dns-packet';
import { pino } from 'pino';
import { systemClock } from '../../../../src/agent/clock.ts';
import { DnsGuard, type DnsGuardOptions } from '../../../../src/agent/dns/index.ts';
import { addresses, type LyingDns, startLyingDns } from '../../../support/lying-dns.ts';
import { until } from '../../../support/until.ts';

interface World {
  readonly dns: LyingDns;
  readonly guard: DnsGuard;
  /** A client of its own, as Envoy is one. */
  readonly client: Resolver;
}

async function startGuard(t: ExecutionContext, options: Partial<DnsGuardOptions> = {}): Promise<World> {
  const dns = await startLyingDns(t);
  const guard = new DnsGuard({
    clusterDomain: 'cluster.local',
    controlPlaneHosts: [],
    servers: [{ address: dns.host, port: dns.port }],
    resolvConf: '/nowhere',
    hosts: '/nowhere',
    logger: pino({ level: 'silent' }),
    clock: systemClock,
    ...options,
  });
  await guard.listen();
  t.teardown(() => guard.close());
  const client = new Resolver({ timeout: 20_000, tries: 1 });
  client.setServers([`${guard.address.address}:${guard.address.port}`]);
  return { dns, guard, client };
}

test('a client is answered with what the name leads to, less what is forbidden', async (t) => {
  const { dns, guard, client } = await startGuard(t);
  dns.set('a.test', addresses('a.test', ['10.0.0.1', '127.0.0.1', '10.0.0.2', 'fd00::1', '::1'], 77));
  t.deepEqual(await client.resolve4('a.test', { ttl: true }), [
    { address: '10.0.0.1', ttl: 77 },
    { address: '10.0.0.2', ttl: 77 },
  ]);
  t.deepEqual(await client.resolve6('a.test'), ['fd00::1']);
  await t.throwsAsync(client.resolve4('none.test'), { code: 'ENOTFOUND' });
  dns.set('bad.test', addresses('bad.test', ['127.0.0.1']));
  await t.throwsAsync(client.resolve4('bad.test'), { code: 'ENODATA' });
  dns.set('broken.test', 'SERVFAIL');
  await t.throwsAsync(client.resolve4('broken.test'), { code: 'ESERVFAIL' });
  t.is(guard.asked, 5);
  t.is(guard.failed, 1);
  t.deepEqual(
    guard.rejections.list().map(({ name }) => name),
    ['a.test', 'bad.test'],
  );
});

test('without an address of IPv4 names lead to IPv6 only, and to the loopback where that is allowed', async (t) => {
  const entry = (address: string, family: 'IPv4' | 'IPv6', internal = false) =>
    ({ address, family, internal }) as NetworkInterfaceInfo;
  const loopback = [entry('127.0.0.1', 'IPv4', true), entry('::1', 'IPv6', true)];
  const six = [...loopback, entry('fe80::1', 'IPv6'), entry('fd00::2', 'IPv6')];
  const worlds: readonly (readonly [NetworkInterfaceInfo[], string[]])[] = [
    [six, ['127.0.0.1']],
    [
      [...six, entry('10.0.0.9', 'IPv4')],
      ['10.0.0.1', '127.0.0.1'],
    ],
    [
      [...loopback, entry('fe80::1', 'IPv6')],
      ['10.0.0.1', '127.0.0.1'],
    ],
  ];
  for (const [interfaces, four] of worlds) {
    const allowedAddresses = ['127.0.0.1'];
    const { dns, client } = await startGuard(t, { allowedAddresses, interfaces: () => ({ eth0: interfaces }) });
    dns.set('a.test', addresses('a.test', ['10.0.0.1', '127.0.0.1', 'fd00::7']));
    t.deepEqual([await client.resolve4('a.test'), await client.resolve6('a.test')], [four, ['fd00::7']]);
  }
});

test('a long answer comes by TCP, with as many addresses as are reported', async (t) => {
  const { dns, client } = await startGuard(t);
  const list = Array.from({ length: 200 }, (_, index) => `10.0.0.${index}`);
  dns.set('long.test', addresses('long.test', list));
  t.is((await client.resolve4('long.test')).length, 128);
});

test('the control plane’s own addresses are learned by its names, and led to by no other', async (t) => {
  const { dns, guard, client } = await startGuard(t, { controlPlaneHosts: ['gatewright.gw.svc', '10.9.9.9'] });
  dns.set('gatewright.gw.svc', addresses('gatewright.gw.svc', ['10.96.0.7', 'fd00::7']));
  dns.set('sly.test', addresses('sly.test', ['10.96.0.7', '10.9.9.9', '10.0.0.1']));
  dns.set('sly6.test', addresses('sly6.test', ['fd00::7', '::ffff:10.96.0.7']));
  t.deepEqual(await client.resolve4('sly.test'), ['10.0.0.1']);
  await t.throwsAsync(client.resolve6('sly6.test'), { code: 'ENODATA' });
  t.regex(guard.rejections.list()[0]?.message ?? '', /10\.96\.0\.7, an address of the control plane/);
});

test('while it is not known where the control plane is, no name is answered', async (t) => {
  const { dns, client } = await startGuard(t, { controlPlaneHosts: ['gatewright.gw.svc'] });
  dns.set('gatewright.gw.svc', 'SERVFAIL');
  dns.set('a.test', addresses('a.test', ['10.0.0.1']));
  await t.throwsAsync(client.resolve4('a.test'), { code: 'ESERVFAIL' });
  dns.set('gatewright.gw.svc', []);
  const world = await startGuard(t, { controlPlaneHosts: ['gatewright.gw.svc'] });
  world.dns.set('a.test', addresses('a.test', ['10.0.0.1']));
  t.deepEqual(await world.client.resolve4('a.test'), ['10.0.0.1'], 'a name that does not exist is known');
});

test('questions for anything else than addresses are rejected, and what is no question gets no answer', async (t) => {
  const { guard, client } = await startGuard(t);
  await t.throwsAsync(client.resolveTxt('a.test'), { code: 'ENOTIMP' });
  const socket = createSocket('udp4');
  t.teardown(() => socket.close());
  const answers: Buffer[] = [];
  socket.on('message', (message) => answers.push(message));
  const ask = (message: Buffer) => socket.send(message, guard.address.port, guard.address.address);
  const question = (id: number) => encode({ type: 'query', id, questions: [{ type: 'A', name: '10.0.0.1' }] });
  for (const junk of [Buffer.alloc(0), Buffer.alloc(5), Buffer.alloc(12), Buffer.alloc(600, 0xc0)]) ask(junk);
  const many = question(2);
  many.writeUInt16BE(9, 4);
  ask(many);
  ask(encode({ type: 'response', id: 3, questions: [{ type: 'A', name: '10.0.0.1' }] }));
  ask(question(4));
  await until('the question to be answered', () => answers.length > 0);
  t.deepEqual(
    answers.map((message) => decode(message).id),
    [4],
  );
});

test('junk by TCP ends its connection and nothing else', async (t) => {
  const { dns, guard, client } = await startGuard(t);
  const socket = connect(guard.address.port, guard.address.address);
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.on('error', () => undefined);
  socket.write(Buffer.from([0, 4, 1, 2, 3, 4]));
  await closed;
  dns.set('a.test', addresses('a.test', ['10.0.0.1']));
  t.deepEqual(await client.resolve4('a.test'), ['10.0.0.1']);
});

test('sockets that are gone are opened again on the same port', async (t) => {
  const { guard } = await startGuard(t);
  const { port } = guard.address;
  guard.close();
  await guard.listen();
  t.is(guard.address.port, port);
});
