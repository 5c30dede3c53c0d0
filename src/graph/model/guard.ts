import type * as ir from '../../ir/index.ts';

/** What policies demand of all requests to a listener. */
export interface Guard {
  /** The outermost level first. */
  readonly levels: readonly ir.ListenerAccess[];
  /** Keys of the backends that are asked. */
  readonly backends: readonly string[];
}
