/** IR → Envoy resources: pure, and knowing nothing of Kubernetes. */
export type { EnvoyResource, GatewayChange, Makeup, Origin } from './envoy-resource.ts';
export { Translator } from './translator.ts';
