import type { V1Container, V1DeploymentSpec, V1PodSpec, V1Probe } from '@kubernetes/client-node';
import { formatAddress } from '../config/index.ts';
import { objectKey } from '../gateway-api/index.ts';
import type { GatewayProxies, InfrastructureSettings } from './gateway-proxies.ts';
import { annotationsOf, labelsOf, objectName, selectorOf } from './names.ts';
import { type ProxyObject, proxyObject } from './object.ts';

/** The agent's configuration file travels in this annotation of the pod: no further object that could drift from it. */
const configAnnotation = 'gatewright.dev/data-plane-config';
const configDirectory = '/etc/gatewright';
const sessionKeyDirectory = '/etc/gatewright-sessions';
const adminPort = 8082;
/** Every user id but root's would do; distroless images use this one. */
const userId = 65532;
/** Until every kube-proxy and load balancer has heard that the pod is leaving. */
const leaveSeconds = 3;
/** For clients that keep idle connections to use one once more and hear that it is about to be closed. */
const minDrainSeconds = 5;
/** For agent and Envoy to end after the drain; on a busy node that alone takes seconds. */
const endSeconds = 15;

/**
 * The Gateway's proxies. Nothing of the Gateway's listeners is in here, so a changed listener never restarts a pod:
 * the Service maps each port to the same port of the pod, where Envoy binds it.
 */
export function deploymentOf(gateway: GatewayProxies, settings: InfrastructureSettings): ProxyObject {
  const spec: V1DeploymentSpec = {
    replicas: settings.replicas,
    selector: { matchLabels: selectorOf(gateway.name) },
    // A new proxy is ready before an old one starts to drain.
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    template: {
      metadata: {
        labels: labelsOf(gateway),
        annotations: { ...annotationsOf(gateway), [configAnnotation]: agentConfig(gateway, settings) },
      },
      spec: podSpec(gateway, settings),
    },
  };
  return proxyObject('Deployment', gateway, { spec });
}

/** JSON is YAML. */
function agentConfig({ namespace, name }: GatewayProxies, settings: InfrastructureSettings): string {
  const dataplane = {
    cluster: objectKey(namespace, name),
    xdsAddress: formatAddress(settings.xdsAddress),
    drainTime: `${drainSeconds(settings)}s`,
    minDrainTime: `${Math.min(minDrainSeconds, drainSeconds(settings))}s`,
  };
  if (settings.sessionSecret === undefined) return JSON.stringify({ dataplane });
  const sessionPersistence = {
    secretKeyFile: `${sessionKeyDirectory}/key`,
    previousSecretKeyFile: `${sessionKeyDirectory}/previous-key`,
  };
  return JSON.stringify({ dataplane, sessionPersistence });
}

const drainSeconds = (settings: InfrastructureSettings): number => settings.drainSeconds ?? 10;

function podSpec(gateway: GatewayProxies, settings: InfrastructureSettings): V1PodSpec {
  return {
    serviceAccountName: objectName(gateway.name),
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: leaveSeconds + drainSeconds(settings) + endSeconds,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: userId,
      runAsGroup: userId,
      seccompProfile: { type: 'RuntimeDefault' },
      // A listener's port is bound as it is written, 80 and 443 included, without any capability. Namespaced and on
      // Kubernetes' list of safe sysctls, so the restricted pod security standard allows it.
      sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }],
    },
    containers: [container(settings)],
    volumes: [
      {
        name: 'config',
        downwardAPI: {
          items: [{ path: 'config.yaml', fieldRef: { fieldPath: `metadata.annotations['${configAnnotation}']` } }],
        },
      },
      { name: 'work', emptyDir: {} },
      ...(settings.sessionSecret === undefined
        ? []
        : [{ name: 'session-key', secret: { secretName: settings.sessionSecret, defaultMode: 0o444 } }]),
    ],
  };
}

function container(settings: InfrastructureSettings): V1Container {
  return {
    name: 'data-plane',
    image: settings.image,
    args: ['data-plane', '--config', `${configDirectory}/config.yaml`],
    env: [
      { name: 'SVC_GW_NODE_ID', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      // Empty before Kubernetes 1.35, which copies the label from the node.
      {
        name: 'GATEWRIGHT_ZONE',
        valueFrom: { fieldRef: { fieldPath: "metadata.labels['topology.kubernetes.io/zone']" } },
      },
      { name: 'TMPDIR', value: '/tmp' },
    ],
    ports: [{ name: 'admin', containerPort: adminPort }],
    // A proxy has to be there quickly after it was asked for, hence the short periods until it is.
    // A node without a free core takes minutes to start it, and starting over would only add to that.
    startupProbe: { ...probe('/healthz'), periodSeconds: 1, failureThreshold: 300 },
    // The agent restarts Envoy itself, and Envoy serves on while the agent hangs: a restart costs connections, and on a node
    // that is out of cores it is one more thing to start.
    livenessProbe: { ...probe('/healthz'), periodSeconds: 30, failureThreshold: 10, timeoutSeconds: 15 },
    // The first one comes right after the start; the kubelet looks once more whenever the pod changes before it is ready.
    readinessProbe: { ...probe('/readyz'), periodSeconds: 5, failureThreshold: 2 },
    lifecycle: { preStop: { sleep: { seconds: leaveSeconds } } },
    resources: { requests: { cpu: settings.cpuRequest ?? '10m', memory: settings.memoryRequest ?? '64Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    },
    volumeMounts: [
      { name: 'config', mountPath: configDirectory, readOnly: true },
      { name: 'work', mountPath: '/tmp' },
      ...(settings.sessionSecret === undefined
        ? []
        : [{ name: 'session-key', mountPath: sessionKeyDirectory, readOnly: true }]),
    ],
  };
}

const probe = (path: string): V1Probe => ({ httpGet: { path, port: 'admin' }, timeoutSeconds: 2 });
