/** What became of a request, as one bucket has it. */
export type LimitOutcome = 'passed' | 'rejected' | 'shadowed' | 'unknown';

/** Buckets beyond this number go by one name. */
const mostBuckets = 2000;
const others = '(other)';

/** How many requests shared limits let through. */
export class LimitCounts {
  /** Of all of them: those that were decided without a message to the control plane, and those while it was away. */
  fromLease = 0;
  alone = 0;
  readonly #buckets = new Map<string, Map<LimitOutcome, number>>();

  add(bucket: string, outcome: LimitOutcome): void {
    const name = this.#buckets.has(bucket) || this.#buckets.size < mostBuckets ? bucket : others;
    const counts = this.#buckets.get(name) ?? new Map<LimitOutcome, number>();
    this.#buckets.set(name, counts);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }

  *list(): Generator<readonly [{ readonly bucket: string; readonly outcome: LimitOutcome }, number]> {
    for (const [bucket, counts] of this.#buckets)
      for (const [outcome, count] of counts) yield [{ bucket, outcome }, count];
  }
}
