/** IR → Envoy resources: pure, and knowing nothing of Kubernetes. */
export type { EnvoyResource, GatewayChange, Makeup, Origin } from './resource/index.ts';
export { Translator } from './translator.ts';
