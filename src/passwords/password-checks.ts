import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { CheckQueue, type Outcome } from './check-queue.ts';
import { ownerOf } from './failure-budget.ts';
import { shaDigest } from './hash-format.ts';
import type { UserList } from './user-list.ts';
import { Verdicts } from './verdicts.ts';

/** Someone says to be a user. Texts are bytes, one a character (latin1). */
interface Attempt {
  readonly users: UserList;
  readonly user: string;
  readonly password: string;
  /** The client's address: see CheckQueue. */
  readonly from: string;
}

/** What was done since the start. */
export interface CheckCounts {
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** Of right and wrong ones: known from a check before. */
  readonly remembered: number;
  /** That checks took in threads. */
  readonly seconds: number;
}

export interface PasswordChecksOptions {
  /** Milliseconds that only grow; those of the process by default. */
  readonly now?: () => number;
}

const keptMs = 300_000;
/** `htpasswd` takes up to 255; work grows with the length. */
const longestPassword = 1024;

/**
 * Checks passwords by lines of htpasswd: slow hashes in threads, as CheckQueue does. What was found out is known for five minutes. The time of an answer does
 * not say whether a user is there.
 */
export class PasswordChecks {
  readonly #key = randomBytes(32);
  readonly #queue: CheckQueue;
  readonly #verdicts: Verdicts;
  readonly #outcomes: Record<Outcome, number> = { right: 0, wrong: 0, busy: 0, tooOften: 0 };
  #remembered = 0;

  constructor({ now = () => performance.now() }: PasswordChecksOptions = {}) {
    this.#queue = new CheckQueue(now);
    this.#verdicts = new Verdicts(this.#key, keptMs, now);
  }

  get counts(): CheckCounts {
    return { outcomes: { ...this.#outcomes }, remembered: this.#remembered, seconds: this.#queue.seconds };
  }

  /** `signal`: who asks has gone. Never rejects. */
  async check(attempt: Attempt, signal?: AbortSignal): Promise<Outcome> {
    const outcome = await this.#outcomeOf(attempt, signal);
    this.#outcomes[outcome] += 1;
    return outcome;
  }

  /** Ends the threads; what waits is `busy`. */
  async close(): Promise<void> {
    await this.#queue.close();
  }

  async #outcomeOf({ users, user, password, from }: Attempt, signal?: AbortSignal): Promise<Outcome> {
    const found = users.find(user, this.#key);
    // A password of htpasswd has no NUL. For bcrypt it would be the end of one that begins again behind it.
    if (!found || password.length > longestPassword || password.includes('\0')) return 'wrong';
    const { hash, isKnown } = found;
    const digest = shaDigest(hash);
    if (digest) return timingSafeEqual(digest, sha1(password)) && isKnown ? 'right' : 'wrong';
    const key = this.#verdicts.keyOf({ user, hash, isKnown, password });
    const known = this.#verdicts.find(key);
    if (known !== undefined) {
      this.#remembered += 1;
      return known ? 'right' : 'wrong';
    }
    const outcome = await this.#queue.ask({ key, owner: ownerOf(from), hash, isKnown, password }, signal);
    if (outcome === 'right' || outcome === 'wrong') this.#verdicts.keep(key, outcome === 'right');
    return outcome;
  }
}

const sha1 = (password: string): Buffer => createHash('sha1').update(password, 'latin1').digest();
