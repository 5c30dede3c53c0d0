import { createHmac } from 'node:crypto';
import { LruMap } from '../std/memory/index.ts';

/** What was found out, and until when it counts. */
interface Kept {
  readonly isRight: boolean;
  readonly until: number;
}

/** What a verdict is about. */
export interface Checked {
  readonly user: string;
  readonly hash: string;
  readonly isKnown: boolean;
  readonly password: string;
}

/** Entries of each kind. */
const mostVerdicts = 10_000;

/**
 * Verdicts of the last minutes, by an HMAC of what they are about: no password is kept, and another hash is another question. Wrong ones are apart, so that many
 * of them push no right one out.
 */
export class Verdicts {
  readonly #key: Buffer;
  readonly #keptMs: number;
  readonly #now: () => number;
  readonly #right = new LruMap<string, Kept>(mostVerdicts);
  readonly #wrong = new LruMap<string, Kept>(mostVerdicts);

  constructor(key: Buffer, keptMs: number, now: () => number) {
    this.#key = key;
    this.#keptMs = keptMs;
    this.#now = now;
  }

  /** Equal for equal questions alone. */
  keyOf({ user, hash, isKnown, password }: Checked): string {
    // JSON keeps the parts apart, whatever is in them.
    const text = JSON.stringify(['verdict', user, hash, isKnown, password]);
    return createHmac('sha256', this.#key).update(text).digest('base64');
  }

  find(key: string): boolean | undefined {
    const kept = this.#right.get(key) ?? this.#wrong.get(key);
    return kept && kept.until > this.#now() ? kept.isRight : undefined;
  }

  keep(key: string, isRight: boolean): void {
    (isRight ? this.#right : this.#wrong).set(key, { isRight, until: this.#now() + this.#keptMs });
  }
}
