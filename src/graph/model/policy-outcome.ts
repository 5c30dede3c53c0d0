import type { ConditionFault } from './condition.ts';

/** What became of a policy at one Gateway. */
export interface PolicyOutcome {
  readonly faults: readonly ConditionFault[];
  /** What it says for nothing, while the rest of it holds. */
  readonly remarks: readonly string[];
  readonly referenceFaults: readonly ConditionFault[];
}
