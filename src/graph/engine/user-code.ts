import type * as ir from '../../ir/index.ts';
import type { ConditionFault } from '../model/index.ts';

/** Which code of users proxies run, as the operator has switched it on. */
export interface UserCode {
  /** Scripts. */
  readonly lua: boolean;
  /** Modules. */
  readonly wasm: boolean;
}

export const noUserCode: UserCode = { lua: false, wasm: false };

/** Code that objects name and that is kept elsewhere: what there is of it, or why there is none. */
export type FoundCode = ir.ModuleCode | ConditionFault;
