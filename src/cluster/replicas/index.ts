/**
 * Control planes that act as one: each follows what the others report of their data planes, and of what they hold back. Knows
 * nothing of Kubernetes; changes nothing itself, but notifies the parts that do.
 */
export { Electorate } from './electorate.ts';
export type { Feed } from './feed.ts';
export type { BudgetMessage } from './merged-node-list.ts';
export { replicaMetrics } from './metrics.ts';
export { RemoteReplicas, ReplicaNodes } from './replica-nodes.ts';
export { Replicas, type ReplicasOptions, type ReplicaView } from './replicas.ts';
export type { ReplicaTiming } from './timing.ts';
