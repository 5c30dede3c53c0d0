import { bucketName, type LimitGrant, type LimitTake, type SharedBucket, takeLimits } from '../../contracts/index.ts';
import { TokenBucket } from '../../std/tokens/index.ts';
import { Demand } from './demand.ts';
import { ownPartOf } from './own-part.ts';
import { Rejected } from './rejected.ts';
import type { Verdict } from './verdict.ts';

/** What a lease is part of. */
export interface LeaseHost {
  readonly now: () => number;
  /** How many proxies share the limit, as was said last. */
  readonly proxies: () => number;
  /** The lease has something to ask; `toTake` is called once for it. */
  readonly wants: (lease: Lease) => void;
  /** Calls the lease's `renew` after as many milliseconds. */
  readonly later: (lease: Lease, ms: number) => void;
}

interface Waiter {
  readonly tokens: number;
  /** How many must be there: at least one, also for a request that takes none. */
  readonly needed: number;
  readonly resolve: (verdict: Verdict) => void;
}

/** A lease that got less than it wanted asks again by then at the latest: others may have given back. */
const longestPauseMs = 1000;
/** Tokens that no request has wanted for so long go back. */
const idleMs = 1000;
/** Where fewer are left nothing is taken ahead, since others would find none. */
const leastLeft = 8;
/** How often the control plane is tried while it is away. */
const retryMs = 1000;
const mostWaiters = 1000;
/** A control plane that is near answers sooner. */
const renewalMs = 50;
/** Timers may be early by as much. */
const earlyMs = 2;

/**
 * What one proxy may let through of one key. Tokens of it were taken from the one bucket that all proxies share, so that all together never let
 * more through than the limit. States: it *has* tokens; it *waits* for an answer, with requests that wait for it; there are *none* until a time;
 * it goes on *alone* while no control plane answers, with its part of the limit.
 */
export class Lease {
  readonly #host: LeaseHost;
  readonly #bucket: SharedBucket;
  readonly #key: string;
  readonly #fillsFast: boolean;
  readonly #demand = new Demand();
  readonly #waiters: Waiter[] = [];
  /** The shared bucket as the last answer had it. */
  #known: TokenBucket;
  #owner = '';
  /** Less than none: more came through alone, while a question was under way, than its answer granted. */
  #tokens = 0;
  /** What came through alone since the last question. */
  #owed = 0;
  #noneUntil = Number.NEGATIVE_INFINITY;
  /** Until then there are none for requests that need as many; cheaper ones may ask. */
  #noneFor = 1;
  readonly #rejected = new Rejected();
  #isToRenew = false;
  /** What the first one needs that waits for the answer under way. */
  #firstNeeds = 1;
  /** What `charge` took that was not said yet, and what was said without an answer so far. */
  #used = 0;
  #said = 0;
  #isAsking = false;
  #usedAt = Number.NEGATIVE_INFINITY;
  /** The dearest request so far: it comes through alone, too. */
  #dearest = 1;
  #alone: TokenBucket | undefined;
  #retryAt = 0;

  constructor(host: LeaseHost, bucket: SharedBucket, key: string) {
    this.#host = host;
    this.#bucket = bucket;
    this.#key = key;
    this.#known = new TokenBucket(bucket.windows);
    this.#fillsFast = bucket.windows.every(({ requests, perMs }) => perMs / requests <= renewalMs);
  }

