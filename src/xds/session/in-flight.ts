import { sentAgain } from '../rejections/sent-again.ts';
import type { Batch } from '../rejections/split-rejected.ts';
import type { Outstanding } from './outstanding.ts';
import { Retries } from './retries.ts';

/**
 * Why a response goes out:
 * - `news`: something has changed, or was asked for;
 * - `inner`: the same of what clusters will lead to;
 * - `retry`: it is part of a batch that was rejected;
 * - `probe`: the answer says whose fault a rejection is (Rejections), and nothing of what is to be sent;
 * - `renewal`: it repeats what the client has (Renewals), so an ACK says nothing of that either.
 */
export type Purpose = 'news' | 'inner' | 'retry' | 'probe' | 'renewal';

/**
 * What one client was sent of one type and has not taken: the response that waits for its answer, and `retries`, the parts of rejected responses
 * that go out once more.
 */
export class InFlight {
  readonly retries = new Retries();
  #outstanding: Outstanding | undefined;
  /** Of the batch that was taken out last. */
  #purpose: Purpose = 'news';
  #since = Number.POSITIVE_INFINITY;
  #rejected = 0;

  /** The response that waits for its answer. */
  get outstanding(): Outstanding | undefined {
    return this.#outstanding;
  }

  /** The epoch of the oldest change that the client has not taken; infinite when there is none. */
  get since(): number {
    return this.#since;
  }

  /** A response with this purpose waits for its answer. */
  is(purpose: Purpose): boolean {
    return this.#outstanding !== undefined && this.#purpose === purpose;
  }

  /** A batch is about to be sent. `since`: the epoch of the oldest change in it that was not sent before. */
  take(purpose: Purpose, since = Number.POSITIVE_INFINITY): void {
    this.#purpose = purpose;
    this.#since = Math.min(this.#since, since);
  }

  sent(outstanding: Outstanding): void {
    this.#outstanding = outstanding;
  }

  /** The client answered. Gives the response; `accepted` or `rejected` says what the answer means, if it means anything for `since`. */
  answered(): Outstanding {
    const outstanding = this.#outstanding;
    if (outstanding === undefined) throw new Error('nothing was sent that could be answered');
    this.#outstanding = undefined;
    return outstanding;
  }

  accepted(): void {
    if (!this.retries.hasAny) this.#since = Number.POSITIVE_INFINITY;
  }

  /** Each of `parts` is sent once more. */
  rejected(parts: readonly Batch[]): void {
    this.#rejected += 1;
    this.retries.add(parts.map((part) => sentAgain(part, this.#rejected)));
    if (!this.retries.hasAny) this.#since = Number.POSITIVE_INFINITY;
  }
}
