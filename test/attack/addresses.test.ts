import type { V1ServiceSpec } from '@kubernetes/client-node';
import test from 'ava';
import { kinds } from '../../src/gateway-api/index.ts';
import { proxyKinds } from '../../src/infrastructure/index.ts';
import { classWith, GatewayService, gatewayWith } from '../support/gateway-service.ts';
import { type KubeOperator, startKubeOperator } from '../support/kube-operator.ts';
import { setProxyPods } from '../support/proxy-pods.ts';
import { untilFits } from '../support/until.ts';

// Mallory writes Gateways in the namespace shop, and no DataPlanes. The platform has a class whose load balancers are private, and one
// whose Gateways share proxies at an address of its own.

let operator: KubeOperator;
const patient = 600_000;

const dataPlane = (name: string, spec: string) =>
  `{apiVersion: gatewright.dev/v1alpha1, kind: DataPlane, metadata: {name: ${name}, namespace: gatewright-system}, spec: ${spec}}`;
const parameters = (name: string) =>
  `, parametersRef: {group: gatewright.dev, kind: DataPlane, namespace: gatewright-system, name: ${name}}`;

test.before(async (t) => {
  t.timeout(patient);
  operator = await startKubeOperator({
    gatewayApi: { channel: 'experimental', version: '1.7.0' },
    own: ['dataplanes'],
    infrastructure: 'loadBalancer: {privateAnnotations: {cloud.example/internal: "true"}}',
    objects: [
      '{apiVersion: v1, kind: Namespace, metadata: {name: bank}}',
      dataPlane('private', '{service: {routability: Private}}'),
      dataPlane('shared', '{shared: {namespace: bank}, service: {addresses: [192.0.2.10]}}'),
      classWith('plain'),
      classWith('private', parameters('private')),
      classWith('shared', parameters('shared')),
    ].join('\n---\n'),
  });
});
test.after.always(() => operator?.stop());

test('no Gateway makes a load balancer public that its class keeps private', async (t) => {
  t.timeout(patient);
  const infrastructure = ', infrastructure: {annotations: {cloud.example/internal: "false"}}';
  const asked = ', addresses: [{routability: gatewright.dev/Public}]';
  await operator.api.apply(gatewayWith('outward', infrastructure + asked, 'private'));
  const service = new GatewayService(operator, 'outward');
  const live = await service.fits('is there', () => true);
  t.is(live?.metadata.annotations?.['cloud.example/internal'], 'true');
  await service.serve();
  await service.balance('10.9.0.1');
  const { addresses } = await service.status(
    'Programmed False AddressNotUsable',
    'any IP address of routability gatewright.dev/Public',
  );
  t.deepEqual(addresses ?? [], [], 'no client takes it for public');
});

test('an address that a Gateway asks for is asked of the load balancer, and never taken from others on the nodes', async (t) => {
  t.timeout(patient);
  const victim = (await operator.api.client.find(proxyKinds.Service, { namespace: 'default', name: 'kubernetes' }))
    ?.spec as { clusterIP: string };
  await operator.api.apply(gatewayWith('taker', `, addresses: [{routability: Cluster, value: ${victim.clusterIP}}]`));
  await new GatewayService(operator, 'taker').status('Programmed False AddressNotAssigned', 'already allocated');
  await operator.api.apply(gatewayWith('greedy', `, addresses: [{value: ${victim.clusterIP}}, {value: 8.8.8.8}]`));
  const service = new GatewayService(operator, 'greedy');
  await service.status('Programmed False AddressNotUsable', 'addressAnnotations');
  await operator.api.apply(gatewayWith('greedy', `, addresses: [{value: ${victim.clusterIP}}]`));
  const live = await service.fits('is there', ({ spec }) => spec?.loadBalancerIP === victim.clusterIP);
  t.is(live?.spec?.externalIPs, undefined);
  t.not(live?.spec?.clusterIP, victim.clusterIP);
});

test('no Gateway moves the proxies that it shares to another address', async (t) => {
  t.timeout(patient);
  const place = { namespace: 'bank', name: 'gatewayclass-shared' };
  await operator.api.apply(gatewayWith('first', ', addresses: [{value: 192.0.2.66}]', 'shared'));
  await operator.api.apply(gatewayWith('second', '', 'shared').replace('shop', 'bank').replace('port: 80', 'port: 81'));
  const of = async () => (await operator.api.client.find(proxyKinds.Service, place))?.spec as V1ServiceSpec | undefined;
  // The pods have the ports that it has by then.
  const hasPort = (number: number) => (spec: V1ServiceSpec | undefined) =>
    spec?.ports?.some(({ port }) => port === number) ?? false;
  const live = await untilFits('the shared Service', of, (each) => hasPort(80)(each) && hasPort(81)(each));
  t.is(live?.loadBalancerIP, '192.0.2.10');
  await operator.api.client.patchStatus(proxyKinds.Service, place, {
    status: { loadBalancer: { ingress: [{ ip: '192.0.2.10' }] } },
  });
  await setProxyPods(operator.api, place);
  const { graph, builder } = operator.control;
  await builder.settled();
  const key = 'bank/class:shared';
  graph.acknowledge(key, graph.snapshot()?.gateways.get(key)?.listenersDigest ?? 0n);
  builder.changed();
  const conditionOf = (namespace: string, name: string, reason: string) =>
    untilFits(
      `${name} to be ${reason}`,
      async () => JSON.stringify((await operator.api.client.find(kinds.Gateway, { namespace, name }))?.status ?? {}),
      (status) => status?.includes(reason) ?? false,
    );
  await conditionOf('shop', 'first', 'AddressNotUsable');
  t.regex((await conditionOf('bank', 'second', '"reason":"Programmed"')) ?? '', /"value":"192\.0\.2\.10"/);
});
