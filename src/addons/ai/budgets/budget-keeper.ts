import type { BudgetCount, BudgetHold, BudgetNews, BudgetVerdict } from '../../../contracts/index.ts';
import { budgetLimits } from '../../../contracts/index.ts';
import type { GraphView } from '../../../graph/index.ts';
import { ownerOf, PeerCalls } from '../../../shared-limits/index.ts';
import { type Clock, systemClock } from '../../../std/queue/index.ts';
import { budgetKey } from './budget-key.ts';
import { nothingUsed, type UsedOf } from './budget-view.ts';
import { type Count, nameOf } from './counts.ts';
import { Holds } from './holds.ts';
import { holdOf, weigh } from './weigh.ts';
import { type TokenPolicy, windowOf } from './windows.ts';

/** What replicas ask each other about budgets. Both are broadcast; `to` says who is meant. */
export interface BudgetAsk extends BudgetCount {
  readonly to: string;
  /** Of the one that asks; its answer has the same. */
  readonly id: number;
  readonly request: string;
}

export interface BudgetAnswer {
  readonly to: string;
  readonly id: number;
  /** Null: it knows no such policy. */
  readonly verdict: BudgetVerdict | null;
}

/** The way to other replicas. */
export interface BudgetPeers {
  /** Identities of those that can be asked now. */
  connected(): readonly string[];
  ask(message: BudgetAsk): void;
  answer(message: BudgetAnswer): void;
  /** To all of them. */
  report(news: BudgetNews): void;
}

export interface BudgetKeeperOptions {
  readonly identity: string;
  readonly graph: GraphView;
  /** What was used, by all that is known here. */
  readonly usedOf: UsedOf;
  readonly peers: BudgetPeers;
  /** See BudgetNews. */
  readonly areTotals: boolean;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Calls back when what happens together has happened; `setImmediate` by default. */
  readonly soon?: (callback: () => void) => void;
}

/** Proxies let requests pass for which there is no answer within two seconds. */
const answerMs = 800;
const lateMs = 10_000;

/**
 * Lets requests use budgets. One replica decides for each key, so that all together let no more come through than one would; the others know what
 * it let through, and decide when it ends.
 */
export class BudgetKeeper {
  readonly holds = new Holds();
  readonly #options: BudgetKeeperOptions;
  readonly #calls: PeerCalls<BudgetAnswer['verdict']>;
  readonly #now: () => number;
  #news: BudgetNews | undefined;

  constructor(options: BudgetKeeperOptions) {
    const { clock = systemClock, now = Date.now } = options;
    this.#options = options;
    this.#now = now;
    this.#calls = new PeerCalls({ clock, answerMs, lateMs });
  }

  /** `request`: its name; empty: it holds nothing. Decides by what is known here where the keeper does not answer. */
  async judge(count: Count, request: string): Promise<BudgetVerdict> {
    const { identity, peers } = this.#options;
    const [policy, { key }] = [nameOf(count), count];
    const replica = ownerOf(budgetKey(policy, key), [identity, ...peers.connected()]) ?? identity;
    if (replica === identity) return this.#decide(count, request);
    const say = (id: number) => peers.ask({ to: replica, id, policy, key, request });
    const verdict = await this.#calls.ask({ replica, say });
    return verdict?.used.length === count.policy.spec.budgets.length ? verdict : this.#decide(count, request);
  }

  /** Another replica asks. */
  asked(from: string, { to, id, policy: name, key, request }: BudgetAsk): void {
    const { identity, graph, peers } = this.#options;
    if (to !== identity) return;
    const policy = graph.find('TokenPolicy', name);
    peers.answer({ to: from, id, verdict: policy ? this.#decide({ policy, key }, request) : null });
  }

  /** Another replica answers. */
  answered(from: string, { to, id, verdict }: BudgetAnswer): void {
    if (to === this.#options.identity) this.#calls.answered(from, id, verdict);
  }

  /** A replica cannot be asked any more. */
  parted(replica: string): void {
    this.#calls.parted(replica);
  }

  /** Another replica knows something. */
  take({ holds, answers, ended }: Pick<BudgetNews, 'holds' | 'answers' | 'ended'>): void {
    const now = this.#now();
    for (const hold of holds) this.holds.add(hold, now);
    for (const answer of answers) this.holds.answered(answer, now);
    for (const request of ended) this.holds.ended(request, now);
  }

  /** Usage was reported to this replica, and is kept: what it used no request holds any more. */
  reported(news: Pick<BudgetNews, 'answers' | 'ended' | 'sums'>): void {
    if (this.#options.graph.count('TokenPolicy') === 0) return;
    this.take({ ...news, holds: [] });
    this.#report({ holds: [], ...news });
  }

  stop(): void {
    this.#calls.stop();
  }

  #decide({ policy, key }: Count, request: string): BudgetVerdict {
    const now = this.#now();
    const count = { policy: nameOf({ policy }), key };
    const expected = this.holds.expected(count);
    const verdict = weigh(policy, this.#usedOf(policy, key, now), this.holds.of(count, now), expected);
    const passes = verdict.full.length === 0 && policy.spec.onLimit !== 'Shadow';
    if (passes && request !== '') this.#hold({ ...count, request, ...holdOf(policy, expected) }, now);
    return verdict;
  }

  #hold(hold: BudgetHold, now: number): void {
    this.holds.add(hold, now);
    this.#report({ holds: [hold], answers: [], ended: [], sums: [] });
  }

  #usedOf(policy: TokenPolicy, key: string, now: number): number[] {
    const name = nameOf({ policy });
    return policy.spec.budgets.map(({ unit, per }) => {
      const { tokens, cost } = this.#options.usedOf(name, key, per, windowOf(per, now).start) ?? nothingUsed;
      return unit === 'Cost' ? cost : tokens;
    });
  }

  /** What happens together goes out together. */
  #report(news: Omit<BudgetNews, 'areTotals'>): void {
    const { soon = setImmediate, areTotals, peers } = this.#options;
    if (peers.connected().length === 0) return;
    const before = this.#news;
    this.#news = before ? joined(before, news) : { ...news, areTotals };
    if (before) return;
    soon(() => {
      const all = this.#news;
      this.#news = undefined;
      if (all) for (const part of portionsOf(all)) peers.report(part);
    });
  }
}

const joined = (before: BudgetNews, { holds, answers, ended, sums }: Omit<BudgetNews, 'areTotals'>): BudgetNews => ({
  ...before,
  holds: [...before.holds, ...holds],
  answers: [...before.answers, ...answers],
  ended: [...before.ended, ...ended],
  sums: [...before.sums, ...sums],
});

/** In messages of a size that is taken. Sums go first: what was used is never missing from both. */
function* portionsOf({ holds, answers, ended, sums, areTotals }: BudgetNews): Generator<BudgetNews> {
  const none = { holds: [], answers: [], ended: [], sums: [], areTotals };
  const most = budgetLimits.entries;
  const lists = { holds, answers, ended, sums };
  if (Object.values(lists).every(({ length }) => length <= most)) {
    yield { ...lists, areTotals };
    return;
  }
  for (const list of ['sums', 'holds', 'answers', 'ended'] as const)
    for (let at = 0; at < lists[list].length; at += most) yield { ...none, [list]: lists[list].slice(at, at + most) };
}
