import { readFile } from 'node:fs/promises';
import type { V1Deployment, V1HorizontalPodAutoscaler, V1PodDisruptionBudget } from '@kubernetes/client-node';
import test from 'ava';
import { parseAllDocuments } from 'yaml';
import { type DataPlaneSpec, type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { type ProxyKindName, proxyKinds } from '../../src/infrastructure/object.ts';
import type { KubeApiServer } from '../support/kube-apiserver.ts';
import { type KubeOperator, startKubeOperator } from '../support/kube-operator.ts';
import { until, untilFits } from '../support/until.ts';

/** A control plane with the rights of rbac/ and no more; the definition of DataPlane comes when it already runs. */
const definition = 'dataplanes.gatewright.dev';

let operator: KubeOperator | undefined;
let api: KubeApiServer;

test.before(async (t) => {
  t.timeout(600_000);
  operator = await startKubeOperator({ objects: classOf('plain') });
  api = operator.api;
});
test.after.always(() => operator?.stop());

const classOf = (name: string, spec = ''): string =>
  `{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: ${name}}, spec: {controllerName: gatewright.dev/gateway-controller${spec}}}`;

const gatewayOf = (name: string, dataPlane?: string, className = 'plain'): string => {
  const infrastructure =
    dataPlane === undefined
      ? ''
      : `infrastructure: {parametersRef: {group: gatewright.dev, kind: DataPlane, name: ${dataPlane}}}, `;
  return `{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: ${name}, namespace: shop}, spec: {gatewayClassName: ${className}, ${infrastructure}listeners: [{name: http, port: 80, protocol: HTTP}]}}`;
};

const putDataPlane = (name: string, spec: DataPlaneSpec) =>
  api.client.apply(kinds.DataPlane, {
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'DataPlane',
    metadata: { name, namespace: 'shop' },
    spec,
  } as KubernetesObject);

const find = <T>(kind: ProxyKindName, gateway: string) =>
  api.client.find(proxyKinds[kind], { namespace: 'shop', name: `gatewright-${gateway}` }) as Promise<
    (KubernetesObject & T) | undefined
  >;

const deploymentOf = (gateway: string) => find<V1Deployment>('Deployment', gateway);

const deploymentFits = (gateway: string, fits: (deployment: V1Deployment) => boolean) =>
  untilFits(
    `the Deployment of ${gateway}`,
    () => deploymentOf(gateway),
    (live) => live !== undefined && fits(live as V1Deployment),
  );

const condition = async (kind: 'Gateway' | 'GatewayClass' | 'DataPlane', name: string, type = 'Accepted') => {
  const object = await api.client.find(kinds[kind], { name, ...(kind !== 'GatewayClass' && { namespace: 'shop' }) });
  const { conditions = [] } = (object?.status ?? {}) as { conditions?: { type: string; reason: string }[] };
  return conditions.find((each) => each.type === type)?.reason;
};

const conditionFits = (kind: 'Gateway' | 'GatewayClass' | 'DataPlane', name: string, reason: string) =>
  untilFits(
    `${kind} ${name} to be ${reason}`,
    () => condition(kind, name),
    (got) => got === reason,
  );

// First: what follows needs the definition that it installs.
test.serial(
  'without the definition nothing is missing but DataPlanes; it comes alive when it is installed',
  async (t) => {
    t.timeout(600_000);
    await api.apply(gatewayOf('simple'));
    await deploymentFits('simple', ({ spec }) => spec?.replicas === 1);
    await api.apply(gatewayOf('early', 'early'));
    await conditionFits('Gateway', 'early', 'InvalidParameters');
    t.is(await deploymentOf('early'), undefined, 'nothing is made of a guess');
    await api.installCrd(definition, 'own');
    await putDataPlane('early', { replicas: 2 });
    await deploymentFits('early', ({ spec }) => spec?.replicas === 2);
    await conditionFits('Gateway', 'early', 'Accepted');
    await conditionFits('DataPlane', 'early', 'Accepted');
  },
);

test.serial('an edit of a DataPlane is a rollout, and what is no longer asked for goes', async (t) => {
  t.timeout(600_000);
  await putDataPlane('edited', { replicas: 2, podDisruptionBudget: { minAvailable: 1 } });
  await api.apply(gatewayOf('edited', 'edited'));
  await deploymentFits('edited', ({ spec }) => spec?.replicas === 2);
  await until('the budget', () => find<V1PodDisruptionBudget>('PodDisruptionBudget', 'edited'));
  await putDataPlane('edited', {
    autoscaling: { minReplicas: 3, maxReplicas: 5, targetCPUUtilizationPercentage: 60 },
    image: 'gatewright:next',
  });
  const rolled = await deploymentFits(
    'edited',
    ({ spec }) => spec?.replicas === 3 && spec.template.spec?.containers[0]?.image === 'gatewright:next',
  );
  t.like(rolled?.spec, { strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } });
  await until('the autoscaler', () => find<V1HorizontalPodAutoscaler>('HorizontalPodAutoscaler', 'edited'));
  await until('the end of the budget', async () => (await find('PodDisruptionBudget', 'edited')) === undefined);
  await putDataPlane('edited', { replicas: 4 });
  await until('the end of the autoscaler', async () => (await find('HorizontalPodAutoscaler', 'edited')) === undefined);
  await deploymentFits('edited', ({ spec }) => spec?.replicas === 4);
});

