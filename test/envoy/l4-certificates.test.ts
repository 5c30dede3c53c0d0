import test, { type ExecutionContext } from 'ava';
import { issue } from '../support/certificates.ts';
import { type ClientCertificate, type ClientNames, createClientAuthority } from '../support/client-certificates.ts';
import { backend, refs, startWorld } from '../support/graph-proxy.ts';
import { askTls, startTcpBackend, startTlsBackend } from '../support/l4-backends.ts';
import { configMap, gateway, l4Route, ownObject, secret } from '../support/objects.ts';
import { every, thorough } from '../support/repetitions.ts';

/** Certificates that policies demand of the clients of connections, with a real Envoy. */

const [ours, strange] = await Promise.all([createClientAuthority('ours'), createClientAuthority('strange')]);
const shown: Readonly<Record<string, ClientNames>> = {
  alice: { subject: 'CN=alice,O=Corp', dns: ['Alice.Corp'] },
  below: { dns: ['x.alice.corp'] },
  wildcard: { dns: ['*.corp'] },
  uri: { uris: ['spiffe://corp/alice'] },
  uriBelow: { uris: ['spiffe://corp/alice/one'] },
  subject: { subject: 'CN=alice.corp' },
};
const certificates = new Map<string, ClientCertificate | undefined>([
  ['none', undefined],
  ...(await Promise.all(Object.entries(shown).map(async ([name, names]) => [name, await ours.issue(names)] as const))),
  ['stranger', await strange.issue({ dns: ['alice.corp'] })],
  ['ended', await ours.issue({ dns: ['alice.corp'], ends: new Date(Date.now() - 60_000) })],
]);
const verified = Object.keys(shown);

const policy = (kind: string, name: string, parts: object, sectionName?: string) =>
  ownObject('AccessPolicy', sectionName ?? 'p', {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind, name, ...(sectionName && { sectionName }) }],
    ...parts,
  });
const demanding = (...names: readonly object[]) => ({ clientCertificates: { names } });

async function startTls(t: ExecutionContext, mode: 'AllowValidOnly' | 'AllowInsecureFallback') {
  const pair = await issue('ends.test');
  const validation = { mode, caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'authorities' }] };
  const terminate = { mode: 'Terminate', certificateRefs: [{ name: 'cert' }] };
  const rules = [{ name: 'all', ...refs({ plain: 1 })[0] }] as never;
  const world = await startWorld(
    t,
    secret('cert', { 'tls.crt': pair.certificate, 'tls.key': pair.key }),
    configMap('authorities', { 'ca.crt': ours.certificatePem }),
    gateway(
      'edge',
      [
        { name: 'ends', port: 443, protocol: 'TLS', hostname: '*.ends.test', tls: terminate },
        { name: 'through', port: 443, protocol: 'TLS', hostname: '*.through.test', tls: { mode: 'Passthrough' } },
        { name: 'bytes', port: 9000, protocol: 'TCP' },
      ] as never,
      { tls: { frontend: { default: { validation } } } as never },
    ),
    ...backend('plain', await startTcpBackend(t, 'plain')),
    ...backend('own', await startTlsBackend(t, 'own', pair)),
    l4Route('TLSRoute', 'a', {
      parentRefs: [{ name: 'edge', sectionName: 'ends' }],
      hostnames: ['a.ends.test'],
      rules,
    }),
    l4Route('TLSRoute', 'wide', {
      parentRefs: [{ name: 'edge', sectionName: 'ends' }],
      hostnames: ['*.ends.test'],
      rules,
    }),
    l4Route('TLSRoute', 'through', {
      parentRefs: [{ name: 'edge', sectionName: 'through' }],
      hostnames: ['a.through.test'],
      rules: refs({ own: 1 }) as never,
    }),
    l4Route('TCPRoute', 'bytes', { parentRefs: [{ name: 'edge', sectionName: 'bytes' }], rules }),
  );
  const port = await world.envoy.port('tls/443').catch(() => world.envoy.port('https/443'));
  const ask = (host: string, certificate?: ClientCertificate) =>
    askTls(port, host, certificate && { certificate: certificate.certificatePem, key: certificate.keyPem }).then(
      ({ text }) => text,
      () => '',
    );
  /** Whose connections reach the backend. */
  const admitted = async (host: string) => {
    const answers = await Promise.all(
      [...certificates].map(async ([name, certificate]) => [name, await ask(host, certificate)] as const),
    );
    return answers.flatMap(([name, text]) => (text === 'plain' ? [name] : []));
  };
  return { ...world, ask, admitted };
}

