import { CheckFailed, CheckThreads } from './check-threads.ts';
import { FailureBudget } from './failure-budget.ts';
import { FairQueue } from './fair-queue.ts';

/** `busy`: too many wait. `tooOften`: the owner has tried too many wrong ones, or has too many waiting. Neither says anything of the password. */
export type Outcome = 'right' | 'wrong' | 'busy' | 'tooOften';

/** A check to be done in a thread. */
export interface Check {
  /** Equal for equal checks, which are done once. */
  readonly key: string;
  /** Who waits with it, and whose budget it is of. */
  readonly owner: string;
  readonly hash: string;
  /** False: the hash is another user's, and the answer is no. */
  readonly isKnown: boolean;
  /** Bytes, one a character (latin1). */
  readonly password: string;
}

interface Job extends Check {
  readonly outcome: PromiseWithResolvers<Outcome>;
  askers: number;
  hasBegun: boolean;
}

/** At once: a proxy has other things to do. */
const mostThreads = 2;
const idleMs = 30_000;
const queueLimits = { each: 64, all: 256 };
const budgetLimits = { burst: 20, refillMs: 3_000 };

/** Does checks in threads, a few at once. Owners take turns, and one that tried many wrong passwords has to wait. */
export class CheckQueue {
  readonly #now: () => number;
  readonly #threads = new CheckThreads({ idleMs });
  readonly #waiting = new FairQueue<Job>(queueLimits);
  readonly #budget: FailureBudget;
  /** Those that wait, and those that have begun. */
  readonly #open = new Map<string, Job>();
  #running = 0;
  #ms = 0;

  /** @param now milliseconds that only grow */
  constructor(now: () => number) {
    this.#now = now;
    this.#budget = new FailureBudget(budgetLimits, now);
  }

  /** That checks took in all, without the time that they waited. */
  get seconds(): number {
    return this.#ms / 1000;
  }

  /** `signal`: who asks has gone; a check that no one else waits for is left out unless it has begun. Never rejects. */
  async ask(check: Check, signal?: AbortSignal): Promise<Outcome> {
    const job = this.#open.get(check.key) ?? this.#enqueue(check);
    if (typeof job === 'string') return job;
    job.askers += 1;
    const leave = () => this.#leave(job);
    signal?.addEventListener('abort', leave, { once: true });
    const outcome = await job.outcome.promise;
    signal?.removeEventListener('abort', leave);
    return outcome;
  }

  /** Ends the threads; what waits is `busy`. */
  async close(): Promise<void> {
    for (const job of [...this.#open.values()]) this.#resolve(job, 'busy');
    await this.#threads.close();
  }

  #enqueue(check: Check): Job | Outcome {
    if (!this.#budget.allows(check.owner)) return 'tooOften';
    const job: Job = { ...check, outcome: Promise.withResolvers<Outcome>(), askers: 0, hasBegun: false };
    const place = this.#waiting.push(check.owner, job);
    if (place !== 'taken') return place === 'each' ? 'tooOften' : 'busy';
    this.#open.set(check.key, job);
    this.#next();
    return job;
  }

  #leave(job: Job): void {
    job.askers -= 1;
    if (job.askers > 0 || job.hasBegun) return;
    this.#waiting.remove(job.owner, job);
    this.#resolve(job, 'busy');
  }

  #next(): void {
    while (this.#running < mostThreads) {
      const job = this.#waiting.shift();
      if (!job) return;
      // Others of the same owner were wrong meanwhile.
      if (this.#budget.allows(job.owner)) void this.#run(job);
      else this.#resolve(job, 'tooOften');
    }
  }

  async #run(job: Job): Promise<void> {
    job.hasBegun = true;
    this.#running += 1;
    const begun = this.#now();
    const outcome = await this.#outcomeOf(job);
    this.#ms += this.#now() - begun;
    this.#running -= 1;
    if (outcome === 'wrong') this.#budget.failed(job.owner);
    this.#resolve(job, outcome);
    this.#next();
  }

  async #outcomeOf({ hash, isKnown, password }: Job): Promise<Outcome> {
    try {
      const bytes = Uint8Array.from(Buffer.from(password, 'latin1'));
      const isRight = await this.#threads.isRight({ hash, password: bytes });
      return isRight && isKnown ? 'right' : 'wrong';
    } catch (error) {
      if (error instanceof CheckFailed) return 'busy';
      throw error;
    }
  }

  #resolve(job: Job, outcome: Outcome): void {
    if (this.#open.get(job.key) === job) this.#open.delete(job.key);
    job.outcome.resolve(outcome);
  }
}
