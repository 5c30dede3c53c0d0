import { isDeepStrictEqual } from 'node:util';
import { Followers } from './followers.ts';

export interface FollowedOptions<T> {
  /** Throws when what it reads cannot be used. */
  readonly read: () => T;
  /** For the log, once for each fault: what was read before stays in use. */
  readonly onFailure: (error: Error) => void;
  /** How often it is read. Default 5 s. Milliseconds. */
  readonly everyMs?: number;
}

const defaultEveryMs = 5_000;

/**
 * What files hold, read again every few seconds. By reading, not by a watch: a mounted Secret is a link that changes its
 * target, of which watches say nothing; and a pair of files that is only half written is no reason to change anything.
 */
export class Followed<T> {
  readonly #options: FollowedOptions<T>;
  readonly #followers = new Followers<T>();
  #current: T;
  #failure: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** Reads at once; throws as `read` does. */
  constructor(options: FollowedOptions<T>) {
    this.#options = options;
    this.#current = options.read();
  }

  get current(): T {
    return this.#current;
  }

  /** Calls the listener for every later value. Returns how to stop. */
  follow(listener: (value: T) => void): () => void {
    return this.#followers.add(listener);
  }

  /** Reads again and again from now on. Returns how to stop. */
  start(): () => void {
    this.#timer ??= setInterval(() => this.look(), this.#options.everyMs ?? defaultEveryMs).unref();
    return () => clearInterval(this.#timer);
  }

  /** Reads once more. Never throws. */
  look(): void {
    try {
      const next = this.#options.read();
      this.#failure = undefined;
      if (isDeepStrictEqual(next, this.#current)) return;
      this.#current = next;
      this.#followers.notify(next);
    } catch (caught) {
      const error = caught as Error;
      if (error.message !== this.#failure) this.#options.onFailure(error);
      this.#failure = error.message;
    }
  }
}
