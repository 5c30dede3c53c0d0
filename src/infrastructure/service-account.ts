import { type ProxyObject, proxyObject } from './object.ts';
import type { PlacedProxies } from './placed-proxies.ts';

/** An identity for the Gateway's proxies, without any right: they never talk to the API server. */
export const serviceAccountOf = (gateway: PlacedProxies): ProxyObject =>
  proxyObject('ServiceAccount', gateway, { automountServiceAccountToken: false });
