import { type Contribution, contributionKey, sameKey } from './contribution.ts';

/** What routes contribute to one host, by contributionKey. Most hosts have one contribution, and a map and a key for it would take more than the rest of the host. */
export class Members {
  #only: Contribution | undefined;
  #all: Map<string, Contribution> | undefined;

  get size(): number {
    return this.#all?.size ?? (this.#only ? 1 : 0);
  }

  values(): Iterable<Contribution> {
    return this.#all?.values() ?? (this.#only ? [this.#only] : []);
  }

  /** The one that this one takes the place of, or itself. */
  held(contribution: Contribution): Contribution | undefined {
    if (this.#all) return this.#all.get(contributionKey(contribution));
    return this.#only && sameKey(this.#only, contribution) ? this.#only : undefined;
  }

  set(contribution: Contribution): void {
    const only = this.#only;
    if (this.#all) this.#all.set(contributionKey(contribution), contribution);
    else if (!only || sameKey(only, contribution)) this.#only = contribution;
    else {
      this.#all = new Map([only, contribution].map((one) => [contributionKey(one), one]));
      this.#only = undefined;
    }
  }

  delete(contribution: Contribution): void {
    if (this.#all) this.#all.delete(contributionKey(contribution));
    else if (this.held(contribution)) this.#only = undefined;
  }
}
