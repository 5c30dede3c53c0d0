import type { Clock } from '../std/queue/index.ts';

export interface PeerCallsOptions {
  readonly clock: Clock;
  /** A question waits no longer. */
  readonly answerMs: number;
  /** Answers that are later than this are lost. */
  readonly lateMs: number;
}

interface Waiting<Answer> {
  readonly end: (answer: Answer | undefined) => void;
  /** Who was asked. */
  readonly replica: string;
}

interface Call<Answer> {
  readonly replica: string;
  /** Sends the question; its answer has the same number. */
  readonly say: (id: number) => void;
  /** Gets an answer for which none waits any more. */
  readonly onLate?: (answer: Answer) => void;
}

/** Questions that replicas ask each other while requests wait. */
export class PeerCalls<Answer> {
  readonly #options: PeerCallsOptions;
  readonly #waiting = new Map<number, Waiting<Answer>>();
  #asked = 0;

  constructor(options: PeerCallsOptions) {
    this.#options = options;
  }

  /** A number that no other question has. */
  next(): number {
    this.#asked += 1;
    return this.#asked;
  }

  /** Undefined: there is no answer in time. */
  ask({ replica, say, onLate }: Call<Answer>): Promise<Answer | undefined> {
    const { clock, answerMs, lateMs } = this.#options;
    const id = this.next();
    const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
    let isLate = false;
    const end: Waiting<Answer>['end'] = (answer) => {
      cancelLate();
      cancelEnd();
      this.#waiting.delete(id);
      if (isLate && answer !== undefined) onLate?.(answer);
      else resolve(answer);
    };
    const cancelLate = clock.after(answerMs, () => {
      isLate = true;
      resolve(undefined);
    });
    const cancelEnd = clock.after(lateMs, () => end(undefined));
    this.#waiting.set(id, { end, replica });
    say(id);
    return promise;
  }

  /** The replica answers. Who was not asked is not heard. */
  answered(from: string, id: number, answer: Answer): void {
    const waiting = this.#waiting.get(id);
    if (waiting?.replica === from) waiting.end(answer);
  }

  /** A replica cannot be asked any more. */
  parted(replica: string): void {
    for (const waiting of [...this.#waiting.values()]) if (waiting.replica === replica) waiting.end(undefined);
  }

  stop(): void {
    for (const { end } of [...this.#waiting.values()]) end(undefined);
  }
}
