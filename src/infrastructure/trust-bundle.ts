import type { InfrastructureSettings } from './gateway-proxies.ts';
import { type ProxyObject, proxyObject } from './object.ts';
import type { PlacedProxies } from './placed-proxies.ts';

/** The one key of the ConfigMap. */
export const bundleKey = 'ca.crt';

/**
 * What the Gateway's proxies check the control plane by. A pod can mount it from its own namespace only, and it changes
 * while pods run, so it is an object of its own. Undefined where xDS is plain text.
 */
export function trustBundleOf(gateway: PlacedProxies, { trust }: InfrastructureSettings): ProxyObject | undefined {
  if (trust === undefined) return undefined;
  return proxyObject('ConfigMap', gateway, { data: { [bundleKey]: trust.bundle() } });
}
