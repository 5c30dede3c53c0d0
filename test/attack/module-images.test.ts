import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { create } from 'tar';
import { AddressRules, hostRules } from '../../src/egress/index.ts';
import { type PullClient, pullModule } from '../../src/images/index.ts';
import { AddressGuard } from '../../src/outgoing/index.ts';
import { conditionOf, startScriptWorld } from '../support/extension-world.ts';
import { keyServerAddresses } from '../support/key-server.ts';
import { archiveLayer, type Registry, registrySecret, startRegistry, withImage } from '../support/registry.ts';
import { untilFits } from '../support/until.ts';
import { wasmModule } from '../support/wasm.ts';

/** Registries that lie, and tenants who want what others pull. */

const maxBytes = 1024 * 1024;

const caOf = (registry: Registry): string =>
  (registry.trust('ca') as { readonly data: { readonly 'ca.crt': string } }).data['ca.crt'];

const pulledFrom = (registry: Registry, reference: string, more: Partial<PullClient> = {}): Promise<Buffer> =>
  pullModule(
    { reference },
    {
      guard: new AddressGuard({
        allowLoopback: false,
        rules: new AddressRules({ allowed: [...keyServerAddresses] }),
      }),
      hosts: hostRules(),
      tls: { caCertificate: caOf(registry) },
      signal: AbortSignal.timeout(600_000),
      maxBytes,
      ...more,
    },
  );

const rejected = async (t: ExecutionContext, pull: Promise<unknown>, message: RegExp): Promise<void> => {
  const error = await t.throwsAsync(pull);
  t.is(error?.name, 'PullFault');
  t.regex(error?.message ?? '', message);
};

test('a registry that answers with other bytes than a digest stands for is believed neither for manifests nor for modules', async (t) => {
  const registry = await startRegistry(t);
  const reference = registry.push('guard', Buffer.from('module'));
  t.is(`${await pulledFrom(registry, reference)}`, 'module');
  registry.answerInstead('/v2/guard/blobs/', (_, response) => response.end('another'));
  await rejected(t, pulledFrom(registry, reference), /with bytes of another digest/);
  registry.answerInstead('/v2/guard/manifests/', (_, response) => response.end('{"layers": []}'));
  await rejected(t, pulledFrom(registry, reference), /with bytes of another digest/);
});

test('a module that is longer than allowed is not pulled, whether the registry says so, lies, or packs it', async (t) => {
  const registry = await startRegistry(t);
  const long = registry.push('long', Buffer.alloc(maxBytes + 1));
  await rejected(t, pulledFrom(registry, long), /1048577 bytes long, and 1048576 are allowed/);
  t.false(registry.requests.some((path) => path.includes('/blobs/')));

  const lying = registry.push('lying', Buffer.from('module'));
  let sent = 0;
  registry.answerInstead('/v2/lying/blobs/', (_, response) => {
    const more = (): void => {
      if (response.destroyed) return;
      sent += 65_536;
      response.write(Buffer.alloc(65_536), more);
    };
    more();
  });
  await rejected(t, pulledFrom(registry, lying), /answers more than 1024 KiB/);
  t.true(sent < 64 * maxBytes);

  const bomb = registry.push('bomb', gzipSync(Buffer.alloc(64 * maxBytes)), archiveLayer);
  await rejected(t, pulledFrom(registry, bomb), /its last layer is unpacked more than/);
});

/** A layer with one file; `link`: a link of the module's name to a file outside. */
async function archiveWith(name: string): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-layer-'));
  try {
    if (name === 'link') symlinkSync('/etc/hostname', join(folder, 'plugin.wasm'));
    else writeFileSync(join(folder, name), 'module');
    const stream = create({ cwd: folder, gzip: true }, [name === 'link' ? 'plugin.wasm' : name]);
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a module in an archive is found', async (t) => {
  const registry = await startRegistry(t);
  const reference = registry.push('guard', await archiveWith('plugin.wasm'), archiveLayer);
  t.is(`${await pulledFrom(registry, reference)}`, 'module');
});

