/** Delta ADS between the control plane and Envoy. Knows xDS, and neither processes nor HTTP. */

export { BindRetry } from './bind-retry.ts';
export { ControlClient } from './control-client.ts';
export { readResource, resourceBody, type WireResource } from './delta-messages.ts';
export { Downstream } from './downstream.ts';
export type { KnownName } from './held-type.ts';
export type { Knowledge, Rejection, TypeKnowledge } from './knowledge.ts';
export { type GatedEnvoy, type ListenerWork, ListGate } from './list-gate.ts';
export type { IpFamily } from './listener-family.ts';
export type { ModuleKeeper } from './module-relay.ts';
export { Relay } from './relay.ts';
export type { AppliedSnapshot } from './snapshot-marker.ts';
export { UncheckedEndpoints } from './unchecked-endpoints.ts';
export { Upstream } from './upstream.ts';
export { type LogStream, UsageRelay } from './usage-relay.ts';
