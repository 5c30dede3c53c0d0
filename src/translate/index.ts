/** IR → Envoy resources: pure, and knowing nothing of Kubernetes. */

export type { EncodingFault } from './encoding-faults.ts';
export type {
  ChainDemand,
  ChainList,
  EnvoyResource,
  GatewayChange,
  Origin,
  Provenance,
  Trial,
} from './resource/index.ts';
export { namesSentFor } from './resource/index.ts';
export { Translator } from './translator.ts';
