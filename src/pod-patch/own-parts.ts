/** Name of the container with the agent and Envoy. */
export const agentContainer = 'data-plane';
/** Name of the init container that copies an Envoy of another image. */
export const foreignEnvoyContainer = 'envoy';

/** Volumes of the pod that are the agent's. */
export const ownVolumes: ReadonlySet<string> = new Set([
  'config',
  'work',
  'cache',
  'cache-key',
  'session-key',
  'xds',
  'envoy',
]);

/** Paths in the agent's container where it has its own files, with all below and above them but the root. */
export const ownPaths: readonly string[] = [
  '/etc/gatewright',
  '/etc/gatewright-cache',
  '/etc/gatewright-sessions',
  '/opt/envoy',
  '/tmp',
  '/var/cache/gatewright',
  '/var/run/secrets/gatewright',
];

/** Variables by which the agent knows who it is, and how its runtime behaves. */
export const ownVariables: readonly RegExp[] = [/^SVC_GW_/, /^GATEWRIGHT_/, /^NODE_OPTIONS$/, /^TMPDIR$/];

/** Fields of a pod that a patch may write. Others have a field of their own in the DataPlane, or are the agent's. */
export const openFields: ReadonlySet<string> = new Set([
  'containers',
  'dnsConfig',
  'dnsPolicy',
  'hostAliases',
  'initContainers',
  'preemptionPolicy',
  'resourceClaims',
  'runtimeClassName',
  'schedulerName',
  'securityContext',
  'setHostnameAsFQDN',
  'shareProcessNamespace',
  'volumes',
]);

/** Fields of the agent's container that a patch may write. */
export const openContainerFields: ReadonlySet<string> = new Set([
  'env',
  'envFrom',
  'name',
  'securityContext',
  'volumeDevices',
  'volumeMounts',
]);
