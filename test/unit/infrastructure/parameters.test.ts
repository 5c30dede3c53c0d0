import type {
  V1DaemonSet,
  V1Deployment,
  V1HorizontalPodAutoscaler,
  V1PodDisruptionBudget,
  V1PodSpec,
  V1Service,
} from '@kubernetes/client-node';
import test from 'ava';
import type { DataPlaneSpec } from '../../../src/gateway-api/index.ts';
import { autoscalerOf } from '../../../src/infrastructure/autoscaler.ts';
import { deploymentOf } from '../../../src/infrastructure/deployment.ts';
import { disruptionBudgetOf } from '../../../src/infrastructure/disruption-budget.ts';
import { proxyObjects } from '../../../src/infrastructure/proxy-objects.ts';
import { serviceOf } from '../../../src/infrastructure/service.ts';
import { gatewayProxies, settings } from './gateway.ts';

const deployment = (parameters: DataPlaneSpec, current?: number) =>
  deploymentOf(gatewayProxies({ parameters }), settings, { replicas: current }) as unknown as V1Deployment;

const podOf = (parameters: DataPlaneSpec): V1PodSpec => deployment(parameters).spec?.template.spec as V1PodSpec;

const configOf = (parameters: DataPlaneSpec) =>
  JSON.parse(deployment(parameters).spec?.template.metadata?.annotations?.['gatewright.dev/data-plane-config'] ?? '');

const service = (parameters: DataPlaneSpec) =>
  serviceOf(gatewayProxies({ parameters }), settings) as unknown as V1Service;

const digestOf = ({ metadata }: V1Deployment) => metadata?.annotations?.['gatewright.dev/applied'];

test('without parameters it is the common settings that count', (t) => {
  t.is(deployment({}).spec?.replicas, 1);
  t.is(service({}).spec?.type, 'LoadBalancer');
  t.deepEqual(podOf({}).containers[0]?.resources, { requests: { cpu: '10m', memory: '64Mi' } });
});

test('pods are placed, pulled and sized as the parameters say', (t) => {
  const tolerations = [{ key: 'edge', operator: 'Exists' as const }];
  const affinity = {
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'kubernetes.io/hostname' }] },
  };
  const pod = podOf({
    nodeSelector: { pool: 'edge' },
    tolerations,
    affinity,
    image: 'mine:1',
    imagePullPolicy: 'Always',
    imagePullSecrets: [{ name: 'registry' }],
    resources: { requests: { cpu: 2 }, limits: { memory: '1Gi' } },
  });
  t.like(pod, {
    nodeSelector: { pool: 'edge' },
    tolerations,
    affinity,
    imagePullSecrets: [{ name: 'registry' }],
    containers: [
      {
        image: 'mine:1',
        imagePullPolicy: 'Always',
        resources: { requests: { cpu: '2', memory: '64Mi' }, limits: { memory: '1Gi' } },
      },
    ],
  });
});

test('pods of the same Gateway are what is spread, unless the parameters say which', (t) => {
  const spread = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' } as const;
  const own = { matchLabels: { a: 'b' } };
  const pod = podOf({ topologySpreadConstraints: [spread, { ...spread, labelSelector: own }] });
  t.deepEqual(
    pod.topologySpreadConstraints?.map(({ labelSelector }) => labelSelector),
    [
      {
        matchLabels: {
          'app.kubernetes.io/managed-by': 'gatewright',
          'gateway.networking.k8s.io/gateway-name': 'edge',
        },
      },
      own,
    ],
  );
});

test("labels and annotations of pods are the pods' alone, and never take the place of ours", (t) => {
  const { metadata, spec } = deployment({
    podLabels: { team: 'web', 'app.kubernetes.io/managed-by': 'me' },
    podAnnotations: { 'sidecar.example/inject': 'false', 'gatewright.dev/gateway': 'me' },
  });
  t.like(spec?.template.metadata, {
    labels: { team: 'web', 'app.kubernetes.io/managed-by': 'gatewright' },
    annotations: { 'sidecar.example/inject': 'false', 'gatewright.dev/gateway': 'shop/edge' },
  });
  t.is(metadata?.labels?.team, undefined);
});

