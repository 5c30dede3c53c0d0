/**
 * The admin API: both path layouts of the contract and the metrics listener, as two presenters over one read model. It
 * looks at graph, IR and xDS, and changes none of them; what it writes goes to the cluster or the directory.
 */
export { type AdminAccess, tokensOf } from './auth/admin-access.ts';
export type { Tokens } from './auth/bearer-auth.ts';
export { ClusterIdentities } from './auth/kubernetes/cluster-identities.ts';
export { openWarning } from './auth/open-warning.ts';
export { TokenSecret, TokenSecretError, tokenKeys } from './auth/token-secret.ts';
export { type Admin, type AdminOptions, createAdmin } from './create-admin.ts';
export type * as whatIf from './diff/record.ts';
export { EventLog, nodeEvent, resourceEvent, snapshotEvent } from './events/index.ts';
export * from './http/index.ts';
export type {
  InfrastructurePart,
  InfrastructureParts,
  InfrastructureView,
} from './infrastructure/infrastructure-record.ts';
export type { AiReports } from './layout1/ai.ts';
export { type AdminAddresses, type AdminListeners, listenAdmin } from './listen-admin.ts';
export { ClusterResourceStore, DirectoryResourceStore, type ResourceStore } from './managed-resources/index.ts';
export type * as layout1 from './schemas.ts';
export { type EnvoyResourceRecord, envoyResourceRecord } from './snapshot/envoy-resources.ts';
export { type SnapshotRecord, snapshotRecord } from './snapshot/snapshot-record.ts';
export type { Availability, Leadership, ManagedResources, Readiness } from './sources.ts';
export { summaryMetrics } from './summary/metrics.ts';
