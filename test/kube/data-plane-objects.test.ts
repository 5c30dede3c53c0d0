import { readFile } from 'node:fs/promises';
import type { V1Deployment, V1ServiceSpec } from '@kubernetes/client-node';
import test, { type ExecutionContext } from 'ava';
import { type DataPlaneSpec, type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { deploymentOf } from '../../src/infrastructure/deployment.ts';
import { type InfrastructureState, KubeInfrastructure } from '../../src/infrastructure/index.ts';
import { proxyKinds } from '../../src/infrastructure/object.ts';
import { placed } from '../../src/infrastructure/place.ts';
import { reconcileObject } from '../../src/infrastructure/reconcile-object.ts';
import { KubeClient } from '../../src/kube/index.ts';
import { gatewayProxies } from '../support/gateway-proxies.ts';
import { borrowApiServer } from '../support/kube-apiserver/borrow.ts';
import type { KubeApiServer } from '../support/kube-apiserver.ts';
import { until, untilFits } from '../support/until.ts';

const serviceAccount = 'system:serviceaccount:gatewright-system:gatewright';

let server: KubeApiServer;
test.before(async (t) => {
  t.timeout(600_000);
  server = await borrowApiServer({ users: [serviceAccount] });
  for (const name of ['gatewright-system', 'shop'])
    await server.apply(`{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}`);
  await server.apply(await readFile(new URL('../../rbac/control-plane.yaml', import.meta.url), 'utf8'));
});
test.after.always(() => server?.stop());

/** Keeps the proxies of one Gateway until the test ends. */
function start(t: ExecutionContext, name: string) {
  const client = new KubeClient(server.kubeConfigOf(serviceAccount));
  const states = new Map<string, InfrastructureState>();
  const infrastructure = new KubeInfrastructure({
    client,
    settings: {
      controllerName: 'gatewright.dev/gateway-controller',
      image: 'gatewright:test',
      xdsAddress: { host: 'gatewright.gatewright-system.svc', port: 18080 },
      serviceType: 'ClusterIP',
      replicas: 1,
    },
    isLeader: () => true,
    onState: (key, state) => states.set(key, state),
    onFailure: (key, error) => t.log(key, error),
  });
  const ending = new AbortController();
  const ended = infrastructure.run(ending.signal);
  t.teardown(async () => {
    ending.abort();
    await ended;
    client.close();
  });
  const gateway = gatewayProxies(name);
  return {
    infrastructure,
    state: () => states.get(`shop/${name}`),
    ensure: (parameters: DataPlaneSpec | undefined) => infrastructure.ensure({ ...gateway, parameters }),
  };
}

const refOf = (name: string) => ({ namespace: 'shop', name: `gatewright-${name}` });
const find = (kind: keyof typeof proxyKinds, name: string) => server.client.find(proxyKinds[kind], refOf(name));
const replicas = async (name: string) => ((await find('Deployment', name)) as V1Deployment | undefined)?.spec?.replicas;

/** Every field, in words that the API server has others for. */
const everything: DataPlaneSpec = {
  autoscaling: { minReplicas: 2, maxReplicas: 5, targetCPUUtilizationPercentage: 75 },
  resources: { requests: { cpu: '0.5', memory: '1024Mi' }, limits: { memory: '1.5Gi', cpu: 2 } },
  service: {
    type: 'LoadBalancer',
    annotations: { 'cloud.example/internal': 'true' },
    externalTrafficPolicy: 'Local',
    loadBalancerClass: 'example.com/lb',
    loadBalancerSourceRanges: ['192.0.2.0/24'],
    nodePorts: [{ port: 80, nodePort: 30080 }],
    internalTrafficPolicy: 'Local',
    trafficDistribution: 'PreferClose',
    sessionAffinity: 'ClientIP',
    allocateLoadBalancerNodePorts: false,
  },
  ipFamily: 'DualStack',
  priorityClassName: 'system-cluster-critical',
  concurrency: 4,
  metrics: { sinks: [{ otlp: { host: 'collector.observability.svc' } }, { dogStatsd: { node: true } }] },
  podPatch: {
    volumes: [
      { name: 'geo', persistentVolumeClaim: { claimName: 'geo' } },
      { name: 'scratch', emptyDir: { sizeLimit: '1024Mi' } },
    ],
    hostAliases: [{ ip: '192.0.2.1', hostnames: ['a.test'] }],
    securityContext: { fsGroup: 1000, sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }] },
    initContainers: [{ name: 'warm', image: 'warm:1' }],
    containers: [
      { name: 'side', image: 'side:1', ports: [{ containerPort: 9999 }], resources: { limits: { cpu: '0.5' } } },
      {
        name: 'data-plane',
        env: [{ name: 'EMPTY', value: '' }],
        volumeMounts: [
          { name: 'geo', mountPath: '/geo', readOnly: true },
          { name: 'geo', mountPath: '/geo-too' },
        ],
      },
    ],
  },
  nodeSelector: { pool: 'edge' },
  tolerations: [{ key: 'edge', operator: 'Exists', effect: 'NoSchedule' }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'arch', operator: 'In', values: ['amd64'] }] }],
      },
    },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 10,
          podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { a: 'b' } } },
        },
      ],
    },
  },
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
  podDisruptionBudget: { minAvailable: '50%' },
  image: 'gatewright:other',
  envoyImage: 'envoyproxy/envoy:v1.40.0',
  imagePullPolicy: 'IfNotPresent',
  imagePullSecrets: [{ name: 'registry' }],
  logLevel: { agent: 'debug', envoy: 'info' },
  drainTime: '1m',
  minDrainTime: '10s',
  reusePort: false,
  podAnnotations: { 'sidecar.example/inject': 'false' },
  podLabels: { team: 'web' },
  cache: { medium: 'Disk', encryptionKeyRef: { name: 'cache-key', key: 'k' }, excludeSecrets: true, maxAge: '90m' },
  bootstrap: { stats_config: { use_all_default_tags: true } },
};