test("log levels, drain times and what is added to the bootstrap reach the agent's configuration", (t) => {
  const bootstrap = { stats_config: {} };
  const config = configOf({
    logLevel: { agent: 'debug', envoy: 'info' },
    drainTime: '1m30s',
    minDrainTime: '500ms',
    bootstrap,
  });
  t.like(config, {
    log: { level: 'debug' },
    dataplane: { logLevel: 'info', drainTime: '90s', minDrainTime: '500ms', bootstrap },
  });
});

test("each worker has a socket of its own where the network is the pod's, unless the parameters say otherwise", (t) => {
  const reuses = (parameters: DataPlaneSpec) => configOf(parameters).dataplane.reusePort ?? false;
  t.deepEqual([reuses({}), reuses({ hostNetwork: false }), reuses({ hostNetwork: true })], [true, true, false]);
  t.deepEqual([reuses({ reusePort: false }), reuses({ hostNetwork: true, reusePort: true })], [false, true]);
  t.not(digestOf(deployment({})), digestOf(deployment({ reusePort: false })), 'running proxies are replaced');
});

test('the family of addresses is for the agent and for the Service; without one both are as they were', (t) => {
  const of = (parameters: DataPlaneSpec) => {
    const { ipFamilyPolicy, ipFamilies } = service(parameters).spec ?? {};
    return [configOf(parameters).dataplane.ipFamily, ipFamilyPolicy, ipFamilies];
  };
  t.deepEqual(of({}), [undefined, undefined, undefined]);
  t.deepEqual(of({ ipFamily: 'IPv4' }), [undefined, 'SingleStack', ['IPv4']]);
  t.deepEqual(of({ ipFamily: 'IPv6' }), ['IPv6', 'SingleStack', ['IPv6']]);
  t.deepEqual(of({ ipFamily: 'DualStack' }), ['DualStack', 'PreferDualStack', undefined]);
  t.not(digestOf(deployment({})), digestOf(deployment({ ipFamily: 'IPv6' })), 'running proxies are replaced');
  const common = { ...settings, ipFamily: 'IPv6' as const };
  const common6 = serviceOf(gatewayProxies(), common) as unknown as V1Service;
  t.deepEqual(common6.spec?.ipFamilies, ['IPv6']);
});

test('a proxy on each node has the pods of a number of them', (t) => {
  const parameters: DataPlaneSpec = { workload: 'DaemonSet', priorityClassName: 'edge', concurrency: 3 };
  const objects = proxyObjects(gatewayProxies({ parameters }), settings, { deployment: undefined, service: undefined });
  const daemonSet = objects.find(({ kind }) => kind === 'DaemonSet') as unknown as V1DaemonSet;
  t.is(
    objects.find(({ kind }) => kind === 'Deployment'),
    undefined,
  );
  t.deepEqual(daemonSet.spec?.template, deployment(parameters).spec?.template);
  t.is(podOf(parameters).priorityClassName, 'edge');
  t.is(configOf(parameters).dataplane.concurrency, 3);
});

test('receivers of metrics are the agent’s business; a pod knows its node only for one that is there', (t) => {
  const nodeOf = (parameters: DataPlaneSpec) =>
    podOf(parameters).containers[0]?.env?.find(({ name }) => name === 'GATEWRIGHT_NODE_ADDRESS')?.valueFrom?.fieldRef;
  const metrics = { sinks: [{ statsd: { node: true, port: 9125 } }] } satisfies DataPlaneSpec['metrics'];
  t.deepEqual(configOf({ metrics }).dataplane.metrics, metrics);
  t.deepEqual(nodeOf({ metrics }), { fieldPath: 'status.hostIP' });
  t.is(nodeOf({ metrics: { sinks: [{ otlp: { host: 'a.test' } }] } }), undefined);
  t.is(nodeOf({}), undefined);
});

