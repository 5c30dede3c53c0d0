/** Spans of the control plane's own work: changes on their way to proxies, and requests of its admin API. */
export { ControlPlaneSpans } from './control-plane-spans.ts';
export { tracingMetrics } from './metrics.ts';
