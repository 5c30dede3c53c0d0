import type { MetricSet } from '../../telemetry/index.ts';

/** Other control planes. */
export function replicaMetrics(metrics: MetricSet) {
  const peers = metrics.gauge('gateway_replica_peers', {
    help: 'Other control plane replicas, by whether this one can reach them.',
    labels: ['state'],
  });
  return {
    /** Addresses at which other control planes are, or should be. */
    peers({ connected, unreachable }: { readonly connected: number; readonly unreachable: number }) {
      peers.set({ state: 'connected' }, connected);
      peers.set({ state: 'unreachable' }, unreachable);
    },
  };
}
