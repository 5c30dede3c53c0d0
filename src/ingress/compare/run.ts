import { setTimeout as delay } from 'node:timers/promises';
import { type AskedRequest, safeMethods } from './asked-request.ts';
import { type ComparedRequest, type Comparison, compareRequest, isUnexplained, kindOf, type Sides } from './compare.ts';

/** How much is sent, and what. */
export interface RunLimits {
  /** Requests a second; undefined: as fast as they are answered. */
  readonly rate?: number | undefined;
  readonly together: number;
  readonly inAll: number;
  /** Unexplained differences of one kind, after which nothing more is sent. */
  readonly ofOneKind: number;
  /** Requests one after the other without an answer from one side, after which nothing more is sent. */
  readonly unanswered: number;
  /** `all`: where nothing is sent. */
  readonly methods: readonly string[] | 'all';
  /** Hosts that may get other methods than safe ones. */
  readonly unsafeHosts: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

export const defaultLimits: RunLimits = {
  rate: 20,
  together: 4,
  inAll: 5_000,
  ofOneKind: 50,
  unanswered: 20,
  methods: safeMethods,
  unsafeHosts: [],
};

/** A run that was ended because one side does not answer. */
export interface Ended {
  readonly side: 'from' | 'to';
  readonly reason: string;
}

export interface RunResult extends Comparison {
  readonly ended?: Ended;
}

/** Asks both sides every request that may be sent, within the limits, and compares what they answer. */
export async function runComparison(
  requests: Iterable<AskedRequest>,
  sides: Sides,
  limits: RunLimits,
): Promise<RunResult> {
  const run = new Run(requests, sides, limits);
  await Promise.all(Array.from({ length: limits.together }, () => run.work()));
  return run.result();
}

class Run {
  readonly #requests: Iterator<AskedRequest>;
  readonly #sides: Sides;
  readonly #limits: RunLimits;
  readonly #different: { at: number; compared: ComparedRequest }[] = [];
  readonly #notSent: Record<string, number> = {};
  readonly #kinds = new Map<string, number>();
  readonly #silent = { from: 0, to: 0 };
  #sent = 0;
  #same = 0;
  #unanswered = 0;
  #nextMs = 0;
  #stopped: string | undefined;
  #ended: Ended | undefined;

  constructor(requests: Iterable<AskedRequest>, sides: Sides, limits: RunLimits) {
    this.#requests = requests[Symbol.iterator]();
    this.#sides = sides;
    this.#limits = limits;
  }

  async work(): Promise<void> {
    for (let request = this.#next(); request; request = this.#next()) {
      const at = this.#sent;
      this.#sent += 1;
      await this.#turn();
      this.#take(at, await compareRequest(request, this.#sides));
    }
  }

  result(): RunResult {
    const different = this.#different.sort((a, b) => a.at - b.at).map(({ compared }) => compared);
    const ended = this.#ended && { ended: this.#ended };
    return {
      asked: this.#sent,
      same: this.#same,
      unanswered: this.#unanswered,
      different,
      notSent: this.#notSent,
      ...ended,
    };
  }

  /** The next one that may be sent; the others are counted. */
  #next(): AskedRequest | undefined {
    for (let next = this.#requests.next(); !next.done; next = this.#requests.next()) {
      const reason = this.#reasonAgainst(next.value);
      if (reason === undefined) return next.value;
      this.#notSent[reason] = (this.#notSent[reason] ?? 0) + 1;
    }
    return undefined;
  }

  #reasonAgainst({ method, host }: AskedRequest): string | undefined {
    const { methods, unsafeHosts, inAll, signal } = this.#limits;
    if (signal?.aborted) return 'interrupted';
    if (this.#stopped !== undefined) return this.#stopped;
    if (methods !== 'all' && !methods.includes(method)) return `method ${method} is not among --methods`;
    if (methods !== 'all' && !safeMethods.includes(method) && !unsafeHosts.includes(host.replace(/:\d+$/, '')))
      return `method ${method} may change something, and ${host} is not among --unsafe-hosts`;
    return this.#sent >= inAll ? `more than ${inAll} in all` : undefined;
  }

  /** Waits until the rate allows another one. */
  async #turn(): Promise<void> {
    const { rate, signal } = this.#limits;
    if (rate === undefined) return;
    const now = performance.now();
    const at = Math.max(now, this.#nextMs);
    this.#nextMs = at + 1_000 / rate;
    if (at > now) await delay(at - now, undefined, { signal }).catch(() => undefined);
  }

  #take(at: number, compared: ComparedRequest): void {
    for (const side of ['from', 'to'] as const) this.#listen(side, compared);
    if (compared.from.status === 0 && compared.to.status === 0) {
      this.#unanswered += 1;
      return;
    }
    if (compared.differences.length === 0) {
      this.#same += 1;
      return;
    }
    this.#different.push({ at, compared });
    if (!isUnexplained(compared)) return;
    const kind = kindOf(compared);
    const count = (this.#kinds.get(kind) ?? 0) + 1;
    this.#kinds.set(kind, count);
    if (count >= this.#limits.ofOneKind)
      this.#stopped ??= `after ${count} unexplained differences of one kind (${kind})`;
  }

  /** TLS that is not there is an answer about the host; a port that is closed or silent is none. */
  #listen(side: 'from' | 'to', { request, [side]: { status, reason } }: ComparedRequest): void {
    this.#silent[side] =
      status === 0 && request.scheme === 'http' ? this.#silent[side] + 1 : status === 0 ? this.#silent[side] : 0;
    if (this.#silent[side] < this.#limits.unanswered || this.#ended) return;
    this.#ended = { side, reason };
    this.#stopped = `--${side} does not answer`;
  }
}
