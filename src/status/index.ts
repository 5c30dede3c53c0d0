/**
 * Brings desired statuses to the API server. What is desired is the graph's business; who may write is the leader's; this
 * folder knows how: merged with what others wrote, and only when the meaning changed.
 */
export { EventRecorder } from './event-recorder.ts';
export { kubeStatusApi } from './kube-status-api.ts';
export { mergeStatus } from './merge-status.ts';
export { statusMetrics } from './metrics.ts';
export type { StatusApi, WriteOutcome } from './status-api.ts';
export { StatusWriter, type StatusWriterOptions } from './status-writer.ts';
