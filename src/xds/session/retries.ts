import type { EnvoyResource } from '../../translate/index.ts';
import type { Batch } from '../rejections/split-rejected.ts';

/** What may have changed since a batch was rejected. */
interface Since {
  /** It goes out anyway, or not at all. */
  readonly isStale: (name: string) => boolean;
  /** What of the resource the client is to get (HeldBack.offer). */
  readonly offer: (resource: EnvoyResource) => EnvoyResource | undefined;
}

/** Parts of rejected batches, of which it is not known what the client rejects (splitRejected): each is sent once more by itself. */
export class Retries {
  readonly #batches: Batch[] = [];

  get hasAny(): boolean {
    return this.#batches.length > 0;
  }

  add(batches: readonly Batch[]): void {
    this.#batches.push(...batches);
  }

  /** The next that still has something to send. */
  take({ isStale, offer }: Since): Batch | undefined {
    for (let retry = this.#batches.shift(); retry !== undefined; retry = this.#batches.shift()) {
      const upserts = retry.upserts.filter(({ name }) => !isStale(name)).flatMap((each) => offer(each) ?? []);
      const removed = retry.removed.filter((name) => !isStale(name));
      if (upserts.length + removed.length > 0) return { upserts, removed };
    }
    return undefined;
  }
}
