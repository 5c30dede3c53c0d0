/** Where resources come from: a cluster or a directory of YAML, behind one interface. */
export { ClusterSource, type ClusterSourceOptions, ClusterStartError } from './cluster.ts';
export type { ResourceEvent, Source, SourceListener } from './source.ts';