  /** Whether a request comes through that takes as many tokens. At once, where that is known. */
  ask(tokens: number): Verdict | Promise<Verdict> {
    const now = this.#host.now();
    this.#usedAt = now;
    this.#dearest = Math.max(this.#dearest, tokens);
    this.#demand.add(now, tokens);
    const needed = Math.max(1, tokens);
    if (this.#waiters.length === 0 && this.#tokens >= needed) return this.#spend(now, tokens);
    if (this.#alone) return this.#decideAlone(now, tokens);
    if (now < this.#noneUntil && needed >= this.#noneFor) return this.#reject(now, tokens);
    if (this.#waiters.length >= mostWaiters) return this.#verdict('over', now, tokens);
    this.#want();
    if (this.#waiters.length === 0 && this.#isExceeded(now, needed)) return this.#reject(now, tokens);
    return new Promise((resolve) => this.#waiters.push({ tokens, needed, resolve }));
  }

  /** Tokens that were used although they were not asked for: the shared bucket owes them. */
  charge(tokens: number): void {
    const now = this.#host.now();
    this.#usedAt = now;
    this.#used += tokens;
    this.#alone?.take(now, tokens);
    this.#report(now);
  }

  /** There may be tokens again for requests like those that were rejected: they are there when the next one comes, which then need not wait. */
  renew(): void {
    if (!this.#isToRenew) return;
    this.#isToRenew = false;
    const now = this.#host.now();
    if (this.#alone || this.#rejected.tokens === 0 || this.#isIdle(now)) return;
    if (now < this.#noneUntil - earlyMs) this.#renewLater(now);
    else this.#want();
  }

  /** What to ask, which `granted` or `failed` ends; `late` may come before. */
  toTake(): LimitTake {
    const now = this.#host.now();
    const waiting = this.#waiters.reduce((sum, { needed }) => sum + needed, 0);
    this.#firstNeeds = this.#waiters[0]?.needed ?? Math.max(1, this.#rejected.least);
    const least = this.#firstNeeds - Math.max(0, this.#tokens);
    this.#said = Math.min(takeLimits.tokens, this.#used);
    this.#used -= this.#said;
    const back = this.#surplus(now);
    this.#tokens -= back;
    this.#owed = 0;
    const debts = this.#known.debts(now);
    const alone = this.#alone?.debts(now) ?? [];
    return {
      bucket: bucketName(this.#bucket),
      key: this.#key,
      // Of a control plane that was away it is enough to hear.
      wanted: Math.min(takeLimits.tokens, Math.max(0, waiting + this.#wantedAhead(now) - this.#tokens)),
      back,
      ...(least > 1 && { least }),
      ...(this.#said > 0 && { used: this.#said }),
      owner: this.#owner,
      debts: debts.map((debt, at) => Math.max(debt, alone[at] ?? 0)),
    };
  }

  granted({ granted, waitMs, owner, debts }: LimitGrant): void {
    const now = this.#host.now();
    this.#isAsking = false;
    this.#said = 0;
    this.#alone = undefined;
    this.#owner = owner;
    this.#tokens += granted - this.#owed;
    this.#owed = 0;
    this.#known = new TokenBucket(this.#bucket.windows, { now, debts });
    this.#noneUntil = waitMs > 0 ? now + Math.min(waitMs, longestPauseMs) : Number.NEGATIVE_INFINITY;
    this.#noneFor = granted === 0 && this.#known.left(now) > 0 ? this.#firstNeeds : 1;
    this.#rejected.clear(granted);
    this.#serve(now);
    this.#report(now);
  }

  /** There is no answer. What was given back with it is lost; what was used is said again. */
  failed(): void {
    this.#isAsking = false;
    this.#used += this.#said;
    this.#said = 0;
    this.late();
  }

  /** The answer is not there in time. When it comes, what it grants counts all the same. */
  late(): void {
    const now = this.#host.now();
    this.#retryAt = now + retryMs;
    this.#alone ??= this.#ownPart(now);
    for (const { tokens, resolve } of this.#waiters.splice(0)) resolve(this.#decideAlone(now, tokens));
  }

  /** Gives back what is not used. Whether there is nothing left to know of it. */
  look(): boolean {
    const now = this.#host.now();
    if (this.#isAsking) return false;
    if (!this.#alone && this.#surplus(now) > 0) {
      this.#want();
      return false;
    }
    this.#report(now);
    const isUnused = this.#isIdle(now) && this.#tokens <= 0 && this.#used === 0;
    return isUnused && this.#known.isFull(now) && (this.#alone?.isFull(now) ?? true);
  }

  /** Whether it can be dropped: no request waits for it. */
  get isQuiet(): boolean {
    return !this.#isAsking;
  }

  /** It is dropped, and asks for nothing any more. */
  end(): void {
    this.#isToRenew = false;
  }

  #report(now: number): void {
    if (this.#used > 0 && (!this.#alone || now >= this.#retryAt)) this.#want();
  }

  #want(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#host.wants(this);
  }

  #spend(now: number, tokens: number): Verdict {
    this.#tokens -= tokens;
    const ahead = this.#wantedAhead(now);
    const isLow = ahead > 0 && this.#tokens <= ahead / 2;
    if (isLow && !this.#alone && now >= this.#noneUntil) this.#want();
    return this.#verdict('passed', now, tokens);
  }

  #wantedAhead(now: number): number {
    if (this.#isIdle(now)) return 0;
    const left = this.#known.left(now);
    return Math.max(left >= leastLeft ? this.#demand.aheadOf(left, this.#host.proxies()) : 0, this.#rejected.tokens);
  }

  /** Where a token takes longer to fill, clients may come back for just that one. */
  #isExceeded(now: number, needed: number): boolean {
    const isRenewing = this.#fillsFast && now < this.#noneUntil + renewalMs;
    return isRenewing && this.#rejected.exceed(this.#known.left(now), needed);
  }

  #isIdle(now: number): boolean {
    return now - this.#usedAt > idleMs;
  }

  #surplus(now: number): number {
    if (this.#waiters.length > 0) return 0;
    if (this.#isIdle(now)) return Math.max(0, this.#tokens);
    const ahead = this.#demand.aheadOf(this.#known.left(now), this.#host.proxies());
    return Math.max(0, this.#tokens - 2 * Math.max(ahead, this.#rejected.tokens));
  }

  #reject(now: number, tokens: number): Verdict {
    this.#rejected.add(tokens);
    if (this.#demand.ahead > 0 && !this.#isAsking) this.#renewLater(now);
    return this.#verdict('over', now, tokens);
  }

  #renewLater(now: number): void {
    if (this.#isToRenew) return;
    this.#isToRenew = true;
    this.#host.later(this, this.#noneUntil - now);
  }

  /** Requests that wait get what there is, the first one first; a cheaper one may fit where those before it do not. */
  #serve(now: number): void {
    const waiters = this.#waiters.splice(0);
    const others = waiters.filter(({ tokens, needed, resolve }) => {
      if (needed > this.#tokens) return true;
      this.#tokens -= tokens;
      resolve(this.#verdict('passed', now, tokens));
      return false;
    });
    const isNone = ({ needed }: Waiter) => now < this.#noneUntil && needed >= this.#noneFor;
    for (const { tokens, resolve } of others.filter(isNone)) resolve(this.#reject(now, tokens));
    this.#waiters.push(...others.filter((each) => !isNone(each)));
    if (this.#waiters.length > 0) this.#want();
  }

  #verdict(answer: Verdict['answer'], now: number, tokens: number): Verdict {
    const left = answer === 'over' ? 0 : Math.max(0, this.#known.left(now) + this.#tokens);
    return { answer, left, waitMs: this.#known.waitMs(now, Math.max(1, tokens)), alone: false };
  }

  #ownPart(now: number): TokenBucket {
    const part = ownPartOf(this.#bucket, Math.max(1, this.#host.proxies()), this.#dearest);
    part.owe(now, this.#known.debts(now));
    return part;
  }

  #decideAlone(now: number, tokens: number): Verdict {
    if (now >= this.#retryAt) this.#want();
    const alone = this.#alone ?? this.#ownPart(now);
    if (this.#bucket.closes) return { answer: 'unknown', left: 0, waitMs: retryMs, alone: true };
    // The next owner is to learn of it.
    this.#owner = '';
    const left = alone.left(now);
    const passes = left >= Math.max(1, tokens);
    if (passes) {
      alone.take(now, tokens);
      this.#owed += tokens;
    }
    return {
      answer: passes ? 'passed' : 'over',
      left: Math.max(0, left - tokens),
      waitMs: alone.waitMs(now, Math.max(1, tokens)),
      alone: true,
    };
  }
}
