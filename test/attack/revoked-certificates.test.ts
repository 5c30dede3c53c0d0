import anyTest, { type TestFn } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { frontendObjects } from '../support/client-certificates.ts';
import { runCommand } from '../support/command.ts';
import { endings } from '../support/endings.ts';
import {
  createRevokingAuthority,
  type RevocableCertificate,
  type RevokingAuthority,
} from '../support/revoking-authority.ts';
import { gatewayObjects, routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { askTls } from '../support/tls-ask.ts';
import { until } from '../support/until.ts';

/** A client whose certificate was revoked, and files of lists that are hostile or broken, at the program as users start it. */

interface Context {
  readonly gateway: Standalone;
  readonly ports: { readonly guarded: number; readonly other: number };
  readonly ours: RevokingAuthority;
  readonly alice: RevocableCertificate;
  readonly mallory: RevocableCertificate;
  /** Waits until a client comes in, or does not. */
  readonly untilAsked: (what: string, certificate: RevocableCertificate, comesIn: boolean) => Promise<unknown>;
}

const test = anyTest as TestFn<Context>;
const all = endings(test);

const revoked = (text: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'revoked' },
  data: { 'ca.crl': text },
});

const asked = (port: number, certificate: RevocableCertificate) =>
  askTls(port, { host: 'web.test', certificate }).then(
    ({ status }) => status,
    () => 'closed' as const,
  );

test.before(async (t) => {
  const ours = await createRevokingAuthority('ours', (end) => all.teardown(end));
  const [alice, mallory, server] = [
    await ours.issue('alice'),
    await ours.issue('mallory'),
    await ours.issue('web.test'),
  ];
  const gateway = await startStandalone();
  all.teardown(() => gateway.stop());
  const ports = { guarded: await freePort(), other: await freePort() };
  const validation = { caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'authorities' }] };
  const [gatewayClass = {}, edge = {}] = gatewayObjects(gateway.port) as { spec?: { listeners: object[] } }[];
  const listener = (name: string, port: number) => ({
    name,
    port,
    protocol: 'HTTPS',
    tls: { certificateRefs: [{ name: 'server' }] },
  });
  const listeners = [listener('guarded', ports.guarded), listener('other', ports.other)];
  gateway.write('gateway.yaml', gatewayClass, {
    ...edge,
    spec: { ...edge.spec, tls: { frontend: { default: { validation } } }, listeners },
  });
  gateway.write('lists.yaml', revoked(await ours.crl({ revoked: [mallory] })));
  gateway.write(
    'world.yaml',
    ...frontendObjects(ours.certificatePem, server),
    {
      apiVersion: 'gatewright.dev/v1alpha1',
      kind: 'ListenerPolicy',
      metadata: { name: 'revoked' },
      spec: {
        targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge', sectionName: 'guarded' }],
        tls: { crlRef: { kind: 'ConfigMap', name: 'revoked' } },
      },
    },
    ...(await gateway.backend('web')),
    routeObject('web', 'web.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]),
  );
  const untilAsked: Context['untilAsked'] = (what, certificate, comesIn) =>
    until(what, async () => (await asked(ports.guarded, certificate)) === (comesIn ? 200 : 'closed'));
  t.context = { gateway, ports, ours, alice, mallory, untilAsked };
  await until('both ports to serve', async () => (await asked(ports.other, alice)) === 200);
  await untilAsked('alice to come in', alice, true);
});

test.serial('a client with a revoked certificate does not come in, by any version of TLS', async (t) => {
  const { ports, mallory, alice } = t.context;
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    const ask = (certificate: RevocableCertificate) =>
      askTls(ports.guarded, { host: 'web.test', certificate, maxVersion });
    await t.throwsAsync(ask(mallory), undefined, maxVersion);
    t.is((await ask(alice)).status, 200, maxVersion);
  }
  t.is(await asked(ports.other, mallory), 200, 'where no list is named');
});

test.serial(
  'files that are no lists close the listeners that name them and no others, and a good one opens them',
  async (t) => {
    const { gateway, ports, ours, alice, untilAsked } = t.context;
    const list = await ours.crl();
    const block = (der: Buffer) => `-----BEGIN X509 CRL-----\n${der.toString('base64')}\n-----END X509 CRL-----\n`;
    const hostile: Readonly<Record<string, string>> = {
      'beginnings without end': '-----BEGIN X509 CRL-----\n'.repeat(20_000),
      'a length beyond its end': block(Buffer.from('3084ffffffff3000', 'hex')),
      'values within values': block(Buffer.concat(Array.from({ length: 50_000 }, () => Buffer.from('3082', 'hex')))),
      'many lists': list.replace(/-----END[^-]*-----\n/, '').repeat(500),
    };
    for (const [what, text] of Object.entries(hostile)) {
      gateway.write('lists.yaml', revoked(text));
      await untilAsked(`${what} to close`, alice, false);
      t.is(await asked(ports.other, alice), 200, what);
      gateway.write('lists.yaml', revoked(list));
      await untilAsked(`a list after ${what} to open`, alice, true);
    }
  },
);

test.serial('a list that has ended lets no client in, and the list of problems says so', async (t) => {
  const { gateway, ours, alice, untilAsked } = t.context;
  const env = { GATEWRIGHT_SERVER: `http://127.0.0.1:${gateway.control.ports.layout1}` };
  const status = async () => (await runCommand(['status'], env)).stdout;
  gateway.write('lists.yaml', revoked(await ours.crl()));
  await untilAsked('alice to come in by a good list', alice, true);
  t.notRegex(await status(), /ConfigMap default\/revoked/);
  gateway.write('lists.yaml', revoked(await ours.crl({ ends: new Date(Date.now() - 60_000) })));
  await untilAsked('alice to be kept out', alice, false);
  t.regex(
    await status(),
    /ConfigMap default\/revoked: a list of revoked certificates in it ended at .*, so no client .* where ListenerPolicy default\/revoked is/,
  );
  gateway.write('lists.yaml', revoked(await ours.crl()));
  await untilAsked('alice to come in by a new one', alice, true);
  t.notRegex(await status(), /ConfigMap default\/revoked/);
});

test.serial('a list that only proxies find broken takes no list from them, and the listener says so', async (t) => {
  const { gateway, ports, ours, alice, mallory, untilAsked } = t.context;
  gateway.write('lists.yaml', revoked(await ours.crl({ revoked: [mallory] })));
  await untilAsked('mallory to be revoked', mallory, false);
  const der = Buffer.from((await ours.crl({ revoked: [alice] })).replace(/-----[^-]*-----|\n/g, ''), 'base64');
  const serial = der.indexOf(Buffer.from(alice.serial, 'hex'));
  der[serial - 2] = 0x04; // The serial number of the entry is no number.
  gateway.write('lists.yaml', revoked(`-----BEGIN X509 CRL-----\n${der.toString('base64')}\n-----END X509 CRL-----\n`));
  await until('the listener to say it', async () => {
    const { body } = await gateway.json(gateway.control.ports.layout1, '/v1/listeners');
    return JSON.stringify(body).includes('"Programmed","status":"False"');
  });
  t.is(await asked(ports.guarded, mallory), 'closed');
  t.is(await asked(ports.other, alice), 200);
});
