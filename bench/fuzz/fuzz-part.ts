export interface FuzzOptions {
  readonly seed: number;
  /** How many objects are to be made, roughly. */
  readonly objects: number;
}

export interface FuzzResult {
  /** Each with what is needed to see it again. */
  readonly faults: readonly string[];
  readonly [figure: string]: number | readonly string[];
}
