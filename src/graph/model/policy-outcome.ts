import type { Fault } from './condition.ts';

/** What became of a policy at one Gateway. */
export interface PolicyOutcome {
  readonly faults: readonly Fault[];
  /** What it says for nothing, while the rest of it holds. */
  readonly remarks: readonly string[];
  readonly referenceFaults: readonly Fault[];
}
