import type { V1PodDisruptionBudgetSpec } from '@kubernetes/client-node';
import type { DataPlaneSpec } from '../gateway-api/index.ts';
import { type ProxyObject, proxyObject } from './object.ts';
import type { PlacedProxies } from './placed-proxies.ts';

/** How many proxies stay while nodes are emptied, where that is asked for. */
export function disruptionBudgetOf(
  gateway: PlacedProxies,
  budget: DataPlaneSpec['podDisruptionBudget'],
): ProxyObject | undefined {
  if (!budget) return undefined;
  const spec: V1PodDisruptionBudgetSpec = {
    ...budget,
    selector: { matchLabels: gateway.place.selector },
    // Proxies that do not work are no reason to keep a node.
    unhealthyPodEvictionPolicy: 'AlwaysAllow',
  };
  return proxyObject('PodDisruptionBudget', gateway, { spec });
}
