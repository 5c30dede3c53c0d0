/**
 * The admin API: both path layouts of the contract and the metrics listener, as two presenters over one read model. It
 * looks at graph, IR and xDS, and changes none of them; what it writes goes to the cluster or the directory.
 */
export { type AdminAccess, tokensOf } from './auth/admin-access.ts';
export type { Tokens } from './auth/bearer-auth.ts';
export { ClusterIdentities } from './auth/kubernetes/cluster-identities.ts';
export { TokenSecret, TokenSecretError, tokenKeys } from './auth/token-secret.ts';
export { type Admin, type AdminOptions, createAdmin } from './create-admin.ts';
export { EventLog, nodeEvent, resourceEvent, snapshotEvent } from './events/index.ts';
export * from './http/index.ts';
export type { AiReports } from './layout1/ai.ts';
export type * as layout1 from './layout1/schemas.ts';
export { type AdminAddresses, type AdminListeners, listenAdmin } from './listen-admin.ts';
export { openWarning } from './open-warning.ts';
export type {
  Availability,
  InfrastructurePart,
  InfrastructureParts,
  InfrastructureView,
  Leadership,
  ManagedResources,
  Readiness,
} from './read-model/index.ts';
export {
  type EnvoyResourceRecord,
  envoyResourceRecord,
  type SnapshotRecord,
  snapshotRecord,
  worldFigures,
} from './read-model/index.ts';
export { ClusterResourceStore, DirectoryResourceStore, type ResourceStore } from './resources/index.ts';
export type * as whatIf from './what-if/schemas.ts';
