/**
 * The Kubernetes API: where it is, a small typed client, informers that repair themselves, and the operator that runs them. Knows kinds
 * and objects, and nothing of what is done with them.
 */
export {
  type CallOptions,
  type DeleteOptions,
  KubeClient,
  type KubeClientOptions,
  type KubeRequest,
  type ListOptions,
  type ListPage,
  type ObjectRef,
  type ResourceType,
  resourcePath,
  type StatusPatch,
  type WatchEvent,
  type WatchOptions,
} from './client.ts';
export { createOperator } from './create-operator.ts';
export {
  Informer,
  type InformerHandler,
  type InformerHooks,
  type InformerState,
  type InformerTiming,
  type RestartReason,
} from './informer.ts';
export { KubeConfigError, type KubeConfigOptions, type LoadedKubeConfig, loadKubeConfig } from './kube-config.ts';
export { KubeError, type KubeErrorCode, type StatusBody } from './kube-error.ts';
export { kubeMetrics } from './metrics.ts';
export type { GatewrightOperator, OperatorListener, OperatorOptions } from './operator.ts';
export { prune } from './prune.ts';
