export interface FuzzOptions {
  readonly seed: number;
  /** How many objects are to be made, roughly. */
  readonly objects: number;
  /** False once the time of this part is up, so that it ends with fewer. */
  hasTime(): boolean;
}

export interface FuzzResult {
  /** Each with what is needed to see it again. */
  readonly faults: readonly string[];
  readonly [figure: string]: number | readonly string[];
}
