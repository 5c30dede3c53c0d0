import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { issue } from '../support/certificates.ts';
import { createClientAuthority, frontendObjects } from '../support/client-certificates.ts';
import { serviceObjects } from '../support/http.ts';
import { askTls, startTcpBackend } from '../support/l4-backends.ts';
import { gatewayObjects, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

const group = 'gateway.networking.k8s.io';

test('the running program says when connections need no certificate any more, before and after the change', async (t) => {
  const authority = await createClientAuthority('ours');
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  const [port, backend, server] = [await freePort(), await startTcpBackend(t, 'own'), await issue('db.test')];
  const validation = {
    mode: 'AllowInsecureFallback',
    caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'authorities' }],
  };
  const [gatewayClass, edge] = gatewayObjects(gateway.port) as [object, { spec: { listeners: object[] } }];
  const tls = { mode: 'Terminate', certificateRefs: [{ name: 'server' }] };
  gateway.write(
    'gateway.yaml',
    gatewayClass,
    {
      ...edge,
      spec: {
        ...edge.spec,
        tls: { frontend: { default: { validation } } },
        listeners: [...edge.spec.listeners, { name: 'tls', port, protocol: 'TLS', tls }],
      },
    },
    ...frontendObjects(authority.certificatePem, { certificatePem: server.certificate, keyPem: server.key }),
    ...serviceObjects('db', [backend]),
    {
      apiVersion: `${group}/v1`,
      kind: 'TLSRoute',
      metadata: { name: 'db' },
      spec: {
        parentRefs: [{ name: 'edge', sectionName: 'tls' }],
        hostnames: ['db.test'],
        rules: [{ backendRefs: [{ name: 'db', port: 80 }] }],
      },
    },
  );
  const policy = (clientCertificates: object) => ({
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'AccessPolicy',
    metadata: { name: 'db' },
    spec: { targetRefs: [{ group, kind: 'TLSRoute', name: 'db' }], clientCertificates },
  });
  const isServed = () =>
    askTls(port, 'db.test').then(
      ({ text }) => text === 'own',
      () => false,
    );
  gateway.write('policy.yaml', policy({ names: [{ dns: 'alice.test' }] }));
  await until(
    'the policy to hold',
    async () => gateway.control.graph.find('AccessPolicy', 'default/db') !== undefined && !(await isServed()),
  );

  const diff = await fetch(`http://127.0.0.1:${gateway.control.ports.layout1}/v1/diff`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [policy({ names: [{ dns: 'alice.test' }, { dns: 'eve.test' }] })],
    }),
  });
  const { weaker } = (await diff.json()) as { weaker: readonly { message: string; route: string }[] };
  t.deepEqual(
    weaker.map(({ message, route }) => [message, route]),
    [['default/db lets client certificates with more names in', 'tlsroute/default/db']],
  );

  gateway.remove('policy.yaml');
  await until('connections without a certificate', isServed);
  const { body } = await gateway.json(gateway.control.ports.layout1, '/v1/events/recent?types=access');
  t.like((body as readonly object[])[0], {
    type: 'access',
    kind: 'TLSRoute',
    namespace: 'default',
    name: 'db',
    part: 'clientCertificates',
    message: 'default/db no longer demands a client certificate',
  });
});
