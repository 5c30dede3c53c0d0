import type * as ir from '../../ir/index.ts';

/** Counts that the snapshot does not carry itself. */
export interface SnapshotTotals {
  /** Endpoints that take new requests. */
  readonly healthyEndpoints: number;
  /** The secrets in use, each once, by key. */
  readonly secrets: ReadonlyMap<string, ir.Secret>;
}

// Snapshots share structure: a count holds as long as its part of the snapshot is the same object.
const healthyEndpoints = new WeakMap<ir.Snapshot['endpoints'], number>();
const secrets = new WeakMap<ir.Snapshot['gateways'], ReadonlyMap<string, ir.Secret>>();

/** Counted once per snapshot, and only on request. */
export const snapshotTotals = (snapshot: ir.Snapshot): SnapshotTotals => ({
  healthyEndpoints: remembered(healthyEndpoints, snapshot.endpoints, countHealthy),
  secrets: remembered(secrets, snapshot.gateways, collectSecrets),
});

function remembered<K extends object, V>(memory: WeakMap<K, V>, key: K, make: (key: K) => V): V {
  const before = memory.get(key);
  if (before !== undefined) return before;
  const value = make(key);
  memory.set(key, value);
  return value;
}

function countHealthy(all: ir.Snapshot['endpoints']): number {
  let count = 0;
  for (const { endpoints } of all.values()) {
    for (const { health } of endpoints) if (health === 'ready') count++;
  }
  return count;
}

function collectSecrets(gateways: ir.Snapshot['gateways']): ReadonlyMap<string, ir.Secret> {
  const found = new Map<string, ir.Secret>();
  for (const gateway of gateways.values()) {
    for (const [key, secret] of gateway.secrets) found.set(key, secret);
  }
  return found;
}
