import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { publicKeyHash } from '../support/certificate-hashes.ts';
import { createClientAuthority, frontendObjects } from '../support/client-certificates.ts';
import { send } from '../support/http.ts';
import { gatewayObjects, routeObject, startStandalone } from '../support/standalone.ts';
import { askTls } from '../support/tls-ask.ts';
import { until } from '../support/until.ts';

/** A client with a good certificate of its own that would like to speak for others, behind a gateway that takes the word of proxies in front. */

test('who is no pinned proxy speaks for no client, by a certificate of its own or without TLS', async (t) => {
  const [ours, port, gateway] = [await createClientAuthority('ours'), await freePort(), await startStandalone()];
  t.teardown(() => gateway.stop());
  const server = await ours.issue({ subject: 'CN=server', dns: ['web.test'] });
  const [proxy, mallory] = [await ours.issue({ subject: 'CN=proxy' }), await ours.issue({ subject: 'CN=mallory' })];
  const validation = { caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'authorities' }] };
  const [gatewayClass = {}, edge = {}] = gatewayObjects(gateway.port) as { spec?: { listeners: object[] } }[];
  const listener = { name: 'https', port, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'server' }] } };
  gateway.write('gateway.yaml', gatewayClass, {
    ...edge,
    spec: {
      ...edge.spec,
      listeners: [...(edge.spec?.listeners ?? []), listener],
      tls: { frontend: { default: { validation } } },
    },
  });
  gateway.write(
    'world.yaml',
    ...frontendObjects(ours.certificatePem, server),
    ...(await gateway.backend('web')),
    routeObject('web', 'web.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]),
    {
      apiVersion: 'gatewright.dev/v1alpha1',
      kind: 'ListenerPolicy',
      metadata: { name: 'edge' },
      spec: {
        targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
        tls: { clientPins: { publicKeyHashes: [publicKeyHash(proxy)] } },
        headers: { clientCertificate: 'Append' },
      },
    },
  );
  const headers = { 'x-forwarded-client-cert': 'Hash=0;Subject="CN=boss"' };
  const asked = (certificate: typeof proxy | undefined) =>
    askTls(port, { host: 'web.test', certificate, headers }).then(
      ({ status, body }) => `${status} ${body}`,
      () => 'closed',
    );
  await until('the proxy in front to come in', async () => (await asked(proxy)).startsWith('200'));
  t.is(await asked(mallory), 'closed');
  t.is(await asked(undefined), 'closed');
  t.regex(await asked(proxy), /CN=boss/, 'the proxy in front is believed');
  const plain = await send(gateway.port, { host: 'web.test', headers });
  t.is(plain.status, 200);
  t.notRegex(plain.body, /boss/);
});
