import { once } from 'node:events';
import { connect as connectH2, type IncomingHttpHeaders } from 'node:http2';
import { connect } from 'node:tls';
import anyTest, { type TestFn } from 'ava';
import { signingAs } from '../../scripts/example/certificate.ts';
import { freePort } from '../../scripts/free-port.ts';
import {
  type ClientAuthority,
  type ClientCertificate,
  createClientAuthority,
  frontendObjects,
} from '../support/client-certificates.ts';
import { runCommand } from '../support/command.ts';
import { gatewayObjects, isCurrent, routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { askTls } from '../support/tls-ask.ts';
import { until } from '../support/until.ts';

/** A stranger with certificates that are not good enough, at a port that asks for certificates and takes any. */

interface Context {
  readonly gateway: Standalone;
  readonly port: number;
  readonly ours: ClientAuthority;
  readonly alice: ClientCertificate;
}

const test = anyTest as TestFn<Context>;

const policy = (spec: object): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name: 'certificates' },
  spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'guarded' }], ...spec },
});
const demanding = policy({ clientCertificates: { names: [{ dns: 'alice.corp' }] } });

/** A listener of the same port, which demands a certificate of all of its requests. */
const vault = { name: 'vault', hostname: 'vault.test' };

test.before(async (t) => {
  const [ours, port, gateway] = [await createClientAuthority('ours'), await freePort(), await startStandalone()];
  const server = await ours.issue({ subject: 'CN=server', dns: ['guarded.test', 'open.test', 'vault.test'] });
  const validation = {
    mode: 'AllowInsecureFallback',
    caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'authorities' }],
  };
  const [gatewayClass = {}, edge = {}] = gatewayObjects(gateway.port) as { spec?: { listeners: object[] } }[];
  const listener = { name: 'https', port, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'server' }] } };
  const spec = { ...edge.spec, tls: { frontend: { default: { validation } } } };
  gateway.write('gateway.yaml', gatewayClass, {
    ...edge,
    spec: { ...spec, listeners: [...(edge.spec?.listeners ?? []), listener, { ...listener, ...vault }] },
  });
  const route = (name: string) => routeObject(name, `${name}.test`, [{ backendRefs: [{ name: 'web', port: 80 }] }]);
  gateway.write(
    'world.yaml',
    ...frontendObjects(ours.certificatePem, server),
    ...(await gateway.backend('web')),
    route('guarded'),
    route('open'),
    route('vault'),
    demanding,
    {
      ...policy({
        targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge', sectionName: 'vault' }],
        clientCertificates: { names: [{ dns: 'alice.corp' }] },
      }),
      metadata: { name: 'vault' },
    },
  );
  const alice = await ours.issue({ subject: 'CN=alice,O=Corp', dns: ['alice.corp'] });
  t.context = { gateway, port, ours, alice };
  await until(
    'the route to be guarded',
    async () =>
      isCurrent(gateway) &&
      (await askTls(port, { host: 'guarded.test' }).catch(() => undefined))?.status === 403 &&
      (await askTls(port, { host: 'guarded.test', certificate: alice })).status === 200 &&
      (await askTls(port, { host: 'vault.test' })).status === 403,
  );
});
test.after.always((t) => t.context.gateway?.stop());

test('certificates of strangers, of servers, ended, with wildcards or forged names open nothing', async (t) => {
  const { port, ours, alice } = t.context;
  const stranger = await createClientAuthority('ours');
  const names = { subject: 'CN=alice,O=Corp', dns: ['alice.corp'] };
  const held: Readonly<Record<string, ClientCertificate>> = {
    'of another authority with the same name': await stranger.issue(names),
    'that has ended': await ours.issue({ ...names, ends: new Date(Date.now() - 60_000) }),
    'for servers': await ours.issue({ ...names, usage: 'serverAuth' }),
    'with a wildcard': await ours.issue({ dns: ['*.corp'] }),
    'with the name and a NUL': await ours.issue({ dns: ['alice.corp\0.evil.test'] }),
    'with the name behind another one': await ours.issue({
      dns: ['evil.test,alice.corp', 'xalice.corp', 'alice.corp.evil'],
    }),
    'with the name in other places': await ours.issue({
      subject: 'CN=alice.corp',
      uris: ['alice.corp'],
      emails: ['alice.corp'],
    }),
  };
  for (const [what, certificate] of Object.entries(held)) {
    for (const host of ['guarded.test', 'GUARDED.test', 'guarded.test:443'])
      t.is((await askTls(port, { host, sni: 'guarded.test', certificate })).status, 403, `${what}, ${host}`);
    t.is((await askTls(port, { host: 'open.test', certificate })).status, 200, `${what}: nothing is demanded there`);
  }
  t.is((await askTls(port, { host: 'guarded.test', certificate: alice })).status, 200, 'who is meant comes in');
});

test('who has a certificate signs none for others, whatever chain is shown', async (t) => {
  const { port, ours, alice } = t.context;
  const bob = await ours.issue({ subject: 'CN=bob', dns: ['bob.corp'] });
  const forged = await (await signingAs(bob)).issue({ subject: 'CN=alice,O=Corp', hostnames: ['alice.corp'] });
  const chains = {
    'with its signer': [forged, bob],
    'with the authority, too': [forged, bob, ours],
    alone: [forged],
    'behind a good one': [forged, alice],
  };
  for (const [what, chain] of Object.entries(chains)) {
    const certificatePem = chain.map((each) => each.certificatePem.trim()).join('\n');
    const certificate = { certificatePem, keyPem: forged.keyPem };
    t.is((await askTls(port, { host: 'guarded.test', certificate })).status, 403, what);
  }
  const first = [bob, alice].map((each) => each.certificatePem.trim()).join('\n');
  const certificate = { certificatePem: first, keyPem: bob.keyPem };
  t.is((await askTls(port, { host: 'guarded.test', certificate })).status, 403, 'the first one counts');
});

