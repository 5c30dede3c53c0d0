import type * as ir from '../../ir/index.ts';

/** What policies demand of all requests to a Gateway. */
export interface Guard {
  readonly access: ir.TableAccess;
  /** Keys of the backends that are asked. */
  readonly backends: readonly string[];
}
