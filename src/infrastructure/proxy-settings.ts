import type { V1ResourceRequirements } from '@kubernetes/client-node';
import type { DataPlaneSpec } from '../gateway-api/index.ts';
import { parseDurationMs } from '../std/index.ts';
import type { InfrastructureSettings } from './gateway-proxies.ts';

/** How the proxies of one Gateway are run: what its parameters say, and the common settings where they say nothing. */
export interface ProxySettings extends InfrastructureSettings {
  readonly parameters: DataPlaneSpec;
  readonly resources: V1ResourceRequirements;
  readonly drainMs: number;
  readonly minDrainMs: number;
  readonly reusePort: boolean;
}

/** For clients that keep idle connections to use one once more and hear that it is about to be closed. */
const minDrainMs = 5000;

export function proxySettings(parameters: DataPlaneSpec, settings: InfrastructureSettings): ProxySettings {
  const { image, envoyImage, replicas, resources, drainTime, minDrainTime } = parameters;
  const asked = millisecondsOf(drainTime) ?? (settings.drainSeconds ?? 10) * 1000;
  const least = millisecondsOf(minDrainTime) ?? Math.min(minDrainMs, asked);
  return {
    ...settings,
    image: image ?? settings.image,
    envoyImage: envoyImage ?? settings.envoyImage,
    replicas: replicas ?? settings.replicas,
    ipFamily: parameters.ipFamily ?? settings.ipFamily,
    serviceType: serviceTypeOf(parameters, settings),
    resources: {
      requests: quantities({
        cpu: settings.cpuRequest ?? '10m',
        memory: settings.memoryRequest ?? '64Mi',
        ...resources?.requests,
      }),
      ...(resources?.limits && { limits: quantities(resources.limits) }),
    },
    // One may come from the class and the other from the Gateway.
    drainMs: Math.max(asked, least),
    minDrainMs: least,
    // On a network of its own no other program can have a proxy's port.
    reusePort: parameters.reusePort ?? !parameters.hostNetwork,
    parameters,
  };
}

function serviceTypeOf({ service, hostNetwork }: DataPlaneSpec, { serviceType }: InfrastructureSettings) {
  if (service?.routability) return service.routability === 'Cluster' ? 'ClusterIP' : 'LoadBalancer';
  return service?.type ?? (hostNetwork ? 'ClusterIP' : serviceType);
}

/** A duration as the agent's configuration has it. */
export const durationText = (ms: number): string => {
  const [seconds, rest] = [Math.floor(ms / 1000), ms % 1000];
  return rest === 0 ? `${seconds}s` : `${seconds > 0 ? `${seconds}s` : ''}${rest}ms`;
};

const millisecondsOf = (duration: string | undefined): number | undefined =>
  duration === undefined ? undefined : parseDurationMs(duration);

/** The API server takes numbers and gives text. */
const quantities = (named: Readonly<Record<string, number | string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(named).map(([name, value]) => [name, String(value)]));
