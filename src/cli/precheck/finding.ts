/** One thing that was looked at. `warning`: it works, but not all of it. */
export interface Finding {
  readonly level: 'ok' | 'warning' | 'error';
  readonly what: string;
  /** What to do about it. */
  readonly remedy?: string;
}
