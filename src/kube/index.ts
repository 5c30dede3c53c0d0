/**
 * The Kubernetes API: where it is, a small typed client, informers that repair themselves, and the operator that runs them. Knows kinds
 * and objects, and nothing of what is done with them.
 */
export {
  KubeClient,
  type KubeRequest,
  type ResourceType,
  resourcePath,
  type WatchEvent,
  type WatchOptions,
} from './client.ts';
export { createOperator } from './create-operator.ts';
export {
  Informer,
  type InformerHandler,
  type InformerHooks,
  type InformerTiming,
  type RestartReason,
} from './informer.ts';
export { KubeConfigError, type LoadedKubeConfig, loadKubeConfig } from './kube-config.ts';
export { KubeError, type StatusBody } from './kube-error.ts';
export { kubeMetrics } from './metrics.ts';
export type { GatewrightOperator } from './operator.ts';
export { prune } from './prune.ts';
