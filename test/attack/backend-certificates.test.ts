import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { createAuthority, type IssuedCertificate } from '../../scripts/example/certificate.ts';
import { loadConfig } from '../../src/config/index.ts';
import { send, serviceObjects } from '../support/http.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/** Someone between the proxy and its backend, with a good certificate of another one, and a tenant who switches off how backends are verified. */

async function startServer(t: ExecutionContext, { certificatePem, keyPem }: IssuedCertificate, name: string) {
  const server: Server = createServer({ cert: certificatePem, key: keyPem }, (_, response) => response.end(name));
  // Envoy may be about to use a connection that would be closed for having been idle.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const tlsPolicy = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'BackendTLSPolicy',
  metadata: { name: 'web' },
  spec: {
    targetRefs: [{ group: '', kind: 'Service', name: 'web' }],
    validation: { hostname: 'web.test', wellKnownCACertificates: 'System' },
  },
};

const policy = (verification: object, namespace = 'default') => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'BackendPolicy',
  metadata: { name: 'web', namespace },
  spec: { targetRefs: [{ group: '', kind: 'Service', name: 'web' }], tls: { verification } },
});

const certificateHash = (pem: string): string => new X509Certificate(pem).fingerprint256.replaceAll(':', '');
const publicKeyHash = (pem: string): string =>
  createHash('sha256')
    .update(new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');

const answered =
  ({ port }: Standalone) =>
  async () => {
    const { status, body } = await send(port, { host: 'web.test' });
    return status === 200 ? body : String(status);
  };

/** All that is wrong, as `gatewright status` shows it. */
const problems = async ({ json, control }: Standalone): Promise<string> =>
  JSON.stringify((await json(control.ports.layout1, '/v1/problems')).body);

async function startWorld(t: ExecutionContext, options: Parameters<typeof startStandalone>[1] = {}) {
  const [ours, theirs] = [await createAuthority('ours'), await createAuthority('theirs')];
  const [own, other] = [await ours.issue({ hostnames: ['web.test'] }), await theirs.issue({ hostnames: ['web.test'] })];
  const backend = await startServer(t, own, 'backend');
  const between = await startServer(t, other, 'between');
  const gateway = await startStandalone(
    {
      'web.yaml': [...serviceObjects('web', [backend]), tlsPolicy],
      'route.yaml': [routeObject('web', 'web.test', [{ backendRefs: [{ name: 'web', port: 80 }] }])],
    },
    options,
  );
  t.teardown(gateway.stop);
  const leadTo = (port: number) => gateway.write('web.yaml', ...serviceObjects('web', [port]), tlsPolicy);
  return { gateway, own, backend, between, leadTo };
}

test('a certificate is accepted by its hash or its key alone, and no one in between has either', async (t) => {
  const { gateway, own, backend, between, leadTo } = await startWorld(t);
  await untilFits('no trust in strange authorities', answered(gateway), (found) => found === '503');
  for (const pins of [
    { certificateHashes: [certificateHash(own.certificatePem)] },
    { publicKeyHashes: [publicKeyHash(own.certificatePem)] },
  ]) {
    gateway.write('policy.yaml', policy({ mode: 'Pinned', ...pins }));
    leadTo(backend);
    await untilFits('the backend', answered(gateway), (found) => found === 'backend');
    leadTo(between);
    await untilFits('no answer', answered(gateway), (found) => found === '503');
  }
  t.notRegex(await problems(gateway), /VerificationDisabled/);
});

test('a backend that is not verified is named among the problems, for as long as it is not', async (t) => {
  const { gateway, backend, between, leadTo } = await startWorld(t);
  // A policy of another namespace says nothing of the Service.
  gateway.write('strange.yaml', policy({ mode: 'None' }, 'elsewhere'));
  await untilFits('no trust in strange authorities', answered(gateway), (found) => found === '503');
  gateway.write('policy.yaml', policy({ mode: 'None' }));
  await untilFits('the backend', answered(gateway), (found) => found === 'backend');
  leadTo(between);
  await untilFits('the one in between', answered(gateway), (found) => found === 'between');
  await untilFits(
    'a problem',
    () => problems(gateway),
    (text) => /VerificationDisabled.*default\/web:80/.test(text),
  );
  leadTo(backend);
  gateway.write('policy.yaml', policy({ mode: 'Full' }));
  await untilFits('no answer', answered(gateway), (found) => found === '503');
  await untilFits(
    'no problem of this kind',
    () => problems(gateway),
    (text) => !text.includes('VerificationDisabled'),
  );
  t.pass();
});

test('where the operator has all certificates verified, no policy of a tenant changes it', async (t) => {
  const { backends } = loadConfig(undefined, {});
  const { gateway, own } = await startWorld(t, { config: { backends: { ...backends, tlsVerification: 'Required' } } });
  gateway.write('policy.yaml', policy({ mode: 'None' }));
  await untilFits(
    'its status',
    () => problems(gateway),
    (text) => text.includes('backends.tlsVerification'),
  );
  await untilFits('no answer', answered(gateway), (found) => found === '503');
  t.notRegex(await problems(gateway), /VerificationDisabled/);
  gateway.write('policy.yaml', policy({ mode: 'Pinned', publicKeyHashes: [publicKeyHash(own.certificatePem)] }));
  await untilFits('the backend by its key', answered(gateway), (found) => found === 'backend');
  t.pass();
});
