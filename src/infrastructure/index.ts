/**
 * The proxies of each Gateway: a ServiceAccount, a ConfigMap, a Deployment and a Service in the Gateway's namespace, kept as they
 * should be. What a proxy does is the xDS server's business; this folder only brings it to life and gives it an address.
 */
export type { GatewayProxies, InfrastructureSettings, ProxyPort, XdsTrust } from './gateway-proxies.ts';
export { KubeInfrastructure } from './kube-infrastructure.ts';
export { gatewayAnnotation, managedByLabel } from './names.ts';
export { proxyKinds } from './object.ts';
export { placeOf } from './place.ts';
export { type InfrastructureState, stateOf } from './state.ts';
