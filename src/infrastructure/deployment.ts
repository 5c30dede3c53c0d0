import type { V1DeploymentSpec } from '@kubernetes/client-node';
import { autoscaledReplicas } from './autoscaler.ts';
import type { InfrastructureSettings } from './gateway-proxies.ts';
import { type ProxyObject, proxyObject } from './object.ts';
import type { PlacedProxies } from './placed-proxies.ts';
import { podTemplateOf } from './pod-template.ts';
import { proxySettings } from './proxy-settings.ts';
import { rollingUpdate } from './workload.ts';

/** What is known of the Deployment as it is. */
export interface LiveDeployment {
  readonly replicas?: number | undefined;
  readonly resourceVersion?: string | undefined;
}

/** A number of proxies. `live` has what an autoscaler made of it. */
export function deploymentOf(
  gateway: PlacedProxies,
  common: InfrastructureSettings,
  { replicas, resourceVersion }: LiveDeployment = {},
): ProxyObject {
  const settings = proxySettings(gateway.parameters ?? {}, common);
  const { autoscaling } = settings.parameters;
  const spec: V1DeploymentSpec = {
    ...(!autoscaling && { replicas: settings.replicas }),
    selector: { matchLabels: gateway.place.selector },
    strategy: { type: 'RollingUpdate', rollingUpdate: rollingUpdate(settings.parameters) },
    template: podTemplateOf(gateway, settings),
  };
  const deployment = proxyObject('Deployment', gateway, { spec });
  if (!autoscaling) return deployment;
  // No part of the digest, because we do not set it.
  return {
    ...deployment,
    // The number may be an older one by now, and is then not to be written.
    metadata: { ...deployment.metadata, ...(resourceVersion !== undefined && { resourceVersion }) },
    spec: { ...spec, replicas: autoscaledReplicas(autoscaling, replicas) },
  };
}