test('the API server accepts every field, and stores it as desired', async (t) => {
  const { infrastructure, ensure, state } = start(t, 'everything');
  ensure(everything);
  await untilFits('a Deployment', state, (got) => got?.message.includes('no pod of Deployment') ?? false);
  await infrastructure.settled();
  const parts = await untilFits(
    'all parts',
    () => infrastructure.inventory()?.filter(({ owner }) => owner === 'shop/everything') ?? [],
    (all) => all.length === 5 && all.every(({ state: how }) => how !== 'missing'),
  );
  t.deepEqual(
    parts.filter(({ state: how }) => how === 'drifted'),
    [],
  );
});

const familiesOf = async (name: string) => {
  const { ipFamilies, ipFamilyPolicy } = ((await find('Service', name))?.spec ?? {}) as Partial<V1ServiceSpec>;
  return [ipFamilyPolicy, ...(ipFamilies ?? [])].join(' ');
};

test('a Service has the families that are asked for, and its addresses of both are those of the Gateway', async (t) => {
  const { ensure, state } = start(t, 'families');
  const become = (families: string) =>
    untilFits(
      families,
      () => familiesOf('families'),
      (got) => got === families,
    );
  ensure({});
  await become('SingleStack IPv4');
  ensure({ ipFamily: 'DualStack' });
  await become('PreferDualStack IPv4 IPv6');
  const addresses = await untilFits(
    'two addresses',
    () => state()?.addresses.map(({ value }) => value) ?? [],
    ({ length }) => length === 2,
  );
  t.regex(addresses.join(' '), /^10\.0\.\d+\.\d+ fd00:10:96::[0-9a-f:]+$/);
  // What others change comes back.
  await server.client.patch(proxyKinds.Service, refOf('families'), { spec: { ipFamilyPolicy: 'RequireDualStack' } });
  await become('PreferDualStack IPv4 IPv6');
  ensure({ ipFamily: 'IPv4' });
  await become('SingleStack IPv4');
  ensure({ ipFamily: 'IPv6' });
  const problem = await untilFits(
    'the API server to say no',
    () => state()?.problem ?? '',
    (text) => text !== '',
  );
  t.regex(problem, /ipFamilies\[0\]/);
});

