import type { Batch } from '../rejections/split-rejected.ts';

/** A response that waits for its answer. */
export interface Outstanding {
  readonly nonce: string;
  /** Id of the snapshot it belongs to. */
  readonly snapshot: string;
  readonly batch: Batch;
  readonly sentAtMs: number;
}
