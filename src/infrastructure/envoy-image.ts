import type { V1Container, V1PodSpec, V1VolumeMount } from '@kubernetes/client-node';
import { foreignEnvoyContainer } from '../pod-patch/index.ts';
import type { ProxySettings } from './proxy-settings.ts';
import { containerSecurity } from './security.ts';

const directory = '/opt/envoy';
const volume = 'envoy';
/** Where Envoy's own images have it. */
const source = '/usr/local/bin/envoy';

/** What a pod needs to run an Envoy of another image: it is copied to where the agent finds it. */
export interface ForeignEnvoy {
  readonly pod: Pick<V1PodSpec, 'initContainers'>;
  readonly volumes: NonNullable<V1PodSpec['volumes']>;
  readonly mounts: V1VolumeMount[];
}

/** For the agent's configuration. */
export const foreignEnvoyPath = `${directory}/envoy`;

/** Undefined when the agent's image brings the desired Envoy. */
export function foreignEnvoy({ envoyImage, parameters, resources }: ProxySettings): ForeignEnvoy | undefined {
  if (envoyImage === undefined) return undefined;
  const copy: V1Container = {
    name: foreignEnvoyContainer,
    image: envoyImage,
    ...(parameters.imagePullPolicy && { imagePullPolicy: parameters.imagePullPolicy }),
    command: ['cp', source, foreignEnvoyPath],
    resources,
    securityContext: containerSecurity(parameters),
    volumeMounts: [{ name: volume, mountPath: directory }],
  };
  return {
    pod: { initContainers: [copy] },
    volumes: [{ name: volume, emptyDir: {} }],
    mounts: [{ name: volume, mountPath: directory, readOnly: true }],
  };
}
