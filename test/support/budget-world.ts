import { setImmediate as turn } from 'node:timers/promises';
import { BudgetKeeper } from '../../src/addons/ai/budgets/budget-keeper.ts';
import { BudgetView, nothingUsed } from '../../src/addons/ai/budgets/budget-view.ts';
import { windowOf } from '../../src/addons/ai/budgets/windows.ts';
import type { BudgetSum } from '../../src/contracts/index.ts';
import type { GraphView } from '../../src/graph/index.ts';
import { HandClock } from './hand-clock.ts';
import { aiObject } from './objects.ts';
import { newGraph, put } from './world.ts';

export const policyKey = 'a/p';
const key = 'red';

/** Of one budget a minute. */
export const budgetPolicy = (limit: number, more: object = {}) =>
  aiObject(
    'TokenPolicy',
    'p',
    {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'b' }],
      key: { type: 'Header', header: 'x-team' },
      budgets: [{ unit: 'Tokens', limit: String(limit), per: 'Minute' }],
      ...more,
    },
    { namespace: 'a' },
  );

/** Of a replica without others. */
export const aloneKeeper = (graph: GraphView): BudgetKeeper =>
  new BudgetKeeper({
    identity: 'self',
    graph,
    areTotals: false,
    usedOf: () => nothingUsed,
    peers: { connected: () => [], ask() {}, answer() {}, report() {} },
  });

interface Replica {
  readonly keeper: BudgetKeeper;
  /** What others keep, as they say it; by replica. */
  readonly views: Map<number, BudgetView>;
  /** What it keeps itself. */
  used: number;
  isUp: boolean;
}

/** Control planes as they are, as far as budgets are concerned, with a clock by hand and no network between them. */
export class BudgetWorld {
  readonly clock = new HandClock();
  readonly replicas: Replica[] = [];
  /** Tokens of all answers so far. */
  answered = 0;
  readonly #graph = newGraph();
  #requests = 0;

  constructor(count: number, limit: number, more: object = {}) {
    put(this.#graph, budgetPolicy(limit, more));
    for (let at = 0; at < count; at += 1)
      this.replicas.push({ keeper: this.#keeper(at), views: new Map(), used: 0, isUp: true });
  }

  /** Lets what happens together happen. */
  async turns(): Promise<void> {
    for (let round = 0; round < 6; round += 1) await turn();
  }

  /** Requests that come in at once at one replica; names of those that came through. */
  async ask(at: number, count: number, of = key): Promise<string[]> {
    const policy = this.#graph.find('TokenPolicy', policyKey);
    const replica = this.replicas[at];
    if (!policy || !replica) return [];
    const asked = Array.from({ length: count }, async () => {
      this.#requests += 1;
      const request = `request-${this.#requests}`;
      const { full } = await replica.keeper.judge({ policy, key: of }, request);
      return full.length === 0 ? [request] : [];
    });
    await this.turns();
    return (await Promise.all(asked)).flat();
  }

  /** A request was answered, and a proxy reports it to one replica, which keeps it. */
  async report(at: number, request: string, tokens: number): Promise<void> {
    const replica = this.replicas[at];
    if (!replica) return;
    this.answered += tokens;
    replica.used += tokens;
    replica.keeper.reported({
      answers: [{ policy: policyKey, key, request, tokens, cost: 0 }],
      ended: [request],
      sums: [this.#sum(replica.used)],
    });
    await this.turns();
  }

  /** It ends without an answer that used anything. */
  async end(at: number, request: string): Promise<void> {
    this.replicas[at]?.keeper.reported({ answers: [], ended: [request], sums: [] });
    await this.turns();
  }

  kill(at: number): void {
    const killed = this.replicas[at];
    if (killed) killed.isUp = false;
    for (const { keeper } of this.replicas) keeper.parted(`replica-${at}`);
  }

  #sum(tokens: number): BudgetSum {
    const { start } = windowOf('Minute', this.clock.now());
    return { policy: policyKey, key, per: 'Minute', start, tokens, cost: 0 };
  }

  #keeper(at: number): BudgetKeeper {
    const identity = `replica-${at}`;
    const toOthers = (words: (other: Replica) => void) => {
      for (const [index, other] of this.replicas.entries())
        if (index !== at && other.isUp && this.replicas[at]?.isUp) setImmediate(() => words(other));
    };
    return new BudgetKeeper({
      identity,
      graph: this.#graph,
      areTotals: false,
      clock: this.clock,
      now: () => this.clock.now(),
      usedOf: (...of) => {
        const { start } = windowOf('Minute', this.clock.now());
        const { used = 0, views = new Map<number, BudgetView>() } = this.replicas[at] ?? {};
        const elsewhere = [...views.values()].reduce((sum, view) => sum + view.used(...of).tokens, 0);
        return { tokens: start === of[3] && of[1] === key ? used + elsewhere : 0, cost: 0 };
      },
      peers: {
        connected: () => this.replicas.flatMap(({ isUp }, other) => (isUp && other !== at ? `replica-${other}` : [])),
        ask: (message) => toOthers(({ keeper }) => keeper.asked(identity, message)),
        answer: (message) => toOthers(({ keeper }) => keeper.answered(identity, message)),
        report: (news) =>
          toOthers(({ views, keeper }) => {
            const view = views.get(at) ?? new BudgetView();
            views.set(at, view);
            view.take(news.sums);
            keeper.take(news);
          }),
      },
    });
  }
}
