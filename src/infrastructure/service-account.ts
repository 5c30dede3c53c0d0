import type { GatewayProxies } from './gateway-proxies.ts';
import { type ProxyObject, proxyObject } from './object.ts';

/** An identity for the Gateway's proxies, without any right: they never talk to the API server. */
export const serviceAccountOf = (gateway: GatewayProxies): ProxyObject =>
  proxyObject('ServiceAccount', gateway, { automountServiceAccountToken: false });
