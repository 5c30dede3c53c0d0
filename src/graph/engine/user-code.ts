/** Which code of users proxies run, as the operator has switched it on. */
export interface UserCode {
  /** Scripts. */
  readonly lua: boolean;
  /** Modules. */
  readonly wasm: boolean;
}

export const noUserCode: UserCode = { lua: false, wasm: false };
