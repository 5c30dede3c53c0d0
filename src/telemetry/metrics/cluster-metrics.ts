import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import { prefix } from './names.ts';

/** What sources, controllers, the status writer and leader election tell. */
export interface ClusterMetrics {
  reconcileEvent(kind: string): void;
  watchRestarted(kind: string, reason: string): void;
  /** Of an install that is limited to namespaces. */
  namespaceReadable(namespace: string, isReadable: boolean): void;
  /** `result`: such as `written`, `conflict`, `gone` or `error`. */
  statusWritten(kind: string, result: string): void;
  leader(isLeader: boolean): void;
  /** Addresses at which other control planes are, or should be. */
  replicaPeers(counts: { readonly connected: number; readonly unreachable: number }): void;
}

/** Reading from and writing to the place that resources come from. */
export function createClusterMetrics(registry: Registry): ClusterMetrics {
  const registers = [registry];
  const events = new Counter({
    name: `${prefix}reconcile_events_total`,
    help: 'Events that reached a reconciler.',
    labelNames: ['kind'],
    registers,
  });
  const restarts = new Counter({
    name: `${prefix}watch_restarts_total`,
    help: 'Watches that had to be opened again.',
    labelNames: ['kind', 'reason'],
    registers,
  });
  const readable = new Gauge({
    name: `${prefix}namespace_readable`,
    help: '0 while a namespace of source.kubernetes.namespaces cannot be read.',
    labelNames: ['namespace'],
    registers,
  });
  const writes = new Counter({
    name: `${prefix}status_writes_total`,
    help: 'Writes of status.',
    labelNames: ['kind', 'result'],
    registers,
  });
  const leader = new Gauge({ name: `${prefix}leader`, help: '1 when this replica writes status.', registers });
  const peers = new Gauge({
    name: `${prefix}gateway_replica_peers`,
    help: 'Other control planes by whether this one can reach them.',
    labelNames: ['state'],
    registers,
  });
  return {
    reconcileEvent: (kind) => events.inc({ kind }),
    watchRestarted: (kind, reason) => restarts.inc({ kind, reason }),
    namespaceReadable: (namespace, isReadable) => readable.set({ namespace }, isReadable ? 1 : 0),
    statusWritten: (kind, result) => writes.inc({ kind, result }),
    leader: (isLeader) => leader.set(isLeader ? 1 : 0),
    replicaPeers({ connected, unreachable }) {
      peers.set({ state: 'connected' }, connected);
      peers.set({ state: 'unreachable' }, unreachable);
    },
  };
}