test.serial('what others change or delete of it comes back', async (t) => {
  t.timeout(600_000);
  const autoscaling = { minReplicas: 1, maxReplicas: 5, targetCPUUtilizationPercentage: 60 };
  await putDataPlane('drift', { autoscaling, podDisruptionBudget: { maxUnavailable: 1 } });
  await api.apply(gatewayOf('drift', 'drift'));
  const ref = { namespace: 'shop', name: 'gatewright-drift' };
  await until('the autoscaler', () => find('HorizontalPodAutoscaler', 'drift'));
  await api.client.patch(proxyKinds.HorizontalPodAutoscaler, ref, { spec: { maxReplicas: 50 } });
  await untilFits(
    'its bounds',
    () => find<V1HorizontalPodAutoscaler>('HorizontalPodAutoscaler', 'drift'),
    (live) => live?.spec?.maxReplicas === 5,
  );
  for (const kind of ['Deployment', 'PodDisruptionBudget'] as const) {
    const { metadata } = await until(kind, () => find(kind, 'drift'));
    await api.client.delete(proxyKinds[kind], ref);
    await untilFits(
      `another ${kind}`,
      () => find(kind, 'drift'),
      (live) => live !== undefined && live.metadata.uid !== metadata.uid,
    );
  }
  t.pass();
});

test.serial("a DataPlane of the class is that of all its Gateways, under each one's own", async (t) => {
  t.timeout(600_000);
  await putDataPlane('defaults', { replicas: 3, image: 'gatewright:class' });
  await putDataPlane('own', { replicas: 2 });
  await api.apply(
    classOf('sized', ', parametersRef: {group: gatewright.dev, kind: DataPlane, namespace: shop, name: defaults}'),
  );
  await api.apply(gatewayOf('common', undefined, 'sized'));
  await api.apply(gatewayOf('special', 'own', 'sized'));
  const image = ({ spec }: V1Deployment) => spec?.template.spec?.containers[0]?.image;
  await deploymentFits('common', (live) => live.spec?.replicas === 3 && image(live) === 'gatewright:class');
  await deploymentFits('special', (live) => live.spec?.replicas === 2 && image(live) === 'gatewright:class');
  await untilFits(
    'the number of its Gateways',
    () => api.client.find(kinds.DataPlane, { namespace: 'shop', name: 'defaults' }),
    (object) => (object?.status as { attachedGateways?: number } | undefined)?.attachedGateways === 2,
  );
  await api.client.delete(kinds.DataPlane, { namespace: 'shop', name: 'defaults' });
  await conditionFits('GatewayClass', 'sized', 'InvalidParameters');
  await conditionFits('Gateway', 'common', 'InvalidParameters');
  t.is((await deploymentOf('common'))?.spec?.replicas, 3, 'what runs stays as it is');
});

test.serial('what the API server rejects of the proxies is said in the status of the Gateway', async (t) => {
  t.timeout(600_000);
  await putDataPlane('rejected', { podLabels: { 'not a label': 'x' } });
  await api.apply(gatewayOf('rejected', 'rejected'));
  const message = async () => {
    const object = await api.client.find(kinds.Gateway, { namespace: 'shop', name: 'rejected' });
    const { conditions = [] } = (object?.status ?? {}) as { conditions?: { type: string; message: string }[] };
    return conditions.find(({ type }) => type === 'Programmed')?.message;
  };
  t.regex(
    (await untilFits('the reason', message, (text) => text?.includes('not a label') ?? false)) ?? '',
    /Deployment.*labels/,
  );
});

test.serial('the DataPlanes of the example are taken as they are', async (t) => {
  const text = await readFile(new URL('../../examples/dataplane/gateway.yaml', import.meta.url), 'utf8');
  const all = parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);
  const dataPlanes = all.filter(({ kind }) => kind === 'DataPlane');
  for (const object of dataPlanes) {
    const metadata = { ...object.metadata, namespace: 'gatewright-system' };
    const { spec } = await api.client.apply(kinds.DataPlane, { ...object, metadata });
    t.like(spec, object.spec as object, 'nothing of it is unknown');
  }
  t.is(dataPlanes.length, 2);
});

