import { OutgoingError } from './outgoing-error.ts';

/** Lets so many run at once; the others wait in line, and no more than `maxWaiting` of them. */
export class Turns {
  readonly #most: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor({ most, maxWaiting }: { readonly most: number; readonly maxWaiting: number }) {
    this.#most = most;
    this.#maxWaiting = maxWaiting;
  }

  /** Whether the next caller is turned away. */
  get isFull(): boolean {
    return this.#running >= this.#most && this.#waiting.length >= this.#maxWaiting;
  }

  /** Runs `work` when it is its turn. Rejects with OutgoingError when the signal comes before that. */
  async take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most) await this.#wait(signal);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The next caller in the queue takes the place over.
      if (next) next();
      else this.#running -= 1;
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        reject(OutgoingError.from('the server', signal.reason, signal));
      };
      const begin = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      if (signal.aborted) return reject(OutgoingError.from('the server', signal.reason, signal));
      this.#waiting.push(begin);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
