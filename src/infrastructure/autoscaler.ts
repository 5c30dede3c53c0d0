import type { V2HorizontalPodAutoscalerSpec } from '@kubernetes/client-node';
import type { DataPlaneSpec } from '../gateway-api/index.ts';
import { type ProxyObject, proxyObject } from './object.ts';
import type { PlacedProxies } from './placed-proxies.ts';

type Autoscaling = NonNullable<DataPlaneSpec['autoscaling']>;

/** Decides how many proxies the Gateway has, where that is asked for. */
export function autoscalerOf(gateway: PlacedProxies, autoscaling: Autoscaling | undefined): ProxyObject | undefined {
  if (!autoscaling) return undefined;
  const { minReplicas = 1, maxReplicas, targetCPUUtilizationPercentage: averageUtilization = 80 } = autoscaling;
  const spec: V2HorizontalPodAutoscalerSpec = {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: gateway.place.name },
    minReplicas,
    maxReplicas,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } }],
  };
  return proxyObject('HorizontalPodAutoscaler', gateway, { spec });
}

/**
 * The number that a Deployment is applied with while an autoscaler decides: what it has, so that the autoscaler's word
 * stands. To leave the field out would not do: what we once set and then leave out, the API server sets to 1.
 */
export function autoscaledReplicas({ minReplicas = 1, maxReplicas }: Autoscaling, current: number | undefined): number {
  return Math.max(minReplicas, Math.min(current ?? minReplicas, maxReplicas));
}