test('archives without the module, and manifests that are none, are rejected in words', async (t) => {
  const registry = await startRegistry(t);
  const cases: readonly [string, RegExp][] = [
    [
      registry.push('a', Buffer.from('no archive'), archiveLayer),
      /its last layer (?:is no archive|has no plugin\.wasm)/,
    ],
    [registry.push('b', await archiveWith('other.wasm'), archiveLayer), /its last layer has no plugin\.wasm/],
    [registry.push('l', await archiveWith('link'), archiveLayer), /its last layer has no plugin\.wasm/],
    [registry.push('c', Buffer.from([0x1f, 0x8b, 1, 2]), archiveLayer), /its last layer cannot be unpacked/],
    [registry.push('d', Buffer.from(''), archiveLayer, { layers: [] }), /its manifest has no layer/],
    [registry.push('e', Buffer.from(''), archiveLayer, { layers: [{ digest: '../../x', size: 1 }] }), /has no layer/],
    [
      registry.push('n', Buffer.from(''), archiveLayer, { layers: [{ digest: { toString: 1 }, size: 1 }] }),
      /its manifest has no layer/,
    ],
    [
      registry.push('m', Buffer.from(''), archiveLayer, { mediaType: { toString: 1 } }),
      /is an index of several images/,
    ],
    [registry.push('f', Buffer.from(''), archiveLayer, { manifests: [] }), /is an index of several images/],
  ];
  for (const [reference, message] of cases) await rejected(t, pulledFrom(registry, reference), message);
});

/** Where nothing of a tenant's may lead the control plane. */
const inner = [
  ['https://169.254.169.254/latest/meta-data', /169\.254\.169\.254 is an address that is never called/],
  ['https://kubernetes.default.svc/api', /a name of the cluster/],
  ['http://example.test/blob', /which is no https URL/],
  ['https://user:password@example.test/', /which is no https URL/],
  ['file:///etc/passwd', /which is no https URL/],
] as const;

for (const [url, message] of inner)
  test(`a registry that redirects to ${url}, or names it as its token server, leads the control plane nowhere`, async (t) => {
    const registry = await startRegistry(t);
    const reference = registry.push('guard', Buffer.from('module'));
    registry.answerInstead('/v2/guard/blobs/', (_, response) => response.writeHead(307, { location: url }).end());
    await rejected(t, pulledFrom(registry, reference), message);
    registry.answerInstead('/v2/guard/manifests/', (_, response) =>
      response.writeHead(401, { 'www-authenticate': `Bearer realm="${url}"` }).end(),
    );
    await rejected(t, pulledFrom(registry, reference, { credentials: 'puller:secret' }), message);
  });

test('credentials go to the registry that they are for and not where it redirects to, and no fault has them', async (t) => {
  const registry = await startRegistry(t);
  const other = await startRegistry(t);
  const reference = registry.push('guard', Buffer.from('module'));
  const seen: unknown[] = [];
  other.answerInstead('/', ({ headers }, response) => {
    seen.push(headers.authorization);
    response.end('module');
  });
  registry.answerInstead('/v2/guard/blobs/', ({ headers }, response) => {
    if (headers.authorization) response.writeHead(307, { location: `${other.url}/blob` }).end();
    else response.writeHead(401, { 'www-authenticate': 'Basic realm="registry"' }).end();
  });
  // The other one has a certificate that no authority of the first one signed: the authorities of a registry are for it alone.
  const failed = await t.throwsAsync(pulledFrom(registry, reference, { credentials: 'puller:secret' }));
  t.notRegex(failed?.message ?? '', /secret|cHVsbGVy/);
  t.deepEqual(seen, []);
  registry.answerInstead('/v2/guard/manifests/', (_, response) => response.writeHead(403).end());
  const denied = await t.throwsAsync(pulledFrom(registry, reference, { credentials: 'puller:secret' }));
  t.regex(denied?.message ?? '', /answers 403: correct the credentials/);
  t.notRegex(denied?.message ?? '', /secret|cHVsbGVy/);
});

