import type { V1Deployment, V1ObjectMeta, V1Service } from '@kubernetes/client-node';
import test from 'ava';
import { type GatewayStatus, type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { type ProxyKindName, proxyKinds } from '../../src/infrastructure/object.ts';
import { type KubeOperator, startKubeOperator } from '../support/kube-operator.ts';
import { setProxyPods } from '../support/proxy-pods.ts';
import { until, untilFits } from '../support/until.ts';

const patient = 600_000;
const fleet = 'edge/class:pooled';

let operator: KubeOperator;

const dataPlane = (spec: string): string =>
  `{apiVersion: gatewright.dev/v1alpha1, kind: DataPlane, metadata: {name: pool, namespace: shop}, spec: ${spec}}`;
const shared =
  '{shared: {namespace: edge}, autoscaling: {maxReplicas: 5}, podDisruptionBudget: {maxUnavailable: 1}, service: {labels: {team: platform}}}';

test.before(async (t) => {
  t.timeout(patient);
  operator = await startKubeOperator({
    own: ['dataplanes'],
    objects: [
      '{apiVersion: v1, kind: Namespace, metadata: {name: edge}}',
      '{apiVersion: v1, kind: Namespace, metadata: {name: bank}}',
      dataPlane(shared),
      '{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: pooled}, spec: {controllerName: gatewright.dev/gateway-controller, parametersRef: {group: gatewright.dev, kind: DataPlane, namespace: shop, name: pool}}}',
    ].join('\n---\n'),
  });
});
test.after.always(() => operator?.stop());

const gateway = (namespace: string, name: string, ports: readonly number[]): string => {
  const listeners = ports.map((port) => `{name: p${port}, port: ${port}, protocol: HTTP, hostname: ${name}.test}`);
  return `{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: ${name}, namespace: ${namespace}}, spec: {gatewayClassName: pooled, infrastructure: {labels: {of: ${name}}}, listeners: [${listeners.join(', ')}]}}`;
};

const find = <T>(kind: ProxyKindName, namespace = 'edge', name = 'gatewayclass-pooled') =>
  operator.api.client.find(proxyKinds[kind], { namespace, name }) as Promise<(KubernetesObject & T) | undefined>;

const portsFit = (ports: readonly number[]) =>
  untilFits(
    `a Service with ports ${ports}`,
    () => find<V1Service>('Service'),
    (live) => String(live?.spec?.ports?.map(({ port }) => port)) === String(ports),
  );

const statusOf = async (namespace: string, name: string) =>
  (await operator.api.client.find(kinds.Gateway, { namespace, name }))?.status as GatewayStatus | undefined;

const addressFits = (namespace: string, name: string, address: string | undefined) =>
  untilFits(
    `the address of Gateway ${name}`,
    () => statusOf(namespace, name),
    (status) => status?.addresses?.[0]?.value === address,
  );

const untilNoneShared = async () => {
  const all = [
    'NetworkPolicy',
    'Service',
    'Deployment',
    'ServiceAccount',
    'PodDisruptionBudget',
    'HorizontalPodAutoscaler',
  ] as const;
  for (const kind of all) await until(`no shared ${kind}`, async () => (await find(kind)) === undefined);
};

test.serial('one set of objects serves the Gateways of all namespaces, and belongs to the class', async (t) => {
  t.timeout(patient);
  await operator.api.apply(gateway('shop', 'a', [80, 8080]));
  await portsFit([80, 8080]);
  await operator.api.apply(gateway('bank', 'b', [80, 9090]));
  const service = await portsFit([80, 8080, 9090]);
  const { metadata } = (await operator.api.client.find(kinds.GatewayClass, { name: 'pooled' })) as KubernetesObject;
  for (const kind of [
    'NetworkPolicy',
    'Service',
    'Deployment',
    'ServiceAccount',
    'PodDisruptionBudget',
    'HorizontalPodAutoscaler',
  ] as const) {
    const object = await until(kind, () => find(kind));
    t.like(
      (object.metadata as V1ObjectMeta).ownerReferences?.[0],
      { kind: 'GatewayClass', name: 'pooled', uid: metadata.uid },
      kind,
    );
    t.is(object.metadata.labels?.['gatewright.dev/gateway-class'], 'pooled');
    t.is(object.metadata.labels?.of, undefined, 'it belongs to no single Gateway');
  }
  t.is(service?.metadata.labels?.team, 'platform');
  await setProxyPods(operator.api, { namespace: 'edge', name: 'gatewayclass-pooled' });
  for (const [namespace, name] of [
    ['shop', 'a'],
    ['bank', 'b'],
  ] as const) {
    t.is(await find('Deployment', namespace, `gatewright-${name}`), undefined);
    await addressFits(namespace, name, service?.spec?.clusterIP);
  }
  const deployment = await until('the Deployment', () => find<V1Deployment>('Deployment'));
  const config = deployment.spec?.template.metadata?.annotations?.['gatewright.dev/data-plane-config'];
  const agent = JSON.parse(config ?? '{}');
  t.deepEqual(agent.backends, { allowedAddresses: ['10.0.0.9/32', '127.0.0.1/32', '::1/128'] });
  t.true(agent.dataplane.controlPlaneHosts.includes('gatewright-admin.gatewright-system.svc'));
  t.is(agent.dataplane.cluster, fleet);
  t.deepEqual(deployment.spec?.selector.matchLabels, service?.spec?.selector);
});

test.serial('a Gateway that goes takes its ports with it; what others delete comes back', async (t) => {
  t.timeout(patient);
  await operator.api.client.delete(kinds.Gateway, { namespace: 'bank', name: 'b' });
  await portsFit([80, 8080]);
  const { metadata } = await until('the Deployment', () => find('Deployment'));
  await operator.api.client.delete(proxyKinds.Deployment, { namespace: 'edge', name: 'gatewayclass-pooled' });
  await until('another Deployment', async () => {
    const live = await find('Deployment');
    return live !== undefined && live.metadata.uid !== metadata.uid;
  });
  t.pass();
});

test.serial(
  'a class that stops sharing keeps the shared proxies until each Gateway’s own serve, and the reverse',
  async (t) => {
    t.timeout(patient);
    const { graph, builder } = operator.control;
    // What a kubelet and a proxy would say.
    const applied = async (key: string, namespace: string, name: string) => {
      await setProxyPods(operator.api, { namespace, name });
      const digest = graph.snapshot()?.gateways.get(key)?.listenersDigest;
      if (digest !== undefined) graph.acknowledge(key, digest);
      builder.changed();
    };
    const before = (await find<V1Service>('Service'))?.spec?.clusterIP;
    await operator.api.apply(dataPlane('{replicas: 1}'));
    const own = await until('its own Service', () => find<V1Service>('Service', 'shop', 'gatewright-a'));
    await builder.settled();
    t.truthy(await find('Deployment'), 'no proxy serves it yet');
    t.true(graph.snapshot()?.gateways.has(fleet));
    t.is((await statusOf('shop', 'a'))?.addresses?.[0]?.value === undefined, false);
    await until('its own proxies to have served for a while', async () => {
      await applied('shop/a', 'shop', 'gatewright-a');
      return !graph.snapshot()?.gateways.has(fleet);
    });
    await addressFits('shop', 'a', own.spec?.clusterIP);
    t.not(before, own.spec?.clusterIP);
    await untilNoneShared();

    await operator.api.apply(dataPlane(shared));
    await until('the shared Service', () => find<V1Service>('Service'));
    t.truthy(await find('Deployment', 'shop', 'gatewright-a'));
    await until('the shared proxies to have served for a while', async () => {
      await applied(fleet, 'edge', 'gatewayclass-pooled');
      return !graph.snapshot()?.gateways.has('shop/a');
    });
    await until(
      'no Deployment of its own',
      async () => (await find('Deployment', 'shop', 'gatewright-a')) === undefined,
    );
  },
);

test.serial('the shared Service asks for the addresses of a Gateway, where the class lets Gateways ask', async (t) => {
  t.timeout(patient);
  const asked = async () => {
    const spec = (await find<V1Service>('Service'))?.spec;
    return [...(spec?.loadBalancerIP ? [spec.loadBalancerIP] : []), ...(spec?.externalIPs ?? [])].join();
  };
  const asking = (value: string) =>
    gateway('shop', 'a', [80, 8080]).replace('spec: {', `spec: {addresses: [{value: ${value}}], `);
  await operator.api.apply(asking('192.0.2.7'));
  await operator.control.builder.settled();
  t.is(await asked(), '');
  await operator.api.apply(
    dataPlane('{shared: {namespace: edge, addressesFrom: Gateways}, service: {type: LoadBalancer}}'),
  );
  await untilFits('the address', asked, (value) => value === '192.0.2.7');
  await operator.api.apply(dataPlane(shared));
  await untilFits('no address', asked, (value) => value === '');
});

test.serial('the last Gateway takes all with it', async (t) => {
  t.timeout(patient);
  await operator.api.client.delete(kinds.Gateway, { namespace: 'shop', name: 'a' });
  await untilNoneShared();
  t.pass();
});

test.serial('a missing namespace is reported on the Gateway, by name', async (t) => {
  t.timeout(patient);
  await operator.api.apply(dataPlane('{shared: {namespace: nowhere}}'));
  await operator.api.apply(gateway('shop', 'lost', [80]));
  const status = await untilFits(
    'the Gateway to say so',
    () => statusOf('shop', 'lost'),
    (found) => found?.conditions?.some(({ message }) => message.includes('nowhere')) ?? false,
  );
  t.is(status?.conditions.find(({ type }) => type === 'Programmed')?.status, 'False');
});

test.serial('the API server takes no namespace that could not be one', async (t) => {
  t.timeout(patient);
  await t.throwsAsync(operator.api.apply(dataPlane('{shared: {namespace: Not/One}}')), {
    message: /spec\.shared\.namespace/,
  });
  await t.throwsAsync(operator.api.apply(dataPlane('{shared: true}')), { message: /spec\.shared/ });
});
