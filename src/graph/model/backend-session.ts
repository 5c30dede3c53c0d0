import type { ObjectReference } from './object-reference.ts';
import type { RuleSpec } from './rule-spec.ts';

export type SessionSpec = NonNullable<RuleSpec['sessionPersistence']>;

/** A `sessionPersistence` and whose it is. */
export interface BackendSession {
  readonly spec: SessionSpec;
  readonly source: ObjectReference;
}

/** What is said of sessions of a backend, by its key. */
export interface BackendSessions {
  /** By the backend itself, an XBackend. */
  readonly own?: BackendSession;
  /** By the XBackendTrafficPolicy that rules it. */
  readonly policy?: BackendSession;
}
