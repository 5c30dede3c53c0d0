import type { BudgetHold, BudgetSum } from '../../../contracts/index.ts';
import { type AiPeer, askPeer, hostOf } from '../peers.ts';
import { kept } from '../store/usage-store.ts';
import { BudgetView, type UsedOf } from './budget-view.ts';

export interface RemoteUsageOptions {
  readonly peers: () => readonly AiPeer[];
  readonly token: () => Promise<string | undefined>;
  /** Whether there is a budget at all. */
  readonly isNeeded: () => boolean;
  /** What requests under way hold, as another replica knows it. */
  readonly onHolds: (holds: readonly BudgetHold[]) => void;
  readonly now?: () => number;
}

/** A replica that does not answer is asked again with a later question, but not within this time. */
const againMs = 1000;

/**
 * What other replicas counted against budgets. They say what changes when it changes; what was before they are asked for when they are met, and
 * not before there is a budget. A replica that is away keeps its last known count.
 */
export class RemoteUsage {
  readonly #options: RemoteUsageOptions;
  readonly #now: () => number;
  /** By the part of an identity that stays when a replica is started again: so does what it keeps. */
  readonly #views = new Map<string, BudgetView>();
  /** Identities of those that are still to be asked. */
  readonly #missing = new Set<string>();
  #isAsking = false;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(options: RemoteUsageOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** A replica has joined, or is back. */
  met(replica: string): void {
    this.#missing.add(replica);
    this.#askedAt = Number.NEGATIVE_INFINITY;
    this.look();
  }

  /** A replica says what was used, by what it keeps. */
  heard(replica: string, sums: readonly BudgetSum[]): void {
    this.#viewOf(replica).take(sums);
  }

  /** What all others used of a budget in the window that began then. */
  readonly used: UsedOf = (...of) => {
    let [tokens, cost] = [0, 0];
    for (const view of this.#views.values()) {
      const sum = view.used(...of);
      tokens += sum.tokens;
      cost += sum.cost;
    }
    return { tokens, cost };
  };

  /** Asks those that are still to be asked, if it is time. Costs nothing where there are none. */
  look(): void {
    if (this.#missing.size === 0 || this.#isAsking || this.#now() - this.#askedAt < againMs) return;
    if (!this.#options.isNeeded()) return;
    this.#isAsking = true;
    this.#askedAt = this.#now();
    void this.#askMissing().finally(() => {
      this.#isAsking = false;
    });
  }

  /** Forgets windows that have ended: they are a month long at most. */
  prune(): void {
    for (const view of this.#views.values()) view.prune(this.#now() - kept.hoursMs);
  }

  async #askMissing(): Promise<void> {
    const { peers, token, onHolds } = this.#options;
    const known = peers();
    for (const each of this.#missing) if (!known.some(({ identity }) => identity === each)) this.#missing.delete(each);
    const bearer = await token().catch(() => undefined);
    const at = this.#now();
    const asked = known.filter(({ identity, isAway }) => !isAway && this.#missing.has(identity));
    await Promise.all(
      asked.map(async ({ identity, address }) => {
        try {
          const answer = await askPeer(address, bearer, { from: at, to: at, stepMs: 60_000, traces: 0 });
          this.#missing.delete(identity);
          this.heard(identity, answer.budgets);
          onHolds(answer.holds ?? []);
        } catch {
          // Reports say who is missing; what it said before still counts.
        }
      }),
    );
  }

  #viewOf(replica: string): BudgetView {
    const view = this.#views.get(hostOf(replica)) ?? new BudgetView();
    this.#views.set(hostOf(replica), view);
    return view;
  }
}
