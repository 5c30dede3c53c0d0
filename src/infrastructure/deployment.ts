import type { V1DeploymentSpec } from '@kubernetes/client-node';
import { autoscaledReplicas } from './autoscaler.ts';
import type { InfrastructureSettings } from './gateway-proxies.ts';
import { type ProxyObject, proxyObject } from './object.ts';
import type { PlacedProxies } from './placed-proxies.ts';
import { podTemplateOf } from './pod-template.ts';
import { proxySettings } from './proxy-settings.ts';
import { rollingUpdate } from './workload.ts';

/** A number of proxies. `currentReplicas` is what an autoscaler has made of it. */
export function deploymentOf(
  gateway: PlacedProxies,
  common: InfrastructureSettings,
  currentReplicas?: number,
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
  return { ...deployment, spec: { ...spec, replicas: autoscaledReplicas(autoscaling, currentReplicas) } };
}
