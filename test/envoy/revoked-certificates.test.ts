import { once } from 'node:events';
import { connect } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { backend, refs, startWorld } from '../support/graph-proxy.ts';
import { startBackend } from '../support/http.ts';
import { configMap, gateway, httpRoute, ownObject, secret } from '../support/objects.ts';
import { thorough } from '../support/repetitions.ts';
import { createRevokingAuthority, type RevocableCertificate } from '../support/revoking-authority.ts';
import { askTls } from '../support/tls-ask.ts';

/** Lists of revoked certificates, made by openssl, at a real Envoy. */

const authorityOf = (t: ExecutionContext, name = 'ours') => createRevokingAuthority(name, (end) => t.teardown(end));
type Mode = 'AllowValidOnly' | 'AllowInsecureFallback';

const policy = (tls: object, name = 'edge', target: object = {}) =>
  ownObject('ListenerPolicy', name, {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge', ...target }],
    tls,
  });
const crlRef = { kind: 'Secret', name: 'revoked' };
const base64 = (text: string) => Buffer.from(text).toString('base64');
const lists = (...pem: readonly string[]) => ({
  ...secret('revoked', {}),
  data: { 'ca.crl': base64(pem.join('')) },
});

interface Shown {
  readonly host?: string;
  readonly certificate?: RevocableCertificate;
}

/** Two HTTPS listeners, of which a policy may be for the first alone. `authorities`: those that clients are checked by. */
async function startGuarded(t: ExecutionContext, authorities: string, mode: Mode = 'AllowValidOnly') {
  const server = await (await authorityOf(t, 'servers')).issue('a.test');
  const web = await startBackend(t);
  const listener = (name: string, hostname: string) => ({
    name,
    port: 443,
    protocol: 'HTTPS',
    hostname,
    tls: { certificateRefs: [{ name: 'cert' }] },
  });
  const validation = { mode, caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'authorities' }] };
  const world = await startWorld(
    t,
    secret('cert', { 'tls.crt': server.certificatePem, 'tls.key': server.keyPem }),
    configMap('authorities', { 'ca.crt': authorities }),
    gateway('edge', [listener('one', 'a.test'), listener('two', 'b.test')] as never, {
      tls: { frontend: { default: { validation } } } as never,
    }),
    ...backend('web', web.port),
    httpRoute('web', { hostnames: ['a.test', 'b.test'], rules: refs({ web: 1 }) as never }),
  );
  const port = await world.envoy.port('https/443');
  /** The status; `closed` where the handshake fails. */
  const ask = ({ host = 'a.test', certificate }: Shown) =>
    askTls(port, { host, certificate }).then(
      ({ status }) => status,
      () => 'closed' as const,
    );
  return { ...world, port, ask };
}

test('a revoked certificate fails the handshake, and others come in', async (t) => {
  const ours = await authorityOf(t);
  const [alice, bob] = [await ours.issue('alice'), await ours.issue('bob')];
  const { ask, apply, port } = await startGuarded(t, ours.certificatePem);
  t.is(await ask({ certificate: bob }), 200);
  await apply(lists(await ours.crl({ revoked: [bob] })), policy({ crlRef }));
  t.is(await ask({ certificate: alice }), 200);
  t.is(await ask({ certificate: bob }), 'closed');
  t.is(await ask({}), 'closed', 'without a certificate, as before');

  const kept = await openConnection(t, port, alice);
  t.regex(await kept.ask(), /^HTTP\/1\.1 200/);
  await apply(lists(await ours.crl({ revoked: [alice] })));
  t.is(await ask({ certificate: alice }), 'closed', 'a new list is for the next handshake');
  t.is(await ask({ certificate: bob }), 200);
  t.regex(await kept.ask(), /^HTTP\/1\.1 200/, 'and ends no connection');
});

