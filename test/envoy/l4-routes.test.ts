import { createServer } from 'node:http';
import { request } from 'node:https';
import test, { type ExecutionContext } from 'ava';
import { type Authority, createAuthority } from '../../scripts/example/certificate.ts';
import { freePort } from '../../scripts/free-port.ts';
import { issue, type TestCertificate } from '../support/certificates.ts';
import { backend, refs, startWorld } from '../support/graph-proxy.ts';
import {
  askTcp,
  askTls,
  askUdp,
  countOf,
  openEcho,
  startEchoBackend,
  startTcpBackend,
  startTlsBackend,
  startUdpBackend,
} from '../support/l4-backends.ts';
import { backendTlsPolicy, configMap, endpointSlice, gateway, httpRoute, l4Route, secret } from '../support/objects.ts';
import { until } from '../support/until.ts';

const near = (t: ExecutionContext, share: number, wanted: number, what: string): void => {
  t.true(Math.abs(share - wanted) < 0.15, `${what} has ${share}, not about ${wanted}`);
};

test.serial('TCP connections are shared out by weight, those of a missing backend are closed', async (t) => {
  const { envoy, apply } = await startWorld(
    t,
    gateway('edge', [{ name: 'tcp', port: 9000, protocol: 'TCP' }]),
    ...backend('a', await startTcpBackend(t, 'a')),
    ...backend('b', await startTcpBackend(t, 'b')),
    ...backend('never', await startTcpBackend(t, 'never')),
  );
  const port = await envoy.port('tcp/9000');
  t.is(await askTcp(port), '', 'no route: closed');
  await apply(l4Route('TCPRoute', 'shared', { rules: refs({ a: 5, b: 3, gone: 2, never: 0 }) }));
  const clients = 300;
  const answers = await Promise.all(Array.from({ length: clients }, () => askTcp(port)));
  near(t, countOf(answers, 'a') / clients, 0.5, 'a');
  near(t, countOf(answers, 'b') / clients, 0.3, 'b');
  near(t, countOf(answers, '') / clients, 0.2, 'closed');
  t.is(countOf(answers, 'never'), 0, 'weight 0');
  const older = { created: '2025-01-01T00:00:00Z' };
  await apply(l4Route('TCPRoute', 'older', { rules: refs({ never: 1 }) }, older));
  t.is(await askTcp(port), 'never', 'of two routes the older one is served');
});

test.serial('UDP sessions are shared out by weight, datagrams of a missing backend are dropped', async (t) => {
  const { envoy, apply } = await startWorld(
    t,
    gateway('edge', [{ name: 'dns', port: 53, protocol: 'UDP' }]),
    ...backend('a', await startUdpBackend(t, 'a'), 'UDP'),
    ...backend('b', await startUdpBackend(t, 'b'), 'UDP'),
  );
  const port = await envoy.port('udp/53');
  await apply(l4Route('UDPRoute', 'dns', { rules: refs({ a: 5, b: 3, gone: 2 }) }));
  const clients = 300;
  const dropped = () => envoy.stat('udp.udp_53_dns.downstream_sess_no_route');
  const answers: string[] = [];
  // A few at a time: more than a socket's buffer holds would be lost before Envoy sees them.
  for (let asked = 50; asked <= clients; asked += 50) {
    const few = await askUdp(t, port, 50);
    await until('every datagram', async () => answers.length + few.answers.length + (await dropped()) === asked);
    answers.push(...few.answers);
  }
  near(t, countOf(answers, 'a') / clients, 0.5, 'a');
  near(t, countOf(answers, 'b') / clients, 0.3, 'b');
  near(t, (await dropped()) / clients, 0.2, 'closed');
  await apply(l4Route('UDPRoute', 'dns', { rules: refs({ b: 1 }) }, { generation: 2 }));
  const again = await askUdp(t, port, 10);
  await until('every answer', () => again.answers.length === 10);
  t.is(countOf(again.answers, 'b'), 10, 'one backend has all');
});

