/** Managed resources: reads and writes of what users declare, in a cluster or in a directory, behind one interface. */

export { auditRefusals } from '../auth/audit.ts';
export { browserGuard } from '../auth/browser-guard.ts';
export { ClusterResourceStore } from './cluster/cluster-store.ts';
export { DirectoryResourceStore } from './directory/directory-store.ts';
export { managedKinds } from './managed-kinds.ts';
export { mountResources } from './mount.ts';
export type { ResourceStore } from './resource-store.ts';