const rejected = test.macro(async (t, spec: unknown, message: RegExp) => {
  await t.throwsAsync(putDataPlane('bad', spec as DataPlaneSpec), { message });
});
const autoscaling = { maxReplicas: 3 };
const both = { replicas: 1, autoscaling };
test.serial('a number and an autoscaler', rejected, both, /replicas and autoscaling exclude each other/);
test.serial('a number on each node', rejected, { workload: 'DaemonSet', replicas: 2 }, /one proxy on each node/);
test.serial(
  'a budget for all nodes',
  rejected,
  { workload: 'DaemonSet', podDisruptionBudget: { minAvailable: 1 } },
  /one proxy on each node/,
);
test.serial('another workload', rejected, { workload: 'StatefulSet' }, /Unsupported value: "StatefulSet"/);
test.serial('a family that is none', rejected, { ipFamily: 'ipv6' }, /Unsupported value: "ipv6"/);
test.serial('no threads', rejected, { concurrency: 0 }, /concurrency/);
test.serial('a priority that is no name', rejected, { priorityClassName: 'High!' }, /priorityClassName/);
const sink = (one: object) => ({ metrics: { sinks: [one] } });
test.serial('no receiver', rejected, { metrics: { sinks: [] } }, /metrics\.sinks/);
test.serial('two receivers in one', rejected, sink({ otlp: { host: 'a' }, statsd: { node: true } }), /exactly one of/);
test.serial('a receiver nowhere', rejected, sink({ statsd: {} }), /set one of host and node/);
test.serial(
  'a receiver at two places',
  rejected,
  sink({ dogStatsd: { node: true, host: '192.0.2.1' } }),
  /set one of host/,
);
test.serial('a name by UDP', rejected, sink({ statsd: { host: 'a.test' } }), /by UDP, host must be an IP address/);
test.serial('a name of Datadog', rejected, sink({ dogStatsd: { host: 'a.test' } }), /must be an IP address/);
test.serial(
  'an interval between',
  rejected,
  { metrics: { flushInterval: '7s', sinks: [{ otlp: { host: 'a' } }] } },
  /flushInterval/,
);
test.serial('bounds that cross', rejected, { autoscaling: { minReplicas: 4, ...autoscaling } }, /must not be greater/);
test.serial('two budgets', rejected, { podDisruptionBudget: { minAvailable: 1, maxUnavailable: 1 } }, /set one of/);
test.serial('no budget', rejected, { podDisruptionBudget: {} }, /set one of/);
test.serial('a cache of no age', rejected, { cache: { maxAge: '0s' } }, /maxAge must be longer than 0s/);
test.serial('settings of no cache', rejected, { cache: { enabled: false, medium: 'Disk' } }, /not kept has no other/);
test.serial('a medium that is none', rejected, { cache: { medium: 'Tape' } }, /Unsupported value: "Tape"/);
test.serial('a key of no Secret', rejected, { cache: { encryptionKeyRef: { key: 'key' } } }, /name: Required value/);
test.serial(
  'a drain too short',
  rejected,
  { drainTime: '5s', minDrainTime: '1m' },
  /must not be longer than drainTime/,
);
test.serial('a drain of days', rejected, { drainTime: '99h' }, /must not be longer than 24h/);
test.serial('a duration that is none', rejected, { drainTime: 'soon' }, /drainTime/);
const clusterIp = (more: object) => ({ service: { type: 'ClusterIP', ...more } });
test.serial('a policy without use', rejected, clusterIp({ externalTrafficPolicy: 'Local' }), /externalTrafficPolicy/);
test.serial(
  'node ports without use',
  rejected,
  clusterIp({ allocateLoadBalancerNodePorts: false }),
  /allocateLoadBalancerNodePorts/,
);
test.serial('a class without use', rejected, clusterIp({ loadBalancerClass: 'a/b' }), /loadBalancerClass/);
test.serial('a range that is none', rejected, { service: { loadBalancerSourceRanges: ['me'] } }, /CIDR notation/);
const nodePorts = [
  { port: 80, nodePort: 30080 },
  { port: 80, protocol: 'TCP', nodePort: 30081 },
];
test.serial('a port twice', rejected, { service: { nodePorts } }, /listed only once/);
test.serial('a quantity that is none', rejected, { resources: { requests: { cpu: 'much' } } }, /resources\.requests/);
test.serial('a field of a log that there is not', rejected, { accessLog: { fields: ['colour'] } }, /accessLog\.fields/);
test.serial('a header that is a format', rejected, { accessLog: { requestHeaders: ['a%'] } }, /requestHeaders/);
