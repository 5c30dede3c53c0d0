import type { V1Container, V1EnvVar, V1PodSpec, V1PodTemplateSpec, V1Probe } from '@kubernetes/client-node';
import { formatAddress } from '../config/index.ts';
import { defaultClusterDomain } from '../egress/index.ts';
import { objectKey } from '../gateway-api/index.ts';
import { agentContainer } from '../pod-patch/index.ts';
import { cacheConfig, cacheMounts, cacheVolumes } from './cache-volume.ts';
import { type ForeignEnvoy, foreignEnvoy, foreignEnvoyPath } from './envoy-image.ts';
import { annotationsOf, labelsOf, usersLabels } from './names.ts';
import { patchedPod } from './patched-pod.ts';
import type { PlacedProxies } from './placed-proxies.ts';
import { placementOf } from './placement.ts';
import { durationText, type ProxySettings } from './proxy-settings.ts';
import { containerSecurity, podSecurity } from './security.ts';
import { accessConfig, accessMount, accessVolume } from './xds-access.ts';

/** The agent's configuration file travels in this annotation of the pod: no further object that could drift from it. */
const configAnnotation = 'gatewright.dev/data-plane-config';
const configDirectory = '/etc/gatewright';
const sessionKeyDirectory = '/etc/gatewright-sessions';
/** The agent's admin API. */
export const adminPort = 8082;
/** Until every kube-proxy and load balancer has heard that the pod is leaving. */
const leaveSeconds = 3;
/** For agent and Envoy to end after the drain; on a busy node that alone takes seconds. */
const endSeconds = 15;

/**
 * The Gateway's proxies. Nothing of the Gateway's listeners is in here, so a changed listener never restarts a pod:
 * the Service maps each port to the same port of the pod, where Envoy binds it.
 */
export function podTemplateOf(gateway: PlacedProxies, settings: ProxySettings): V1PodTemplateSpec {
  const { podLabels, podAnnotations, podPatch } = settings.parameters;
  return {
    metadata: {
      labels: { ...usersLabels(podLabels), ...labelsOf(gateway) },
      annotations: {
        ...podAnnotations,
        ...annotationsOf(gateway),
        [configAnnotation]: agentConfig(gateway, settings),
      },
    },
    spec: patchedPod(podSpec(gateway, settings), podPatch),
  };
}

/** JSON is YAML. */
function agentConfig({ namespace, name }: PlacedProxies, settings: ProxySettings): string {
  const { logLevel, bootstrap, concurrency, metrics, geoip } = settings.parameters;
  const dataplane = {
    cluster: objectKey(namespace, name),
    xdsAddress: formatAddress(settings.xdsAddress),
    ...(settings.egress && { controlPlaneHosts: settings.egress.controlPlaneHosts }),
    ...(settings.trust && accessConfig),
    drainTime: durationText(settings.drainMs),
    minDrainTime: durationText(settings.minDrainMs),
    ...(settings.reusePort && { reusePort: true }),
    ...(settings.ipFamily && settings.ipFamily !== 'IPv4' && { ipFamily: settings.ipFamily }),
    ...(settings.envoyImage !== undefined && { envoyPath: foreignEnvoyPath }),
    ...(concurrency !== undefined && { concurrency }),
    ...(geoip && { geoip: geoip.databases }),
    ...(metrics && { metrics }),
    ...(logLevel?.envoy && { logLevel: logLevel.envoy }),
    ...(bootstrap && { bootstrap }),
    cache: cacheConfig(settings.parameters),
  };
  const sessionPersistence = {
    secretKeyFile: `${sessionKeyDirectory}/key`,
    previousSecretKeyFile: `${sessionKeyDirectory}/previous-key`,
  };
  return JSON.stringify({
    dataplane,
    ...backendsConfig(settings),
    ...(settings.sessionSecret !== undefined && { sessionPersistence }),
    ...(logLevel?.agent && { log: { level: logLevel.agent } }),
  });
}

/** What is as by default is left out: the pods of an upgrade with nothing new in it need not be others. */
function backendsConfig({ egress }: ProxySettings) {
  if (!egress) return {};
  const { allowedAddresses, clusterDomain } = egress;
  const backends = {
    ...(allowedAddresses.length > 0 && { allowedAddresses }),
    ...(clusterDomain !== defaultClusterDomain && { clusterDomain }),
  };
  return Object.keys(backends).length > 0 && { backends };
}

