/** Rate limits that all proxies of a Gateway share, as a control plane keeps them. Knows neither Kubernetes nor Envoy. */

export type { LimitStore } from './limit-store.ts';
export { sharedLimitsMetrics } from './metrics.ts';
export { ownerOf } from './owner-of.ts';
export { PeerCalls } from './peer-calls.ts';
export { SharedLimits } from './shared-limits.ts';
export type { ValkeyServer } from './valkey/valkey-connection.ts';
export { ValkeyStore } from './valkey/valkey-store.ts';
