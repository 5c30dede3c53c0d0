import { createServer, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { issue } from '../support/certificates.ts';
import { backend, refs, startWorld } from '../support/graph-proxy.ts';
import {
  askTcp,
  askTls,
  openEcho,
  startEchoBackend,
  startTcpBackend,
  startTlsBackend,
} from '../support/l4-backends.ts';
import { gateway, l4Route, ownObject, secret } from '../support/objects.ts';

/** Policies of access on listeners and routes of connections, with a real Envoy. */

const ref = (kind: string, name: string, sectionName?: string) => ({
  group: 'gateway.networking.k8s.io',
  kind,
  name,
  ...(sectionName && { sectionName }),
});
const policy = (target: object, parts: object, name = 'p') =>
  ownObject('AccessPolicy', name, { targetRefs: [target], ...parts });
const loopback = '127.0.0.0/8';
const own = '127.0.0.1/32';

/** A backend that speaks first, and how many connections it has had. */
async function startGreeter(t: ExecutionContext) {
  let connections = 0;
  const server = createServer((socket: Socket) => {
    connections += 1;
    socket.on('error', () => undefined).end('greeter');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return { port: (server.address() as { port: number }).port, connections: () => connections };
}

const tcp = (name: string, port: number) => ({ name, port, protocol: 'TCP' });
const atListener = (sectionName: string, name: string) => ({
  parentRefs: [{ name: 'edge', sectionName }],
  rules: refs({ [name]: 1 }),
});

test.serial(
  'who may not come in is closed before the backend says anything, and others’ routes are open',
  async (t) => {
    const greeter = await startGreeter(t);
    const { envoy, apply } = await startWorld(
      t,
      gateway('edge', [tcp('one', 9000), tcp('two', 9001)]),
      ...backend('a', greeter.port),
      ...backend('b', await startTcpBackend(t, 'b')),
      l4Route('TCPRoute', 'one', atListener('one', 'a')),
      l4Route('TCPRoute', 'two', atListener('two', 'b')),
    );
    const ports = { one: await envoy.port('tcp/9000'), two: await envoy.port('tcp/9001') };
    t.is(await askTcp(ports.one), 'greeter');
    const before = greeter.connections();
    for (const [target, name] of [
      [ref('TCPRoute', 'one'), 'a route'],
      [ref('Gateway', 'edge', 'one'), 'a listener'],
    ] as const) {
      for (const [clientIPs, answer] of [
        [{ deny: [loopback] }, ''],
        [{ allow: ['10.0.0.0/8'] }, ''],
        [{ allow: [loopback], deny: [own] }, ''],
        [{ allow: [own], deny: [loopback] }, ''],
        [{ allow: [own], deny: [own] }, ''],
      ] as const) {
        await apply(policy(target, { clientIPs }));
        t.is(await askTcp(ports.one), answer, `${name}: ${JSON.stringify(clientIPs)}`);
        t.is(await askTcp(ports.two), 'b', name);
      }
    }
    t.is(greeter.connections(), before, 'the backend saw none of them');
    for (const clientIPs of [
      { allow: [own] },
      { deny: ['127.0.0.2/32'] },
      { allow: [loopback], deny: ['127.0.0.2/32'] },
    ]) {
      await apply(policy(ref('TCPRoute', 'one'), { clientIPs }));
      t.is(await askTcp(ports.one), 'greeter', JSON.stringify(clientIPs));
    }
  },
);

test.serial(
  'levels add up, a route switches off what its Gateway lists, and other parts close the route alone',
  async (t) => {
    const { envoy, apply } = await startWorld(
      t,
      gateway('edge', [tcp('one', 9000), tcp('two', 9001)]),
      ...backend('a', await startTcpBackend(t, 'a')),
      l4Route('TCPRoute', 'one', atListener('one', 'a')),
      l4Route('TCPRoute', 'two', atListener('two', 'a')),
      policy(ref('Gateway', 'edge'), { clientIPs: { deny: [own] }, overridable: ['clientIPs'] }),
    );
    const ask = async () => [await askTcp(await envoy.port('tcp/9000')), await askTcp(await envoy.port('tcp/9001'))];
    t.deepEqual(await ask(), ['', '']);
    await apply(policy(ref('TCPRoute', 'one'), { overrides: ['clientIPs'] }, 'lower'));
    t.deepEqual(await ask(), ['a', '']);
    await apply(policy(ref('Gateway', 'edge'), { clientIPs: { deny: [own] } }));
    t.deepEqual(await ask(), ['', '']);
    await apply(policy(ref('Gateway', 'edge'), { clientIPs: { allow: [loopback] } }));
    t.deepEqual(await ask(), ['a', 'a']);
    await apply(policy(ref('TCPRoute', 'one'), { clientIPs: { allow: ['127.0.0.2/32'] } }, 'lower'));
    t.deepEqual(await ask(), ['', 'a'], 'who is in both');
    await apply(policy(ref('TCPRoute', 'one'), { clientIPs: { allow: [own] }, csrf: {} }, 'lower'));
    t.deepEqual(await ask(), ['', 'a'], 'what connections cannot show');
    await apply(policy(ref('TCPRoute', 'one'), { clientIPs: { allow: [own] } }, 'lower'));
    t.deepEqual(await ask(), ['a', 'a']);
    await apply(policy(ref('TCPRoute', 'one'), { clientIPs: { allow: ['127.0.0.1/8'] } }, 'lower'));
    t.deepEqual(await ask(), ['', 'a'], 'a network that is none');
    await apply(policy(ref('Gateway', 'edge'), { clientIPs: { allow: ['127.0.0.1/8'] } }));
    t.deepEqual(await ask(), ['', '']);
  },
);

test.serial(
  'by SNI each host has its own clients, passed through or not, and what is closed goes to no wider host',
  async (t) => {
    const pair = await issue('a.test');
    const certificateRefs = [{ name: 'cert' }];
    const { envoy, apply } = await startWorld(
      t,
      secret('cert', { 'tls.crt': pair.certificate, 'tls.key': pair.key }),
      gateway('edge', [
        {
          name: 'ends',
          port: 443,
          protocol: 'TLS',
          hostname: '*.ends.test',
          tls: { mode: 'Terminate', certificateRefs },
        },
        { name: 'through', port: 443, protocol: 'TLS', tls: { mode: 'Passthrough' } },
      ] as never),
      ...backend('plain', await startTcpBackend(t, 'plain')),
      ...backend('own', await startTlsBackend(t, 'own', pair)),
      l4Route('TLSRoute', 'a', { ...atListener('ends', 'plain'), hostnames: ['a.ends.test'] }),
      l4Route('TLSRoute', 'wide', { ...atListener('ends', 'plain'), hostnames: ['*.ends.test'] }),
      l4Route('TLSRoute', 'b', { ...atListener('through', 'own'), hostnames: ['b.test'] }),
      l4Route('TLSRoute', 'any', { ...atListener('through', 'own') }),
    );
    const port = await envoy.port('tls/443');
    const ask = async () =>
      Promise.all(
        ['a.ends.test', 'c.ends.test', 'b.test', 'c.test'].map(async (host) => (await askTls(port, host)).text),
      );
    t.deepEqual(await ask(), ['plain', 'plain', 'own', 'own']);
    const clientIPs = { deny: [own] };
    await apply(policy(ref('TLSRoute', 'a'), { clientIPs }));
    t.deepEqual(await ask(), ['', 'plain', 'own', 'own']);
    await apply(policy(ref('TLSRoute', 'b'), { clientIPs }));
    t.deepEqual(await ask(), ['plain', 'plain', '', 'own']);
    await apply(policy(ref('Gateway', 'edge', 'ends'), { clientIPs }));
    t.deepEqual(await ask(), ['', '', 'own', 'own']);
  },
);

test.serial('a policy of one listener closes no connection of another', async (t) => {
  const echo = await startEchoBackend(t);
  const { envoy, apply } = await startWorld(
    t,
    gateway('edge', [tcp('one', 9000), tcp('two', 9001)]),
    ...backend('a', echo),
    l4Route('TCPRoute', 'one', atListener('one', 'a')),
    l4Route('TCPRoute', 'two', atListener('two', 'a')),
  );
  const [one, two] = [await envoy.port('tcp/9000'), await envoy.port('tcp/9001')];
  const kept = await openEcho(t, two);
  t.is(await kept.say('before'), 'before');
  await apply(policy(ref('Gateway', 'edge', 'one'), { clientIPs: { deny: [own] } }));
  t.is(await askTcp(one), '');
  t.is(await kept.say('after'), 'after');
});
