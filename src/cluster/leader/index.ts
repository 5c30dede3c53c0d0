/**
 * Who of several control planes writes to the cluster: one at a time, elected by a Lease. Knows nothing of what is
 * written; the writer asks `isLeader` before and binds each request to `term`.
 */
export { Elector, type ElectorOptions, type LeaseApi } from './elector.ts';
export { LeaderElectionError } from './leader-error.ts';
export { policiesAnnotation } from './lease.ts';
export { leaderMetrics } from './metrics.ts';