const names: readonly (readonly [string, object, readonly string[]])[] = [
  ['any certificate', { clientCertificates: { required: true } }, verified],
  ['a DNS name', demanding({ dns: 'alice.corp' }), ['alice']],
  ['DNS names below a domain', demanding({ dns: '*.alice.corp' }), ['below']],
  ['a URI', demanding({ uri: 'spiffe://corp/alice' }), ['uri']],
  ['URIs below a path', demanding({ uri: 'spiffe://corp/alice/*' }), ['uriBelow']],
  ['one of two', demanding({ dns: 'alice.corp' }, { uri: 'spiffe://corp/alice' }), ['alice', 'uri']],
];

for (const mode of every(2, ['AllowValidOnly', 'AllowInsecureFallback'] as const)) {
  test(`with ${mode}, connections of a route reach its backend with a demanded certificate alone`, async (t) => {
    const { apply, admitted } = await startTls(t, mode);
    const open = mode === 'AllowValidOnly' ? verified : [...certificates.keys()];
    t.deepEqual(await admitted('a.ends.test'), open);
    for (const [what, parts, fitting] of names) {
      await apply(policy('TLSRoute', 'a', parts));
      t.deepEqual(await admitted('a.ends.test'), fitting, what);
      t.deepEqual(await admitted('b.ends.test'), open, `${what}: another host`);
    }
    await apply(policy('TLSRoute', 'a', { clientIPs: { allow: ['127.0.0.0/8'] } }));
    await apply(policy('TLSRoute', 'wide', demanding({ dns: 'alice.corp' })));
    t.deepEqual(await admitted('b.ends.test'), ['alice'], 'a wildcard host');
    t.deepEqual(await admitted('a.ends.test'), open, 'a more specific route');
  });
}

thorough(test)(
  'a route and its rule want a name that both have, with an address, and nothing that connections lack',
  async (t) => {
    const { apply, admitted, ask } = await startTls(t, 'AllowInsecureFallback');
    const alice = certificates.get('alice');
    await apply(
      policy('TLSRoute', 'a', demanding({ dns: 'alice.corp' }, { uri: 'spiffe://corp/alice' })),
      policy('TLSRoute', 'a', demanding({ uri: 'spiffe://corp/alice' }, { dns: 'x.alice.corp' }), 'all'),
    );
    t.deepEqual(await admitted('a.ends.test'), ['uri']);
    await apply(policy('TLSRoute', 'a', demanding({ dns: 'x.alice.corp' }), 'all'));
    t.deepEqual(await admitted('a.ends.test'), [], 'none that both have');
    await apply(policy('TLSRoute', 'a', { clientCertificates: { required: true } }, 'all'));
    t.deepEqual(await admitted('a.ends.test'), ['alice', 'uri']);
    await apply(policy('TLSRoute', 'a', { clientIPs: { deny: ['127.0.0.1/32'] } }, 'all'));
    t.deepEqual(await admitted('a.ends.test'), []);
    await apply(policy('TLSRoute', 'a', demanding({ subject: 'CN=alice,O=Corp' }), 'all'));
    t.deepEqual(await admitted('a.ends.test'), [], 'a subject');
    t.is(await ask('a.through.test', alice), 'own');
    await apply(policy('TLSRoute', 'through', { clientCertificates: { required: true } }));
    t.is(await ask('a.through.test', alice), '', 'TLS is passed through');
  },
);
