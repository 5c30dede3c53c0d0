import { X509Certificate } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { certificateHash, publicKeyHash } from '../support/certificate-hashes.ts';
import { type ClientCertificate, createClientAuthority } from '../support/client-certificates.ts';
import { backend, refs, startWorld } from '../support/graph-proxy.ts';
import { startBackend } from '../support/http.ts';
import { configMap, gateway, httpRoute, ownObject, secret } from '../support/objects.ts';
import { thorough } from '../support/repetitions.ts';
import { askTls } from '../support/tls-ask.ts';

/** Which of the certificates that an authority signed may come in, and whose word about clients is taken, at a real Envoy. */

const [ours, strange] = await Promise.all([createClientAuthority('ours'), createClientAuthority('strange')]);
const alice = await ours.issue({ subject: 'CN=alice', dns: ['alice.corp'] });
const bob = await ours.issue({ subject: 'CN=bob', dns: ['bob.corp'] });
const carol = await ours.issue({ subject: 'CN=carol', dns: ['carol.corp'] });
const stranger = await strange.issue({ subject: 'CN=alice', dns: ['alice.corp'] });

const policy = (spec: object) =>
  ownObject('ListenerPolicy', 'edge', {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
    ...spec,
  });
const pinsOf = (...pinned: readonly ClientCertificate[]) => ({
  tls: { clientPins: { publicKeyHashes: pinned.map(publicKeyHash) } },
});

async function startPinned(t: ExecutionContext, mode: 'AllowValidOnly' | 'AllowInsecureFallback', spec: object) {
  const server = await ours.issue({ subject: 'CN=server', dns: ['a.test'] });
  const web = await startBackend(t);
  const validation = { mode, caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'authorities' }] };
  const listener = { name: 'https', port: 443, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'cert' }] } };
  const world = await startWorld(
    t,
    secret('cert', { 'tls.crt': server.certificatePem, 'tls.key': server.keyPem }),
    configMap('authorities', { 'ca.crt': ours.certificatePem }),
    gateway('edge', [listener] as never, { tls: { frontend: { default: { validation } } } as never }),
    ...backend('web', web.port),
    httpRoute('web', { hostnames: ['a.test'], rules: refs({ web: 1 }) as never }),
    policy(spec),
  );
  const port = await world.envoy.port('https/443');
  /** The status; `closed` where the handshake fails. */
  const ask = (certificate?: ClientCertificate, headers: Record<string, string> = {}) =>
    askTls(port, { host: 'a.test', certificate, headers }).then(
      ({ status }) => status,
      () => 'closed' as const,
    );
  const said = async (certificate: ClientCertificate, headers: Record<string, string> = {}) => {
    t.is(await ask(certificate, headers), 200);
    return web.seen.at(-1)?.['x-forwarded-client-cert'];
  };
  return { ...world, ask, said };
}

test('only pinned certificates come in, by their key or as a whole, and only if an authority signed them', async (t) => {
  const { ask, apply } = await startPinned(t, 'AllowValidOnly', {
    tls: {
      clientPins: {
        publicKeyHashes: [publicKeyHash(alice)],
        certificateHashes: [certificateHash(bob).toUpperCase(), certificateHash(stranger)],
      },
    },
  });
  for (const [certificate, answer] of [
    [alice, 200],
    [bob, 200],
    [carol, 'closed'],
    [stranger, 'closed'],
    [undefined, 'closed'],
  ] as const)
    t.is(await ask(certificate), answer, certificate && new X509Certificate(certificate.certificatePem).subject);
  await apply(policy(pinsOf(carol)));
  t.is(await ask(alice), 'closed');
  t.is(await ask(carol), 200);
  await apply(policy({ limits: { bufferBytes: 65536 } }));
  t.is(await ask(alice), 200, 'nothing is pinned any more');
});

thorough(test)('where others come in too, a certificate that is not pinned is none', async (t) => {
  const { ask, apply } = await startPinned(t, 'AllowInsecureFallback', pinsOf(alice));
  await apply(
    ownObject('AccessPolicy', 'demand', {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'web' }],
      clientCertificates: { required: true },
    }),
  );
  t.is(await ask(alice), 200);
  for (const certificate of [bob, stranger, undefined]) t.is(await ask(certificate), 403);
});

const forwarded = 'Hash=0;Subject="CN=user";DNS=user.corp';
const header = { 'x-forwarded-client-cert': forwarded };

test('what pinned proxies in front say of their clients stays, alone or with what they are', async (t) => {
  const { said, ask, apply } = await startPinned(t, 'AllowValidOnly', {
    ...pinsOf(alice),
    headers: { clientCertificate: 'Append' },
  });
  const own =
    /Hash=[0-9a-f]{64};Subject="CN=alice";URI=;DNS=alice\.corp$|Hash=[0-9a-f]{64};Subject="CN=alice";DNS=alice\.corp$/;
  const appended = String(await said(alice, header));
  t.true(appended.startsWith(`${forwarded},`), appended);
  t.regex(appended, own);
  t.regex(String(await said(alice)), own);
  t.is(await ask(bob, header), 'closed');
  await apply(policy({ ...pinsOf(alice), headers: { clientCertificate: 'Keep' } }));
  t.is(await said(alice, header), forwarded);
  t.is(await said(alice), undefined);
  await apply(policy({ headers: { clientCertificate: 'Keep' } }));
  t.is(await said(alice, header), undefined, 'who the proxies are is not said');
  await apply(policy({ headers: { clientCertificate: 'ForwardChain' } }));
  const chain = /;Chain="([^"]+)"/.exec(String(await said(bob, header)))?.[1];
  t.is(new X509Certificate(decodeURIComponent(chain ?? '')).subject, 'CN=bob');
});

thorough(test)('where others come in too, no word of a client about certificates is taken', async (t) => {
  const { said } = await startPinned(t, 'AllowInsecureFallback', {
    ...pinsOf(alice),
    headers: { clientCertificate: 'Append' },
  });
  for (const certificate of [alice, bob, stranger]) t.is(await said(certificate, header), undefined);
});
