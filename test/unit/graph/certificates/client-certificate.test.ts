import test from 'ava';
import type { GatewayStatus, PolicyStatus } from '../../../../src/gateway-api/index.ts';
import { testCertificates } from '../../../support/certificates.ts';
import {
  backendTlsPolicy,
  configMap,
  gateway,
  gatewayClass,
  httpRoute,
  secret,
  service,
} from '../../../support/objects.ts';
import { newGraph, put, someTime } from '../../../support/world.ts';

const [good, foreign] = testCertificates;
const pair = { 'tls.crt': good.certificate, 'tls.key': good.key };

/** Two Gateways that lead to one Service with TLS; `known` shows the certificate of a Secret. */
function twoGateways() {
  const graph = newGraph();
  const clientCertificateRef = { name: 'client' };
  const policy = {
    targetRefs: [{ group: '', kind: 'Service', name: 'web' }],
    validation: { hostname: 'web.test', caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'ours' }] },
  };
  put(graph, gatewayClass(), service('web'), configMap('ours', { 'ca.crt': good.certificate }));
  put(graph, gateway('plain'), gateway('known', [{}], { tls: { backend: { clientCertificateRef } } }));
  put(
    graph,
    httpRoute('route', { parentRefs: [{ name: 'plain' }, { name: 'known' }] }),
    backendTlsPolicy('web', policy),
  );
  return graph;
}

const backendsOf = (graph: ReturnType<typeof newGraph>, key: string) => [
  ...(graph.snapshot()?.gateways.get(key)?.backends.keys() ?? []),
];

test('what a Gateway shows to backends distinguishes its backends from those of others', (t) => {
  const graph = twoGateways();
  put(graph, secret('client', pair));
  graph.build(someTime);
  t.deepEqual(backendsOf(graph, 'default/plain'), ['default/web/80']);
  t.deepEqual(backendsOf(graph, 'default/known'), ['default/web/80/as/default/client']);
  const { backends } = graph.snapshot() as NonNullable<ReturnType<typeof graph.snapshot>>;
  t.is(backends.get('default/web/80')?.tls?.clientCertificate, undefined);
  t.is(backends.get('default/web/80/as/default/client')?.tls?.clientCertificate, 'default/client');
  t.true(graph.snapshot()?.gateways.get('default/known')?.secrets.has('default/client'));
  const status = graph.statusOf('BackendTLSPolicy', 'default/web') as PolicyStatus;
  t.deepEqual(
    status.ancestors.map(({ ancestorRef }) => ancestorRef.name),
    ['known', 'plain'],
  );
});

const faults = test.macro({
  exec: (t, data: Record<string, string> | undefined, reason: string) => {
    const graph = twoGateways();
    if (data) put(graph, secret('client', data));
    graph.build(someTime);
    const { conditions } = graph.statusOf('Gateway', 'default/known') as GatewayStatus;
    t.like(
      conditions.find(({ type }) => type === 'ResolvedRefs'),
      { status: 'False', reason },
    );
    t.like(
      conditions.find(({ type }) => type === 'Accepted'),
      { status: 'True', reason: 'Accepted' },
    );
    t.deepEqual(backendsOf(graph, 'default/known'), ['default/web/80']);
  },
  title: (name) => `a client certificate that cannot be shown is reported on the Gateway: ${name}`,
});

test('no Secret', faults, undefined, 'InvalidClientCertificateRef');
test('an empty Secret', faults, {}, 'InvalidClientCertificateRef');
test('a key of another', faults, { ...pair, 'tls.key': foreign.key }, 'InvalidClientCertificateRef');

test('a policy reports on sixteen Gateways at most', (t) => {
  const graph = twoGateways();
  const names = Array.from({ length: 20 }, (_, index) => `g${index}`);
  put(graph, ...names.map((name) => gateway(name)));
  put(graph, httpRoute('many', { parentRefs: names.map((name) => ({ name })) }));
  graph.build(someTime);
  t.is((graph.statusOf('BackendTLSPolicy', 'default/web') as PolicyStatus).ancestors.length, 16);
});

test('a change of authorities touches the backends of their policy, and no route', (t) => {
  const graph = twoGateways();
  put(
    graph,
    service('other'),
    httpRoute('other', {
      parentRefs: [{ name: 'plain' }],
      rules: [{ backendRefs: [{ name: 'other', port: 80 }] }] as never,
    }),
  );
  graph.build(someTime);
  put(graph, configMap('ours', { 'ca.crt': foreign.certificate }));
  const { changes } = graph.build(someTime);
  t.deepEqual(changes.map((change) => [change.kind, change.gateway, 'key' in change ? change.key : '']).sort(), [
    ['backend', 'default/known', 'default/web/80'],
    ['backend', 'default/plain', 'default/web/80'],
  ]);
  put(graph, configMap('unused', { 'ca.crt': good.certificate }));
  t.false(graph.isDirty);
});
