import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { bundle } from '../../scripts/bundle.ts';
import { certificateBlocks } from '../../src/graph/certificates/pem.ts';
import { hostileBodies } from '../support/hostile-bodies.ts';
import { hostileYaml } from '../support/hostile-yaml.ts';
import { InputWorld } from '../support/input-world.ts';
import { oddButGood } from '../support/odd-certificates.ts';
import { routeObject } from '../support/standalone.ts';

// A tenant whose objects, and a hand whose files, cost more than they weigh: the program is the one of the image.

const test = anyTest as TestFn<{ world: InputWorld; folder: string }>;
const patient = 600_000;
const mebi = 1024 * 1024;

test.before(async (t) => {
  t.timeout(patient);
  t.context.folder = mkdtempSync(join(tmpdir(), 'gatewright-input-bundle-'));
  const [good] = Object.values(await oddButGood());
  const [certificate = ''] = certificateBlocks(good?.certificate ?? '', 1);
  pair = { certificate, key: good?.key ?? '' };
  await bundle(t.context.folder);
  t.context.world = await InputWorld.start({ file: join(t.context.folder, 'bin/gatewright.js') });
  // Definitions of kinds, and code that has not run before, are of the first file.
  await serveBehind(t.context.world, 'warm', tenantObjects('warm', 1));
});

test.after.always(async (t) => {
  await t.context.world?.stop();
  if (t.context.folder) await rm(t.context.folder, { recursive: true, force: true });
});

let changes = 0;

/** Writes a file, then changes the route of another; waits until the proxy serves that change. */
async function serveBehind(world: InputWorld, name: string, content: string | readonly object[]): Promise<void> {
  world.write(`${name}.yaml`, content);
  changes += 1;
  const host = `change-${changes}.test`;
  const answer = { type: 'RequestRedirect', requestRedirect: { statusCode: 302, hostname: 'served.test' } };
  world.write('change.yaml', [routeObject('change', host, [{ filters: [answer] }])]);
  await world.serves(host);
}

async function isBearable(
  t: ExecutionContext<{ world: InputWorld }>,
  name: string,
  content: string | readonly object[],
): Promise<void> {
  const { world } = t.context;
  const { isBearable, turnsMs } = await world.turnsOf(async (attempt) => {
    // What is there already would not be read again.
    if (attempt > 1) await serveBehind(world, name, '');
    await serveBehind(world, name, content);
  });
  t.log(`longest turns ${turnsMs.join(', ')} ms`);
  t.true(isBearable, `${turnsMs.join(', ')} ms`);
}

/** A pair that is as it should be; made before the tests. */
let pair = { certificate: '', key: '' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A listener with a certificate, a route and a backend with authorities, whose Secret, ConfigMap and endpoints are as given. */
const tenantObjects = (
  name: string,
  size: number,
  { crt = pair.certificate, key = pair.key, authorities = pair.certificate } = {},
): object[] => [
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'ListenerSet',
    metadata: { name },
    spec: {
      parentRef: { name: 'edge' },
      listeners: [
        { name: 'tls', port: 9443, protocol: 'HTTPS', hostname: `${name}.test`, tls: { certificateRefs: [{ name }] } },
      ],
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: { name },
    data: { 'tls.crt': base64(crt), 'tls.key': base64(key) },
  },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { 'ca.crt': authorities } },
  { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ port: 443 }] } },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ port: 443 }],
    endpoints: Array.from({ length: Math.min(1_000, size) }, (_, at) => ({
      addresses: [`10.${Math.floor(at / 250)}.1.${(at % 250) + 1}`],
    })),
  },
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'BackendTLSPolicy',
    metadata: { name },
    spec: {
      targetRefs: [{ group: '', kind: 'Service', name }],
      validation: { hostname: 'a.test', caCertificateRefs: [{ group: '', kind: 'ConfigMap', name }] },
    },
  },
  routeObject(name, `${name}.test`, [{ backendRefs: [{ name, port: 443 }] }]),
];

const beginnings = '-----BEGIN CERTIFICATE-----\n'.repeat(36_000);
const chain = (): string => `${pair.certificate}\n`.repeat(Math.floor((0.7 * mebi) / pair.certificate.length));

const tenants: Readonly<Record<string, () => readonly object[]>> = {
  'a chain of beginnings without ends': () => tenantObjects('begins', 1, { crt: beginnings }),
  'a chain of 1 MiB': () => tenantObjects('chain', 1, { crt: chain() }),
  'a key that is 1 MiB of beginnings': () =>
    tenantObjects('key', 1, { key: '-----BEGIN PRIVATE KEY-----\n'.repeat(25_000) }),
  'authorities of beginnings without ends': () => tenantObjects('authorities', 1, { authorities: beginnings }),
  'authorities of 1 MiB': () => tenantObjects('many', 1, { authorities: chain() }),
  'as many endpoints as a slice has': () => tenantObjects('endpoints', 1_000),
  'a Service of 20,000 ports': () => [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'ports' },
      spec: { ports: Array.from({ length: 20_000 }, (_, at) => ({ name: `p${at}`, port: at + 1 })) },
    },
  ],
  'expressions that repeat each other': () => [
    routeObject('repeated', 'repeated.test', [
      {
        matches: Array.from({ length: 64 }, (_, at) => ({
          path: { type: 'RegularExpression', value: `/${at}${'((a{10}){10}){10}'.repeat(50)}` },
        })),
      },
    ]),
  ],
  ...Object.fromEntries(
    ['as many long matches as are allowed', 'as many header matches as are allowed', 'labels of 1 MiB'].map((form) => [
      form,
      () => [hostileBodies[form]?.(mebi) as object],
    ]),
  ),
};

test.serial('what the image runs has the thread: a long file that is as it should be is served', async (t) => {
  t.timeout(patient);
  const { world } = t.context;
  const answer = { type: 'RequestRedirect', requestRedirect: { statusCode: 302, hostname: 'served.test' } };
  const route = JSON.stringify(routeObject('long', 'long.test', [{ filters: [answer] }]));
  world.write('long.yaml', `# ${'x'.repeat(100_000)}\n${route}\n`);
  await world.serves('long.test');
  t.pass();
});

for (const [form, objects] of Object.entries(tenants)) {
  test.serial(`a tenant’s object holds the event loop no longer than others may wait: ${form}`, async (t) => {
    t.timeout(patient);
    await isBearable(t, 'tenant', objects());
  });
}

for (const form of ['flowKeys', 'blockKeys', 'brackets', 'docs', 'flowCommentsIndent', 'manyErrors']) {
  test.serial(`a file of 1 MiB holds the event loop no longer than others may wait: ${form}`, async (t) => {
    t.timeout(patient);
    await isBearable(t, 'hostile', hostileYaml[form]?.(mebi) ?? '');
  });
}
