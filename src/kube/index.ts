/**
 * The Kubernetes API: where it is, a small typed client, informers that repair themselves, and the operator that runs them. Knows kinds
 * and objects, and nothing of what is done with them.
 */

export type { WatchEvent } from './answers.ts';
export { KubeClient, type KubeRequest } from './client.ts';
export { createOperator } from './create-operator.ts';
export { Informer } from './informer.ts';
export type { InformerHandler, InformerHooks, InformerTiming, RestartReason } from './informer-options.ts';
export { KubeConfigError, type LoadedKubeConfig, loadKubeConfig } from './kube-config.ts';
export { KubeError, type StatusBody } from './kube-error.ts';
export { kubeMetrics } from './metrics.ts';
export type { GatewrightOperator } from './operator.ts';
export { prune } from './prune.ts';
export { type ResourceType, resourcePath, type WatchOptions } from './requests.ts';