async function startHttpBackend(t: ExecutionContext): Promise<number> {
  const server = createServer((_, response) => response.end('http'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return (server.address() as { port: number }).port;
}

function askHttps(port: number, host: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, servername: host, headers: { host }, rejectUnauthorized: false };
    const outgoing = request({ ...options, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, body }));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

test.serial('HTTPS, terminated TLS and passthrough share a port, by SNI', async (t) => {
  const edge = await issue('edge.test');
  const own = await issue('own.test');
  const certificateRefs = [{ name: 'cert' }];
  const { envoy, apply } = await startWorld(
    t,
    secret('cert', { 'tls.crt': edge.certificate, 'tls.key': edge.key }),
    gateway('edge', [
      { name: 'web', port: 443, protocol: 'HTTPS', hostname: 'web.test', tls: { certificateRefs } },
      {
        name: 'mail',
        port: 443,
        protocol: 'TLS',
        hostname: '*.mail.test',
        tls: { mode: 'Terminate', certificateRefs },
      },
      { name: 'through', port: 443, protocol: 'TLS', hostname: '*.test', tls: { mode: 'Passthrough' } },
    ]),
    ...backend('web', await startHttpBackend(t)),
    ...backend('plain', await startTcpBackend(t, 'plain')),
    ...backend('own', await startTlsBackend(t, 'own', own)),
    ...backend('other', await startTlsBackend(t, 'other', own)),
    httpRoute('web', {}),
    l4Route('TLSRoute', 'mail', { hostnames: ['a.mail.test'], rules: refs({ plain: 1 }) }),
    l4Route('TLSRoute', 'own', { hostnames: ['own.test', 'web.test'], rules: refs({ own: 1 }) }),
    l4Route('TLSRoute', 'lost', { hostnames: ['lost.test'], rules: refs({ gone: 1 }) }),
    l4Route('TLSRoute', 'all', { hostnames: ['*.sub.test'], rules: refs({ other: 1 }) }),
  );
  const port = await envoy.port('https/443');
  t.deepEqual(await askHttps(port, 'web.test'), { status: 200, body: 'http' });
  t.deepEqual(await askTls(port, 'a.mail.test'), { text: 'plain', certificate: 'edge.test' });
  t.deepEqual(await askTls(port, 'own.test'), { text: 'own', certificate: 'own.test' });
  t.deepEqual(await askTls(port, 'x.sub.test'), { text: 'other', certificate: 'own.test' });
  t.deepEqual(await askTls(port, 'lost.test'), { text: '' }, 'a backend that is not there');
  t.deepEqual(await askTls(port, 'unknown.test'), { text: '' }, 'a host of the listener without a route');
  t.deepEqual(await askTls(port, 'else.where'), { text: '' }, 'a host of no listener');
  t.is((await askTls(port, 'b.mail.test')).text, '', 'never the wider listener’s backend');
  t.deepEqual(await askTls(port), { text: '' }, 'no SNI');
  const updates = () => envoy.stat('listener_manager.listener_in_place_updated');
  const before = await updates();
  const moved = { hostnames: ['own.test'], rules: refs({ other: 1 }) };
  await apply(l4Route('TLSRoute', 'own', moved, { generation: 2 }));
  t.deepEqual(await askTls(port, 'own.test'), { text: 'other', certificate: 'own.test' });
  t.is(await updates(), before, 'where a host goes is no part of the listener');
  await apply(l4Route('TLSRoute', 'new', { hostnames: ['new.test'], rules: refs({ own: 1 }) }));
  t.deepEqual(await askTls(port, 'new.test'), { text: 'own', certificate: 'own.test' });
  t.is(await updates(), before + 1, 'a new host is a new chain beside the others');
});

test.serial('a connection stays where it is when its route sends new ones elsewhere', async (t) => {
  const { envoy, apply } = await startWorld(
    t,
    gateway('edge', [{ name: 'tcp', port: 9000, protocol: 'TCP' }]),
    ...backend('a', await startEchoBackend(t)),
    ...backend('b', await startTcpBackend(t, 'b')),
    l4Route('TCPRoute', 'tcp', { rules: refs({ a: 1 }) }),
  );
  const port = await envoy.port('tcp/9000');
  const kept = await openEcho(t, port);
  t.is(await kept.say('one'), 'one');
  await apply(l4Route('TCPRoute', 'tcp', { rules: refs({ b: 1 }) }, { generation: 2 }));
  t.is(await askTcp(port), 'b');
  t.is(await kept.say('two'), 'two');
  t.is(await envoy.stat('listener_manager.total_filter_chains_draining'), 0);
});

test.serial('a connection goes to another endpoint when one is gone before the proxy knows', async (t) => {
  const [gone, b] = [await freePort(), await startTcpBackend(t, 'b')];
  const { envoy } = await startWorld(
    t,
    gateway('edge', [{ name: 'tcp', port: 9000, protocol: 'TCP' }]),
    ...backend('a', b),
    endpointSlice('a', ['127.0.0.1'], { port: gone, suffix: 'gone' }),
    l4Route('TCPRoute', 'tcp', { rules: refs({ a: 1 }) }),
  );
  const port = await envoy.port('tcp/9000');
  for (let opened = 0; opened < 20; opened++) t.is(await askTcp(port), 'b');
});

async function issuedBy(authority: Authority, hostname: string): Promise<TestCertificate> {
  const { certificatePem: certificate, keyPem: key } = await authority.issue({ hostnames: [hostname] });
  return { certificate, key };
}

const secretOf = (name: string, { certificate, key }: TestCertificate) =>
  secret(name, { 'tls.crt': certificate, 'tls.key': key });

const trusting = (name: string) => [{ group: '', kind: 'ConfigMap', name }];

test.serial('policies and checks of clients are for where TLS ends: other bytes keep the TLS they have', async (t) => {
  const [inside, outside] = [await createAuthority('inside'), await createAuthority('outside')];
  const client = await issuedBy(outside, 'client.test');
  const own = await startTlsBackend(t, 'own', await issuedBy(inside, 'own.test'), inside.certificatePem);
  const { envoy, apply } = await startWorld(
    t,
    secretOf('cert', await issue('edge.test')),
    secretOf('shown', await issuedBy(inside, 'shown.test')),
    configMap('inside', { 'ca.crt': inside.certificatePem }),
    configMap('outside', { 'ca.crt': outside.certificatePem }),
    gateway(
      'edge',
      [
        {
          name: 'ends',
          port: 443,
          protocol: 'TLS',
          hostname: 'ends.test',
          tls: { mode: 'Terminate', certificateRefs: [{ name: 'cert' }] },
        },
        { name: 'through', port: 443, protocol: 'TLS', hostname: '*.test', tls: { mode: 'Passthrough' } },
        { name: 'tcp', port: 9000, protocol: 'TCP' },
      ],
      {
        tls: {
          backend: { clientCertificateRef: { name: 'shown' } },
          frontend: { default: { validation: { caCertificateRefs: trusting('outside') } } },
        } as never,
      },
    ),
    ...backend('own', own),
    backendTlsPolicy('own', {
      targetRefs: [{ group: '', kind: 'Service', name: 'own' }],
      validation: { hostname: 'own.test', caCertificateRefs: trusting('inside') },
    } as never),
    l4Route('TLSRoute', 'tls', { hostnames: ['ends.test', 'own.test'], rules: refs({ own: 1 }) }),
    l4Route('TCPRoute', 'tcp', { rules: refs({ own: 1 }) }),
  );
  const [tls, tcp] = [await envoy.port('tls/443'), await envoy.port('tcp/9000')];
  t.deepEqual(await askTls(tls, 'ends.test', client), { text: 'own for shown.test', certificate: 'edge.test' });
  t.is((await askTls(tls, 'ends.test')).text, '', 'a client without a certificate');
  t.deepEqual(await askTls(tls, 'own.test'), { text: 'own', certificate: 'own.test' });
  t.deepEqual(await askTls(tcp), { text: 'own', certificate: 'own.test' });
  await apply(configMap('inside', {}));
  t.is((await askTls(tls, 'ends.test', client)).text, '', 'a backend that cannot be checked');
  t.deepEqual(await askTls(tls, 'own.test'), { text: 'own', certificate: 'own.test' });
});
