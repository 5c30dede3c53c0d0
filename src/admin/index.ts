/**
 * The admin API: both path layouts of the contract and the metrics listener, as two presenters over one read model. It
 * looks at graph, IR and xDS, and changes none of them; what it writes goes to the cluster or the directory.
 */
export type { Addon, AddonHost, AdminAnswer, AdminQuestion, AskAdmin, CreateAddons } from './addon.ts';
export { type AdminAccess, tokensOf } from './auth/admin-access.ts';
export type { Tokens } from './auth/bearer-auth.ts';
export { ClusterIdentities } from './auth/kubernetes/cluster-identities.ts';
export { openWarning } from './auth/open-warning.ts';
export { TokenSecret } from './auth/token-secret.ts';
export type { BackendRecord } from './backends/record.ts';
export type { CertificateRecord } from './certificates/record.ts';
export { type Admin, type AdminOptions, createAdmin } from './create-admin.ts';
export { shows } from './dashboard/capabilities.ts';
export type { DiffRecord } from './diff/record.ts';
export { EventLog, nodeEvent, problemEvent, resourceEvent, snapshotEvent } from './events/index.ts';
export { catalogue, explanationOf, nearestCode } from './explain/catalogue.ts';
export type { Explanation } from './explain/record.ts';
export type { GatewayRecord } from './gateways/record.ts';
export * from './http/index.ts';
export type { InfrastructureParts, InfrastructureView } from './infrastructure/infrastructure-record.ts';
export type { InfrastructurePart, InfrastructureRecord } from './infrastructure/record.ts';
export { listenAdmin } from './listen-admin.ts';
export type { ListenerRecord } from './listeners/record.ts';
export { ClusterResourceStore } from './managed-resources/cluster/cluster-store.ts';
export { DirectoryResourceStore } from './managed-resources/directory/directory-store.ts';
export type { ResourceStore } from './managed-resources/resource-store.ts';
export type { NodeRecord, OfferedAgainRecord } from './nodes/record.ts';
export { describedOperations } from './openapi/index.ts';
export { fileFinding } from './problems/of-files.ts';
export { nameOf } from './problems/problem.ts';
export type { ProblemsRecord } from './problems/record.ts';
export { bind, type Endpoint, get, post, put, question } from './resource/endpoint.ts';
export type { Operation } from './resource/operation.ts';
export { bodyErrors, parseBody, readObject } from './resource/read-body.ts';
export { resource } from './resource/resource.ts';
export { whileAsked } from './resource/while-asked.ts';
export type { RouteTestRecord } from './route-test/record.ts';
export type { RouteRecord } from './routes/record.ts';
export type { ServiceRecord } from './service-catalog/record.ts';
export { envoyResourceRecord } from './snapshot/envoy-resources.ts';
export type { EnvoyResourceRecord, EnvoySnapshotRecord, SnapshotRecord } from './snapshot/record.ts';
export { snapshotRecord } from './snapshot/snapshot-record.ts';
export type { SnapshotSync } from './snapshot-sync/record.ts';
export type { AdminSources, Availability, Leadership, Readiness } from './sources.ts';
export { summaryMetrics } from './summary/metrics.ts';
export type { Summary } from './summary/record.ts';
