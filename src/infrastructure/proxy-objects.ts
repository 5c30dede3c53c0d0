import type { V1DeploymentSpec } from '@kubernetes/client-node';
import { autoscalerOf } from './autoscaler.ts';
import { deploymentOf } from './deployment.ts';
import { disruptionBudgetOf } from './disruption-budget.ts';
import type { InfrastructureSettings } from './gateway-proxies.ts';
import { networkPolicyOf } from './network-policy.ts';
import type { ProxyObject } from './object.ts';
import type { PlacedProxies } from './placed-proxies.ts';
import { serviceOf } from './service.ts';
import { serviceAccountOf } from './service-account.ts';
import { trustBundleOf } from './trust-bundle.ts';

/**
 * The desired objects: accounts and bundles before the pods that use them, the pods before their autoscaler. None while the proxies'
 * parameters are unknown. `live`: the spec of their Deployment, if there is one.
 */
export function proxyObjects(
  gateway: PlacedProxies,
  settings: InfrastructureSettings,
  live: Pick<V1DeploymentSpec, 'replicas'> | undefined,
): ProxyObject[] {
  const { parameters } = gateway;
  if (parameters === undefined) return [];
  const objects = [
    serviceAccountOf(gateway),
    networkPolicyOf(gateway, settings),
    trustBundleOf(gateway, settings),
    serviceOf(gateway, settings),
    deploymentOf(gateway, settings, live?.replicas),
    disruptionBudgetOf(gateway, parameters.podDisruptionBudget),
    autoscalerOf(gateway, parameters.autoscaling),
  ];
  return objects.filter((object) => object !== undefined);
}
