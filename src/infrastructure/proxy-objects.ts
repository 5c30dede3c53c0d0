import { autoscalerOf } from './autoscaler.ts';
import { daemonSetOf } from './daemon-set.ts';
import { deploymentOf, type LiveDeployment } from './deployment.ts';
import { disruptionBudgetOf } from './disruption-budget.ts';
import type { InfrastructureSettings } from './gateway-proxies.ts';
import { networkPolicyOf } from './network-policy.ts';
import type { ProxyObject } from './object.ts';
import type { PlacedProxies } from './placed-proxies.ts';
import { serviceOf } from './service.ts';
import { serviceAccountOf } from './service-account.ts';
import type { LiveService } from './service-addresses.ts';
import { trustBundleOf } from './trust-bundle.ts';
import { workloadKindOf } from './workload.ts';

/** What the API server has of objects that it decides on with us. */
export interface LiveSpecs {
  readonly deployment: LiveDeployment | undefined;
  readonly service: LiveService;
}

/**
 * The desired objects: accounts and bundles before the pods that use them, the pods before their autoscaler. None while the proxies'
 * parameters are unknown. `live`: the specs of their Deployment and their Service, if there are such.
 */
export function proxyObjects(gateway: PlacedProxies, settings: InfrastructureSettings, live: LiveSpecs): ProxyObject[] {
  const { parameters } = gateway;
  if (parameters === undefined) return [];
  const objects = [
    serviceAccountOf(gateway),
    networkPolicyOf(gateway, settings),
    trustBundleOf(gateway, settings),
    serviceOf(gateway, settings, live.service),
    ...workloadOf(gateway, settings, live.deployment),
  ];
  return objects.filter((object) => object !== undefined);
}

/** Nodes decide how many proxies a DaemonSet has, and who empties one passes over them. */
function workloadOf(
  gateway: PlacedProxies,
  settings: InfrastructureSettings,
  live: LiveDeployment | undefined,
): (ProxyObject | undefined)[] {
  const { parameters = {} } = gateway;
  if (workloadKindOf(parameters) === 'DaemonSet') return [daemonSetOf(gateway, settings)];
  return [
    deploymentOf(gateway, settings, live),
    disruptionBudgetOf(gateway, parameters.podDisruptionBudget),
    autoscalerOf(gateway, parameters.autoscaling),
  ];
}
