/** Rate limits that all proxies of a Gateway share, as a control plane keeps them. Knows neither Kubernetes nor Envoy. */
export { sharedLimitsMetrics } from './metrics.ts';
export { SharedLimits } from './shared-limits.ts';