/** A connection that stays open between requests. */
async function openConnection(t: ExecutionContext, port: number, { certificatePem, keyPem }: RevocableCertificate) {
  const socket = connect({
    host: '127.0.0.1',
    port,
    servername: 'a.test',
    rejectUnauthorized: false,
    cert: certificatePem,
    key: keyPem,
  });
  t.teardown(() => socket.destroy());
  await once(socket, 'secureConnect');
  return {
    async ask(): Promise<string> {
      socket.write('GET / HTTP/1.1\r\nhost: a.test\r\n\r\n');
      const [answer] = (await once(socket, 'data')) as [Buffer];
      return answer.toString('latin1');
    },
  };
}

thorough(test)('without a usable list no client comes in where the policy is, and all do elsewhere', async (t) => {
  const ours = await authorityOf(t);
  const alice = await ours.issue('alice');
  const list = await ours.crl();
  const { ask, apply } = await startGuarded(t, ours.certificatePem);
  await apply(policy({ crlRef }, 'edge', { sectionName: 'one' }));
  const atBoth = async () => [await ask({ certificate: alice }), await ask({ certificate: alice, host: 'b.test' })];
  t.deepEqual(await atBoth(), ['closed', 200], 'there is no Secret');
  const bad: Readonly<Record<string, string>> = {
    'an empty entry': '',
    'no PEM': 'revoked: bob',
    'a certificate': alice.certificatePem,
    'half of a list': `${list.slice(0, 200)}\n-----END X509 CRL-----\n`,
    'a good list and a bad one': `${list}-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n`,
    'a list of another authority': await (await authorityOf(t)).crl(),
    'a list that has ended': await ours.crl({ ends: new Date(Date.now() - 60_000) }),
  };
  for (const [what, text] of Object.entries(bad)) {
    await apply(lists(list));
    t.deepEqual(await atBoth(), [200, 200], `before ${what}`);
    await apply(lists(text));
    t.deepEqual(await atBoth(), ['closed', 200], what);
  }
  await apply(lists(`before\r\n${list.replace(/\n/g, '\r\n')}\r\nbehind`));
  t.deepEqual(await atBoth(), [200, 200], 'text around it and other line ends');
});

thorough(test)('where clients without a certificate come in, a revoked one is none', async (t) => {
  const ours = await authorityOf(t);
  const [alice, bob] = [await ours.issue('alice'), await ours.issue('bob')];
  const { ask, apply } = await startGuarded(t, ours.certificatePem, 'AllowInsecureFallback');
  await apply(
    lists(await ours.crl({ revoked: [bob] })),
    policy({ crlRef }),
    ownObject('AccessPolicy', 'certificates', {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
      clientCertificates: { required: true },
    }),
  );
  t.deepEqual([await ask({ certificate: alice }), await ask({ certificate: bob }), await ask({})], [200, 403, 403]);
});

thorough(test)('each authority of a chain needs a list, or the client’s own alone', async (t) => {
  const root = await authorityOf(t, 'root');
  const [staff, former] = [await root.authority('staff'), await root.authority('former')];
  const [alice, bob, carol] = [await staff.issue('alice'), await staff.issue('bob'), await former.issue('carol')];
  const { ask, apply } = await startGuarded(t, root.certificatePem);
  const all = async () => Promise.all([alice, bob, carol].map((certificate) => ask({ certificate })));
  t.deepEqual(await all(), [200, 200, 200]);
  const [ofRoot, ofStaff, ofFormer] = [
    await root.crl({ revoked: [former] }),
    await staff.crl({ revoked: [bob] }),
    await former.crl(),
  ];
  await apply(lists(ofStaff, ofFormer), policy({ crlRef }));
  t.deepEqual(await all(), ['closed', 'closed', 'closed'], 'no list of the root');
  await apply(lists(ofRoot, ofStaff, ofFormer));
  t.deepEqual(await all(), [200, 'closed', 'closed'], 'an authority is revoked');
  await apply(policy({ crlRef, crlCheck: 'Leaf' }), lists(ofStaff, ofFormer));
  t.deepEqual(await all(), [200, 'closed', 200], 'the own certificate alone');
});