test("an autoscaler's number stands within its bounds, and outlives it until another is asked for", async (t) => {
  const { infrastructure, ensure } = start(t, 'scaled');
  const autoscaling = { minReplicas: 2, maxReplicas: 5, targetCPUUtilizationPercentage: 75 };
  const applied = () => find('Deployment', 'scaled').then((object) => object?.metadata.resourceVersion);
  ensure({ replicas: 4 });
  await untilFits(
    'four',
    () => replicas('scaled'),
    (number) => number === 4,
  );
  // It goes by what its own watch has reported.
  await until('the four to be known', () =>
    infrastructure
      .inventory()
      ?.find(({ kind, owner, state: how }) => kind === 'Deployment' && owner === 'shop/scaled' && how !== 'missing'),
  );
  ensure({ autoscaling });
  // It may write the Deployment once more for as long as it knows an older one.
  await untilFits(
    'the Deployment and its autoscaler to be known as they are',
    () => infrastructure.inventory()?.filter(({ owner }) => owner === 'shop/scaled') ?? [],
    (all) =>
      all.some(({ kind }) => kind === 'HorizontalPodAutoscaler') &&
      all.every(({ state: how }) => how !== 'missing' && how !== 'drifted'),
  );
  await infrastructure.settled();
  t.is(await replicas('scaled'), 4, 'who was there goes on');
  // As the autoscaler does it, at the subresource that is made for it.
  const scale = (number: number) =>
    server.client.patch({ ...proxyKinds.Deployment, plural: 'deployments' }, refOf('scaled'), {
      spec: { replicas: number },
    });
  await scale(3);
  const version = await applied();
  // A change elsewhere, so that there is something to wait for.
  await server.client.patch(proxyKinds.HorizontalPodAutoscaler, refOf('scaled'), { spec: { maxReplicas: 9 } });
  await untilFits(
    'the bounds',
    () => find('HorizontalPodAutoscaler', 'scaled'),
    (object) => (object?.spec as { maxReplicas?: number } | undefined)?.maxReplicas === 5,
  );
  await infrastructure.settled();
  t.is(await applied(), version, 'nothing was written over it');
  await scale(50);
  await untilFits(
    'its upper bound',
    () => replicas('scaled'),
    (number) => number === 5,
  );
  ensure({ replicas: 2 });
  await untilFits(
    'two',
    () => replicas('scaled'),
    (number) => number === 2,
  );
  await until('the end of the autoscaler', async () => (await find('HorizontalPodAutoscaler', 'scaled')) === undefined);
});

test('an older number is not written over what the autoscaler has decided since', async (t) => {
  const common = {
    controllerName: 'gatewright.dev/gateway-controller',
    image: 'gatewright:test',
    xdsAddress: { host: 'gatewright.gatewright-system.svc', port: 18080 },
    serviceType: 'ClusterIP',
    replicas: 1,
  } as const;
  const gateway = placed(gatewayProxies('raced'), common);
  const live = async () => (await find('Deployment', 'raced')) as (KubernetesObject & V1Deployment) | undefined;
  /** As the reconciler does, by what it knows of the Deployment. */
  const apply = (known: Awaited<ReturnType<typeof live>>, image: string) => {
    const parameters = { autoscaling: { minReplicas: 2, maxReplicas: 5 }, image };
    const seen = known && { replicas: known.spec?.replicas, resourceVersion: known.metadata.resourceVersion };
    const desired = deploymentOf({ ...gateway, parameters }, common, seen);
    return reconcileObject(server.client, known, desired, AbortSignal.timeout(60_000));
  };
  const facts = async () => {
    const spec = (await live())?.spec;
    return { replicas: spec?.replicas, image: spec?.template.spec?.containers[0]?.image };
  };
  t.is(await apply(undefined, 'gatewright:one'), undefined);
  const known = await live();
  await server.client.patch(proxyKinds.Deployment, refOf('raced'), { spec: { replicas: 4 } });
  t.is(await apply(known, 'gatewright:two'), undefined);
  t.deepEqual(await facts(), { replicas: 4, image: 'gatewright:one' }, 'the watch reports the four first');
  t.is(await apply(await live(), 'gatewright:two'), undefined);
  t.deepEqual(await facts(), { replicas: 4, image: 'gatewright:two' });
});

