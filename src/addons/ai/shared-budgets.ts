import type { BudgetRow } from './data.ts';
import { type AiPeer, askPeer } from './peers.ts';

export interface SharedBudgetsOptions {
  readonly peers: () => readonly AiPeer[];
  readonly token: () => Promise<string | undefined>;
  /** Whether there is a budget at all. */
  readonly isNeeded: () => boolean;
  readonly now?: () => number;
  readonly everyMs?: number;
}

const defaultEveryMs = 1000;

/**
 * What other replicas counted against budgets, as of a moment ago. A proxy reports usage to one replica and may ask any. While there are no
 * budgets, no replica is asked. A replica that does not answer keeps its last known count.
 */
export class SharedBudgets {
  readonly #options: SharedBudgetsOptions;
  /** By replica, then by rowKey. */
  readonly #counted = new Map<string, ReadonlyMap<string, BudgetRow>>();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: SharedBudgetsOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#stopped) return;
    const { everyMs = defaultEveryMs } = this.#options;
    this.#timer = setTimeout(() => void this.#refresh().finally(() => this.start()), everyMs).unref();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** What all others used of a budget in the window that began then. */
  used(policy: string, key: string, per: string, start: number): { readonly tokens: number; readonly cost: number } {
    let [tokens, cost] = [0, 0];
    for (const rows of this.#counted.values()) {
      const row = rows.get(rowKey({ policy, key, per, start }));
      tokens += row?.tokens ?? 0;
      cost += row?.cost ?? 0;
    }
    return { tokens, cost };
  }

  async #refresh(): Promise<void> {
    const { peers, token, isNeeded, now = Date.now } = this.#options;
    if (!isNeeded()) return;
    const others = peers().filter(({ isAway }) => !isAway);
    if (others.length === 0) return;
    const bearer = await token();
    const at = now();
    await Promise.all(
      others.map(async ({ identity, address }) => {
        try {
          const { budgets } = await askPeer(address, bearer, { from: at, to: at, stepMs: 60_000, traces: 0 });
          this.#counted.set(identity, new Map(budgets.map((row) => [rowKey(row), row])));
        } catch {
          // Reports say who is missing; what it said before still counts.
        }
      }),
    );
  }
}

const rowKey = ({ policy, key, per, start }: Pick<BudgetRow, 'policy' | 'key' | 'per' | 'start'>): string =>
  JSON.stringify([policy, key, per, start]);
