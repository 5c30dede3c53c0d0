import type * as ir from '../../ir/index.ts';

/** What policies demand of all requests to a listener. */
export interface Guard {
  /** The outermost level first. */
  readonly levels: readonly ir.ListenerAccess[];
  /** By level: when the policy of `source` was created, as in `creationTimestamp`; what is older goes first. */
  readonly since: Readonly<Partial<Record<ir.TableLevel, string>>>;
  /** Keys of the backends that are asked. */
  readonly backends: readonly string[];
}
