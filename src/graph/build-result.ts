import type * as ir from '../ir/index.ts';
import type { StatusChange } from './engine/index.ts';
import type { FleetChange } from './fleets/index.ts';

/** One pass over what became dirty: the snapshot, how it differs from the one before, and the statuses that changed. */
export interface BuildResult {
  readonly snapshot: ir.Snapshot;
  readonly changes: readonly ir.Change[];
  readonly statuses: readonly StatusChange[];
  /** What was resolved again, for the reconciler of proxies. */
  readonly resolved: readonly FleetChange[];
  /** When to build again although nothing changes. */
  readonly due?: Date;
}