function podSpec(gateway: PlacedProxies, settings: ProxySettings): V1PodSpec {
  const envoy = foreignEnvoy(settings);
  return {
    ...placementOf(gateway, settings.parameters),
    ...envoy?.pod,
    serviceAccountName: gateway.place.name,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: leaveSeconds + Math.ceil(settings.drainMs / 1000) + endSeconds,
    securityContext: podSecurity(settings.parameters),
    containers: [container(settings, envoy)],
    volumes: [
      {
        name: 'config',
        downwardAPI: {
          items: [{ path: 'config.yaml', fieldRef: { fieldPath: `metadata.annotations['${configAnnotation}']` } }],
        },
      },
      { name: 'work', emptyDir: {} },
      ...cacheVolumes(settings.parameters),
      ...(envoy?.volumes ?? []),
      ...(settings.sessionSecret === undefined
        ? []
        : [{ name: 'session-key', secret: { secretName: settings.sessionSecret, defaultMode: 0o444 } }]),
      ...(settings.trust ? [accessVolume(gateway.place, settings.trust)] : []),
    ],
  };
}

function container(settings: ProxySettings, envoy: ForeignEnvoy | undefined): V1Container {
  const { imagePullPolicy, hostNetwork } = settings.parameters;
  return {
    name: agentContainer,
    image: settings.image,
    ...(imagePullPolicy && { imagePullPolicy }),
    args: ['data-plane', '--config', `${configDirectory}/config.yaml`],
    env: [
      { name: 'SVC_GW_NODE_ID', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      // Empty before Kubernetes 1.35, which copies the label from the node.
      {
        name: 'GATEWRIGHT_ZONE',
        valueFrom: { fieldRef: { fieldPath: "metadata.labels['topology.kubernetes.io/zone']" } },
      },
      ...nodeAddress(settings),
      { name: 'TMPDIR', value: '/tmp' },
      // The agent lives long and does little at a time: a small young generation, and one pool for what is no heap of
      // JavaScript. docs/data-plane.md has what both save. Envoy has an allocator of its own.
      { name: 'NODE_OPTIONS', value: '--max-semi-space-size=1' },
      { name: 'MALLOC_ARENA_MAX', value: '1' },
    ],
    // The API server would add the node's port, and leave it there when the node's network is no longer asked for.
    ports: [{ name: 'admin', containerPort: adminPort, ...(hostNetwork && { hostPort: adminPort }) }],
    // A proxy has to be there quickly after it was asked for, hence the short periods until it is.
    // A node without a free core takes minutes to start it, and starting over would only add to that.
    startupProbe: { ...probe('/healthz'), periodSeconds: 1, failureThreshold: 300 },
    // The agent restarts Envoy itself, and Envoy serves on while the agent hangs: a restart costs connections, and on a node
    // that is out of cores it is one more thing to start.
    livenessProbe: { ...probe('/healthz'), periodSeconds: 30, failureThreshold: 10, timeoutSeconds: 15 },
    // The first one comes right after the start; the kubelet looks once more whenever the pod changes before it is ready.
    readinessProbe: { ...probe('/readyz'), periodSeconds: 5, failureThreshold: 2 },
    lifecycle: { preStop: { sleep: { seconds: leaveSeconds } } },
    resources: settings.resources,
    securityContext: containerSecurity(settings.parameters),
    volumeMounts: [
      { name: 'config', mountPath: configDirectory, readOnly: true },
      { name: 'work', mountPath: '/tmp' },
      ...cacheMounts(settings.parameters),
      ...(envoy?.mounts ?? []),
      ...(settings.sessionSecret === undefined
        ? []
        : [{ name: 'session-key', mountPath: sessionKeyDirectory, readOnly: true }]),
      ...(settings.trust ? [accessMount] : []),
    ],
  };
}

/** For receivers of metrics on the same node. */
const nodeAddress = ({ parameters: { metrics } }: ProxySettings): V1EnvVar[] =>
  metrics?.sinks.some(({ statsd, dogStatsd }) => statsd?.node || dogStatsd?.node)
    ? [{ name: 'GATEWRIGHT_NODE_ADDRESS', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } }]
    : [];

const probe = (path: string): V1Probe => ({ httpGet: { path, port: 'admin' }, timeoutSeconds: 2 });
