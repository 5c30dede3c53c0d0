import type { Kind, KubernetesObject } from '../gateway-api/index.ts';
import type { FileProblem, ReportProblem } from './directory/problem.ts';

/** One thing that happened to one object. `deleted` carries the last known state. */
export interface ResourceEvent {
  readonly type: 'added' | 'modified' | 'deleted';
  readonly kind: Kind;
  readonly object: KubernetesObject;
}

/**
 * Where a source's findings go. Calls come one at a time, in order for each object.
 */
export interface SourceListener {
  event(event: ResourceEvent): void;
  /** Every object of the kind that existed at the start has been reported. Once for a kind. */
  synced(kind: Kind): void;
  /** The kind is not available (CRD not installed), or is again. An unavailable kind counts as synced and as empty. */
  availability(kind: Kind, available: boolean, message: string): void;
  /** Something in a file is wrong, or is no more. */
  problem?: ReportProblem;
  /** A namespace cannot be read, or can again. What was reported of it stays; the rest counts as not there. */
  namespaceAvailability?(namespace: string, available: boolean, message: string): void;
}

/** A place that Gateway API objects come from: a cluster or a directory. */
export interface Source {
  /** What is wrong with its files now; a cluster has none. */
  problems?(): readonly FileProblem[];
  /** Resolves when everything was reported and the source is stopped by the signal; rejects only for faults at the start. */
  run(listener: SourceListener, signal: AbortSignal): Promise<void>;
}