test('what a proxy keeps, where, and what it is encrypted with', (t) => {
  const cache = { medium: 'Disk', encryptionKeyRef: { name: 'k', key: 'of-2026' }, excludeSecrets: true, maxAge: '1h' };
  const parameters = { cache } as DataPlaneSpec;
  const { directory, keyFile, ...others } = configOf(parameters).dataplane.cache;
  t.deepEqual(others, { secrets: false, maxAge: '1h' });
  const { volumes = [], containers } = podOf(parameters);
  const volumeAt = (path: string) => {
    const mount = containers[0]?.volumeMounts?.find(
      ({ mountPath }) => path === mountPath || path.startsWith(`${mountPath}/`),
    );
    return volumes.find(({ name }) => name === mount?.name);
  };
  t.deepEqual(volumeAt(directory)?.emptyDir, {});
  const items = [{ key: 'of-2026', path: 'key' }];
  t.deepEqual(volumeAt(keyFile)?.secret, { secretName: 'k', defaultMode: 0o444, items });
  t.true(keyFile.endsWith('/key'));
});

test('a proxy that is to keep nothing has no place for it', (t) => {
  t.deepEqual(configOf({ cache: { enabled: false } }).dataplane.cache, {});
  t.deepEqual(
    podOf({ cache: { enabled: false } }).volumes?.filter(({ name }) => name.startsWith('cache')),
    [],
  );
});

test('what it keeps by default is all of it, in memory', (t) => {
  const { directory, ...others } = configOf({ cache: { maxAge: '24h' } }).dataplane.cache;
  t.deepEqual([others, typeof directory], [{ maxAge: '24h' }, 'string']);
  const volumes = podOf({ cache: { maxAge: '24h' } }).volumes?.filter(({ name }) => name.startsWith('cache'));
  t.deepEqual(volumes, [{ name: 'cache', emptyDir: { medium: 'Memory' } }]);
});

test('a drain is no shorter than its least time, wherever the two come from', (t) => {
  t.like(configOf({ minDrainTime: '20s' }).dataplane, { drainTime: '20s', minDrainTime: '20s' });
  t.like(configOf({ drainTime: '2s' }).dataplane, { drainTime: '2s', minDrainTime: '2s' });
});

test('a pod is given the time that its drain takes', (t) => {
  const { terminationGracePeriodSeconds = 0, containers } = podOf({ drainTime: '5m' });
  t.true(terminationGracePeriodSeconds > 300 + (containers[0]?.lifecycle?.preStop?.sleep?.seconds ?? 0));
});

test('an Envoy of another image is copied to where the agent looks for it', (t) => {
  const pod = podOf({ envoyImage: 'envoyproxy/envoy:v1.40.0' });
  const [copy] = pod.initContainers ?? [];
  t.like(copy, { image: 'envoyproxy/envoy:v1.40.0', securityContext: { capabilities: { drop: ['ALL'] } } });
  const { dataplane } = configOf({ envoyImage: 'envoyproxy/envoy:v1.40.0' });
  t.is(copy?.command?.at(-1), dataplane.envoyPath);
  const mounted = pod.containers[0]?.volumeMounts?.find(({ mountPath }) => dataplane.envoyPath.startsWith(mountPath));
  t.true(pod.volumes?.some(({ name }) => name === mounted?.name));
  t.is(podOf({}).initContainers, undefined);
});

test('on the network of nodes a proxy may bind any port, and takes the place of its predecessor', (t) => {
  const pod = podOf({ hostNetwork: true });
  t.like(pod, {
    hostNetwork: true,
    dnsPolicy: 'ClusterFirstWithHostNet',
    containers: [{ securityContext: { capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } } }],
  });
  t.is(pod.securityContext?.sysctls, undefined, 'Kubernetes rejects those of the network on a network of the node');
  t.like(deployment({ hostNetwork: true }).spec?.strategy?.rollingUpdate, { maxUnavailable: 1, maxSurge: 0 });
  t.is(service({ hostNetwork: true }).spec?.type, 'ClusterIP');
  t.is(service({ hostNetwork: true, service: { type: 'NodePort' } }).spec?.type, 'NodePort');
});

