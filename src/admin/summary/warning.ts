import type { ProblemCode } from '../../problems/index.ts';

/** Something an operator should look at. Codes are stable. */
export interface Warning {
  readonly code: ProblemCode;
  readonly message: string;
}