// Alone, for it ends what other tests make.
test.serial('while the parameters are not known, what is there stays and what is not there is not made', async (t) => {
  const { infrastructure, ensure, state } = start(t, 'unknown');
  ensure(undefined);
  await until('a state', state);
  await infrastructure.settled();
  t.is(await find('Deployment', 'unknown'), undefined);
  ensure({ replicas: 3 });
  await untilFits(
    'three',
    () => replicas('unknown'),
    (number) => number === 3,
  );
  ensure(undefined);
  infrastructure.complete();
  await infrastructure.settled();
  t.is(await replicas('unknown'), 3);
  // Its own watch may report what it wrote later than the API server shows it.
  const parts = await untilFits(
    'all parts to be known',
    () => infrastructure.inventory()?.filter(({ owner }) => owner === 'shop/unknown') ?? [],
    ({ length }) => length >= 3,
  );
  t.deepEqual(
    parts.map(({ state: how }) => how).filter((how) => how === 'orphan' || how === 'drifted'),
    [],
  );
  t.is(parts.length, 3);
});

/** A proxy's pod, which no kubelet runs here. */
const podOf = (gateway: string, name: string): KubernetesObject =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      labels: {
        'app.kubernetes.io/managed-by': 'gatewright',
        'gateway.networking.k8s.io/gateway-name': gateway,
      },
    },
    spec: {
      serviceAccountName: `gatewright-${gateway}`,
      automountServiceAccountToken: false,
      containers: [{ name: 'data-plane', image: 'none' }],
    },
  }) as KubernetesObject;

const runsAt = (name: string, ip: string, isReady: boolean) =>
  server.client.patchStatus(
    kinds.Pod,
    { namespace: 'shop', name },
    {
      status: {
        podIP: ip,
        podIPs: [{ ip }],
        conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
      },
    },
  );

test('on the network of nodes the addresses are those of nodes with a proxy that is ready', async (t) => {
  const { ensure, state } = start(t, 'hosted');
  ensure({ hostNetwork: true });
  await until('the account', () => find('ServiceAccount', 'hosted'));
  for (const [name, ip] of [
    ['one', '192.0.2.1'],
    ['two', '192.0.2.2'],
  ] as const) {
    await server.client.create(kinds.Pod, podOf('hosted', name));
    await runsAt(name, ip, true);
  }
  const addresses = () => state()?.addresses.map(({ value }) => value) ?? [];
  await untilFits('both nodes', addresses, (values) => values.join() === '192.0.2.1,192.0.2.2');
  await runsAt('one', '192.0.2.1', false);
  await untilFits('one node', addresses, (values) => values.join() === '192.0.2.2');
  const ports = async () => {
    const deployment = (await find('Deployment', 'hosted')) as unknown as V1Deployment | undefined;
    return deployment?.spec?.template.spec?.containers[0]?.ports?.map(({ hostPort }) => hostPort);
  };
  // Pods report addresses, and this test makes them itself: the Service and the Deployment may come later.
  const service = await until('the Service', () => find('Service', 'hosted'));
  t.is(service.metadata.namespace, 'shop');
  await untilFits('the port on the node', ports, (all) => all?.join() === '8082');
  ensure({});
  await untilFits('ports of its own', ports, (all) => all?.join() === '');
  await untilFits('the address of the Service', addresses, (values) => values[0]?.startsWith('10.0.') ?? false);
});
