/** Delta ADS between the control plane and Envoy. Knows xDS, and neither processes nor HTTP. */
export { resourceBody, type WireResource } from './delta-messages.ts';
export { Downstream } from './downstream.ts';
export type { AppliedSnapshot } from './manifest.ts';
export { type LastAnswer, type Refusal, Relay } from './relay.ts';
export { Upstream } from './upstream.ts';
export { UsageRelay } from './usage-relay.ts';