test('a registry that never answers holds up its own policy alone, and a call that is given up ends', async (t) => {
  const registry = await startRegistry(t);
  const reference = registry.push('guard', Buffer.from('module'));
  const asked = Promise.withResolvers<void>();
  registry.answerInstead('/v2/guard/blobs/', (_, response) => {
    response.writeHead(200).write('m');
    asked.resolve();
  });
  const given = new AbortController();
  const pull = pulledFrom(registry, reference, { signal: given.signal });
  await asked.promise;
  given.abort();
  await rejected(t, pull, /was given up/);
});

test('a tenant who names what another namespace pulls with its credentials does not get it', async (t) => {
  const world = await startScriptWorld(t);
  const registry = await startRegistry(t, 'puller:secret');
  const marks = await wasmModule({ response: (write) => write.header('add', 'response', 'x-answered', 'private') });
  const reference = registry.push('private', marks);
  const [gatewayClass = {}, gateway] = world.gatewayObjects as [object, { readonly spec: { listeners: object[] } }];
  const listeners = gateway.spec.listeners.map((each) => ({ ...each, allowedRoutes: { namespaces: { from: 'All' } } }));
  world.write('gateway.yaml', gatewayClass, { ...gateway, spec: { ...gateway.spec, listeners } });
  world.write('registry.yaml', registry.trust('registry-ca'), registrySecret('pull', 'puller:secret'));
  const route = {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'his', namespace: 'his' },
    spec: {
      parentRefs: [{ name: 'edge', namespace: 'default' }],
      hostnames: ['his.test'],
      rules: [{ filters: [{ type: 'RequestRedirect', requestRedirect: { hostname: 'else.test' } }] }],
    },
  };
  const authority = { ...registry.trust('registry-ca'), metadata: { name: 'registry-ca', namespace: 'his' } };
  world.write('his.yaml', route, authority);
  await world.rule(withImage('one', { name: 'web' }, { reference, secretRef: { name: 'pull' } }));
  await untilFits(
    'the module to act',
    async () => (await world.ask('a.test')).headers['x-answered'],
    (seen) => seen === 'private',
  );
  // The Secret is looked for in his own namespace.
  const cases = [
    [{}, /answers 401 and no token|name credentials by secretRef/],
    [{ secretRef: { name: 'pull' } }, /Secret his\/pull does not exist/],
  ] as const;
  for (const [more, message] of cases) {
    world.write('his-policy.yaml', withImage('his', { name: 'his' }, { reference, ...more }, { namespace: 'his' }));
    await untilFits(
      `his policy to say ${message}`,
      () => JSON.stringify(world.control.graph.statusOf('ExtensionPolicy', 'his/his')),
      (status) => message.test(status ?? ''),
    );
    await untilFits(
      'his route to be closed',
      async () => (await world.ask('his.test')).status,
      (status) => status === 503,
    );
    t.is((await world.ask('a.test')).headers['x-answered'], 'private');
  }
});

test('registries at inner addresses, and of other namespaces of the cluster, are asked nothing, and the policy says so', async (t) => {
  const world = await startScriptWorld(t);
  const digest = `sha256:${'0'.repeat(64)}`;
  for (const host of [
    '169.254.169.254',
    'registry.other.svc',
    'metadata.google.internal',
    '[::ffff:169.254.169.254]',
  ]) {
    await world.rule(withImage('one', { name: 'web' }, { reference: `${host}/guard@${digest}` }));
    const condition = await untilFits(
      `the policy to name ${host}`,
      () => conditionOf(world, 'one', 'ResolvedRefs'),
      (found) => found?.reason === 'HostnameNotAllowed',
    );
    t.regex(condition?.message ?? '', /nothing is pulled there; until then its targets are answered 503/);
    t.is((await world.ask('a.test')).status, 503);
  }
});
