import type { V1DaemonSetSpec } from '@kubernetes/client-node';
import type { InfrastructureSettings } from './gateway-proxies.ts';
import { type ProxyObject, proxyObject } from './object.ts';
import type { PlacedProxies } from './placed-proxies.ts';
import { podTemplateOf } from './pod-template.ts';
import { proxySettings } from './proxy-settings.ts';
import { rollingUpdate } from './workload.ts';

/** A proxy on each node that its pods may run on. */
export function daemonSetOf(gateway: PlacedProxies, common: InfrastructureSettings): ProxyObject {
  const settings = proxySettings(gateway.parameters ?? {}, common);
  const spec: V1DaemonSetSpec = {
    selector: { matchLabels: gateway.place.selector },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: rollingUpdate(settings.parameters) },
    template: podTemplateOf(gateway, settings),
  };
  return proxyObject('DaemonSet', gateway, { spec });
}