test('the Service is as the parameters say, its annotations included', (t) => {
  const parameters = {
    service: {
      type: 'LoadBalancer',
      annotations: { 'cloud.example/internal': 'true' },
      labels: { tier: 'edge' },
      externalTrafficPolicy: 'Local',
      loadBalancerClass: 'example.com/lb',
      loadBalancerSourceRanges: ['192.0.2.0/24'],
      internalTrafficPolicy: 'Local',
      trafficDistribution: 'PreferClose',
      sessionAffinity: 'ClientIP',
      allocateLoadBalancerNodePorts: false,
      nodePorts: [
        { port: 80, nodePort: 30080 },
        { port: 80, protocol: 'UDP', nodePort: 30081 },
      ],
    },
  } satisfies DataPlaneSpec;
  const { metadata, spec } = service(parameters);
  t.like(metadata, { annotations: { 'cloud.example/internal': 'true' }, labels: { tier: 'edge' } });
  t.like(spec, {
    externalTrafficPolicy: 'Local',
    loadBalancerClass: 'example.com/lb',
    loadBalancerSourceRanges: ['192.0.2.0/24'],
    internalTrafficPolicy: 'Local',
    trafficDistribution: 'PreferClose',
    sessionAffinity: 'ClientIP',
    allocateLoadBalancerNodePorts: false,
  });
  t.deepEqual(
    spec?.ports?.map(({ port, nodePort }) => [port, nodePort]),
    [[80, 30080]],
  );
  t.is(deployment(parameters).metadata?.annotations?.['cloud.example/internal'], undefined);
});

test("what a type of Service has no use for is left out: the type may be the Gateway's, the rest its class's", (t) => {
  const { spec } = service({
    service: {
      type: 'ClusterIP',
      externalTrafficPolicy: 'Local',
      loadBalancerClass: 'example.com/lb',
      loadBalancerSourceRanges: ['192.0.2.0/24'],
      nodePorts: [{ port: 80, nodePort: 30080 }],
    },
  });
  t.deepEqual(Object.keys(spec ?? {}).sort(), ['ports', 'selector', 'type']);
  t.is(spec?.ports?.[0]?.nodePort, undefined);
});

const autoscaling = { minReplicas: 2, maxReplicas: 5, targetCPUUtilizationPercentage: 70 };

test('an autoscaler scales the Deployment between its bounds', (t) => {
  const { spec } = autoscalerOf(gatewayProxies(), autoscaling) as unknown as V1HorizontalPodAutoscaler & {
    spec: { metrics: unknown[] };
  };
  t.like(spec, { scaleTargetRef: { kind: 'Deployment', name: 'gatewright-edge' }, minReplicas: 2, maxReplicas: 5 });
  t.deepEqual(spec.metrics, [
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
  ]);
  t.is(autoscalerOf(gatewayProxies(), undefined), undefined);
});

test("an autoscaler's number stands, within its bounds, and is not part of our desired state", (t) => {
  const [none, three, nine] = [undefined, 3, 9].map((current) => deployment({ autoscaling }, current));
  t.deepEqual(
    [none, three, nine].map((object) => object?.spec?.replicas),
    [2, 3, 5],
  );
  t.is(digestOf(none as V1Deployment), digestOf(three as V1Deployment));
  t.not(digestOf(three as V1Deployment), digestOf(deployment({ replicas: 3 })));
});

test('a disruption budget is for the pods of the Gateway, and keeps no node for broken ones', (t) => {
  const { spec } = disruptionBudgetOf(gatewayProxies(), { minAvailable: '50%' }) as unknown as V1PodDisruptionBudget;
  t.deepEqual(spec, {
    minAvailable: '50%',
    selector: {
      matchLabels: {
        'app.kubernetes.io/managed-by': 'gatewright',
        'gateway.networking.k8s.io/gateway-name': 'edge',
      },
    },
    unhealthyPodEvictionPolicy: 'AlwaysAllow',
  });
  t.is(disruptionBudgetOf(gatewayProxies(), undefined), undefined);
});
