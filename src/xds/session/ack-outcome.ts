import type { SnapshotVersion } from './resource-group.ts';

const keep = 16;

/**
 * Editions that were sent in full and wait until the client has taken everything up to them. The newest such one resolves
 * and the older ones with it. Several are kept, as under constant change the newest one may never be the resolved one; a
 * client that lags far behind loses the ones in the middle, never the oldest nor the newest.
 */
export class AckOutcome {
  #waiting: SnapshotVersion[] = [];
  #newest = 0;

  /** Everything of the edition was sent and answered, but for what goes its own ways (endpoints, secrets). */
  finished(snapshotVersion: SnapshotVersion): void {
    if (snapshotVersion.epoch <= this.#newest) return;
    this.#newest = snapshotVersion.epoch;
    if (this.#waiting.length === keep) this.#waiting.pop();
    this.#waiting.push(snapshotVersion);
  }

  /** Everything is open again from this epoch on, and what is older will never be complete. */
  reopen(epoch: number): void {
    this.#waiting = [];
    this.#newest = epoch - 1;
  }

  /** The newest edition from before `behindSince`, which is the first epoch the client has not taken in full. */
  resolve(behindSince: number): SnapshotVersion | undefined {
    const resolved = this.#waiting.findLast(({ epoch }) => epoch < behindSince);
    if (resolved !== undefined) this.#waiting = this.#waiting.filter(({ epoch }) => epoch > resolved.epoch);
    return resolved;
  }
}
