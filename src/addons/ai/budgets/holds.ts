import type { BudgetAmount, BudgetCount, BudgetHold } from '../../../contracts/index.ts';

/** What requests under way hold of a budget together. */
export interface Held extends BudgetAmount {
  readonly requests: number;
}

interface Live extends BudgetAmount {
  /** Of a request that has ended, or of which nothing is heard. */
  until: number;
}

/** What is known of one policy and key. */
interface Known {
  /** By request. */
  readonly live: Map<string, Live>;
  /** What the latest answers used. */
  readonly answers: BudgetAmount[];
}

/** So long a request holds its part if nothing is heard of it: its proxy ended. */
const longestMs = 900_000;
/** What a request used is reported apart from its end. */
const reportMs = 1000;
/** A request may be known to have ended before it is known to have begun. */
const rememberedMs = 60_000;
const answersKept = 32;
const defaultMaxKeys = 10_000;

/**
 * What requests under way are expected to use of budgets: what they used is known when they have been answered. Each holds as much as the largest
 * of the latest answers for its key. Clients choose keys, so the number of a policy's keys is bounded by itself.
 */
export class Holds {
  readonly #maxKeys: number;
  /** By policy, then by key, the one that was used last the longest ago first. */
  readonly #policies = new Map<string, Map<string, Known>>();
  /** Those under way: for what each counts. */
  readonly #requests = new Map<string, BudgetCount[]>();
  /** By request and count, and by request alone: until when an answer, or the end, is remembered. */
  readonly #over = new Map<string, number>();

  constructor(maxKeys = defaultMaxKeys) {
    this.#maxKeys = maxKeys;
  }

  add({ policy, key, request, tokens, cost }: BudgetHold, now: number): void {
    if (this.#over.has(overKey(request, { policy, key }))) return;
    const known = this.#known({ policy, key });
    if (known.live.has(request)) return;
    const hasEnded = this.#over.has(request);
    known.live.set(request, { tokens, cost, until: now + (hasEnded ? reportMs : longestMs) });
    if (!hasEnded) this.#requests.set(request, [...(this.#requests.get(request) ?? []), { policy, key }]);
  }

  /** What it used is counted now, so it holds nothing. */
  answered({ policy, key, request, tokens, cost }: BudgetHold, now: number): void {
    const { live, answers } = this.#known({ policy, key });
    if (live.delete(request)) this.#forgetCount(request, { policy, key });
    answers.push({ tokens, cost });
    if (answers.length > answersKept) answers.shift();
    this.#remember(overKey(request, { policy, key }), now);
  }

  /** What it used may be reported in a moment. */
  ended(request: string, now: number): void {
    for (const { policy, key } of this.#requests.get(request) ?? []) {
      const live = this.#policies.get(policy)?.get(key)?.live.get(request);
      if (live) live.until = Math.min(live.until, now + reportMs);
    }
    this.#requests.delete(request);
    this.#remember(request, now);
  }

  of({ policy, key }: BudgetCount, now: number): Held {
    const sum = { requests: 0, tokens: 0, cost: 0 };
    const { live } = this.#policies.get(policy)?.get(key) ?? {};
    for (const [request, { until, tokens, cost }] of live ?? []) {
      if (until <= now) {
        live?.delete(request);
        this.#forgetCount(request, { policy, key });
        continue;
      }
      sum.requests += 1;
      sum.tokens += tokens;
      sum.cost += cost;
    }
    return sum;
  }

  /** What one more request will use, by the largest of the latest answers; undefined: there are none. */
  expected({ policy, key }: BudgetCount): BudgetAmount | undefined {
    const { answers = [] } = this.#policies.get(policy)?.get(key) ?? {};
    if (answers.length === 0) return undefined;
    return {
      tokens: Math.max(...answers.map(({ tokens }) => tokens)),
      cost: Math.max(...answers.map(({ cost }) => cost)),
    };
  }

  /** All that requests hold now, at most so many. */
  list(now: number, most: number): readonly BudgetHold[] {
    const holds: BudgetHold[] = [];
    for (const [policy, keys] of this.#policies)
      for (const [key, { live }] of keys)
        for (const [request, { tokens, cost, until }] of live) {
          if (holds.length >= most) return holds;
          if (until > now) holds.push({ policy, key, request, tokens, cost });
        }
    return holds;
  }

  #known({ policy, key }: BudgetCount): Known {
    const keys = this.#policies.get(policy) ?? new Map<string, Known>();
    this.#policies.set(policy, keys);
    const known = keys.get(key) ?? { live: new Map(), answers: [] };
    keys.delete(key);
    keys.set(key, known);
    const [oldest] = keys.keys();
    if (keys.size > this.#maxKeys && oldest !== undefined) this.#forget(keys, { policy, key: oldest });
    return known;
  }

  #forgetCount(request: string, { policy, key }: BudgetCount): void {
    const others = this.#requests.get(request)?.filter((each) => each.policy !== policy || each.key !== key) ?? [];
    if (others.length > 0) this.#requests.set(request, others);
    else this.#requests.delete(request);
  }

  /** A request may count for others, too, and holds its part of these until it ends. */
  #forget(keys: Map<string, Known>, count: BudgetCount): void {
    for (const request of keys.get(count.key)?.live.keys() ?? []) this.#forgetCount(request, count);
    keys.delete(count.key);
  }

  #remember(name: string, now: number): void {
    this.#over.delete(name);
    this.#over.set(name, now + rememberedMs);
    for (const [each, until] of this.#over) {
      if (until > now) return;
      this.#over.delete(each);
    }
  }
}

const overKey = (request: string, { policy, key }: BudgetCount): string => `${request} ${policy} ${key}`;