test('headers that speak of certificates open nothing and do not reach backends', async (t) => {
  const { port } = t.context;
  const headers = { 'x-forwarded-client-cert': 'Hash=0;Subject="CN=alice,O=Corp";DNS=alice.corp' };
  t.is((await askTls(port, { host: 'guarded.test', headers })).status, 403);
  const { body } = await askTls(port, { host: 'open.test', headers });
  t.notRegex(body, /x-forwarded-client-cert/i);
});

test('no session is resumed, so each connection shows its certificate again', async (t) => {
  const { port, alice } = t.context;
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    const session = await sessionOf(port, alice, maxVersion);
    const answer = await askTls(port, { host: 'guarded.test', maxVersion, session });
    t.deepEqual([answer.status, answer.resumed], [403, false], maxVersion);
  }
});

/** What a client keeps after a whole request, if it is given anything to keep. */
function sessionOf(port: number, { certificatePem, keyPem }: ClientCertificate, maxVersion: 'TLSv1.2' | 'TLSv1.3') {
  return new Promise<Buffer | undefined>((resolve, reject) => {
    let session: Buffer | undefined;
    const socket = connect(
      {
        host: '127.0.0.1',
        port,
        servername: 'guarded.test',
        rejectUnauthorized: false,
        maxVersion,
        cert: certificatePem,
        key: keyPem,
      },
      () => socket.write('GET / HTTP/1.1\r\nhost: guarded.test\r\nconnection: close\r\n\r\n'),
    );
    socket.on('session', (given: Buffer) => {
      session = given;
    });
    socket.resume();
    socket.once('error', reject);
    socket.once('close', () => resolve(session));
  });
}

test('one HTTP/2 connection is judged for each host that it is used for', async (t) => {
  const { port, alice } = t.context;
  const statuses = async (certificate: ClientCertificate | undefined, servername = 'open.test') => {
    const shown = certificate && { cert: certificate.certificatePem, key: certificate.keyPem };
    const session = connectH2(`https://127.0.0.1:${port}`, {
      servername,
      rejectUnauthorized: false,
      ...shown,
    });
    try {
      const answers: number[] = [];
      for (const host of ['open.test', 'guarded.test', 'vault.test', 'open.test']) {
        const stream = session.request({ ':authority': host, ':path': '/' });
        const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
        answers.push(Number(headers[':status']));
        stream.resume();
        await once(stream, 'end');
      }
      return answers;
    } finally {
      session.destroy();
    }
  };
  t.deepEqual(await statuses(undefined), [200, 403, 421, 200]);
  t.deepEqual(await statuses(alice), [200, 200, 421, 200], 'a host of another listener wants a connection of its own');
  t.deepEqual(await statuses(undefined, 'vault.test'), [421, 421, 403, 421]);
  t.deepEqual(await statuses(alice, 'vault.test'), [421, 421, 200, 421]);
});

test('route-test says what proxies answer, by the names of a certificate', async (t) => {
  const { gateway, port } = t.context;
  const { layout1 } = gateway.control.ports;
  const routeTest = async (target: string, ...more: readonly string[]) => {
    const url = `http://127.0.0.1:${layout1}`;
    const { stdout } = await runCommand(['route-test', target, ...more, '--server', url]);
    return stdout;
  };
  const https = `https://guarded.test:${port}/`;
  t.regex(await routeTest(https), /^403: clientCertificates of AccessPolicy default\/certificates[\s\S]*--cert-san/);
  t.regex(await routeTest(https, '--cert-san', 'Alice.corp'), /^forwarded[\s\S]*the certificate is of "Alice\.corp"/);
  t.regex(
    await routeTest(https, '--cert-san', 'spiffe://corp/alice', '--cert-subject', 'CN=alice'),
    /^403: [\s\S]*has none of the names/,
  );
  t.regex(
    await routeTest(`http://guarded.test:${gateway.port}/`, '--cert-san', 'alice.corp'),
    /^403: [\s\S]*the listener asks clients for no certificate/,
  );
});

test.serial('open connections are judged by a policy that changes', async (t) => {
  const { gateway, port, alice } = t.context;
  const session = connectH2(`https://127.0.0.1:${port}`, {
    servername: 'guarded.test',
    rejectUnauthorized: false,
    cert: alice.certificatePem,
    key: alice.keyPem,
  });
  t.teardown(() => session.destroy());
  const status = async () => {
    const stream = session.request({ ':authority': 'guarded.test', ':path': '/' });
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    stream.resume();
    await once(stream, 'end');
    return Number(headers[':status']);
  };
  t.is(await status(), 200);
  gateway.write('later.yaml', {
    ...policy({
      authorization: {
        rules: [{ name: 'bob', action: 'Allow', when: { clientCertificates: { names: [{ dns: 'bob.corp' }] } } }],
      },
    }),
    metadata: { name: 'later' },
  });
  await until('the same connection to be denied', async () => (await status()) === 403);
  gateway.remove('later.yaml');
  await until('the same connection to be let in', async () => (await status()) === 200);
});
