import { BudgetView, type UsedOf } from '../../budgets/budget-view.ts';
import type { AiData, AiQuestion, BudgetRow } from '../../data.ts';
import { type Entry, kept, type UsageStore } from '../usage-store.ts';
import { Postgres, type PostgresOptions } from './connection.ts';
import { storable } from './digest.ts';
import { pruneAll, pruneOldTraces } from './prunes.ts';
import { budgetsSince, clockOf, readAll } from './reads.ts';
import { addEntries, newOf } from './writes.ts';

export interface PostgresStoreOptions extends PostgresOptions {
  /** Whether there is a budget at all. Without one the server is not asked for what other replicas count. */
  readonly hasBudgets: () => boolean;
  readonly now?: () => number;
  /** How often it is asked. */
  readonly everyMs?: number;
}

const defaultEveryMs = 1000;
/** A change may be seen this long after its time, which is when its transaction wrote it and not when it ended. */
const lateMs = 120_000;

/** Usage in a PostgreSQL that all replicas share: each knows what all of them keep. */
export class PostgresStore implements UsageStore {
  readonly isShared = true;
  readonly isVolatile = false;
  readonly #postgres: Postgres;
  readonly #options: PostgresStoreOptions;
  readonly #budgets = new BudgetView();
  readonly #now: () => number;
  /** By the server's clock. */
  #askedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isFollowing = false;
  #closed = false;

  constructor(options: PostgresStoreOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#postgres = new Postgres(options);
  }

  /** Begins to follow what other replicas count against budgets. Never rejects. */
  async start(): Promise<void> {
    this.#timer = undefined;
    this.#isFollowing = true;
    await this.#follow();
    this.#isFollowing = false;
    this.#followLater();
  }

  /** Without a budget it rests until it is asked for one. */
  #followLater(): void {
    if (this.#closed || this.#isFollowing || this.#timer || !(this.#options.hasBudgets() || !this.isConnected)) return;
    this.#timer = setTimeout(() => void this.start(), this.#options.everyMs ?? defaultEveryMs).unref();
  }

  /** Why the server is of no use; undefined while it is. */
  get trouble(): string | undefined {
    return this.#postgres.trouble;
  }

  get isConnected(): boolean {
    return this.#postgres.isConnected;
  }

  async keep(entries: readonly Entry[], now: number): Promise<readonly Entry[]> {
    const { schema } = this.#options;
    const { fresh, budgets } = await this.#postgres.together('BEGIN', async (client) => {
      const some = await newOf(client, schema, entries, now);
      return { fresh: some, budgets: await addEntries(client, schema, some) };
    });
    this.#budgets.take(budgets);
    return fresh;
  }

  readonly used: UsedOf = (policy, key, per, start) => {
    this.#followLater();
    return this.#budgets.used(storable(policy), storable(key), per, start);
  };

  learn(sums: readonly BudgetRow[]): void {
    this.#budgets.take(sums.map((sum) => ({ ...sum, policy: storable(sum.policy), key: storable(sum.key) })));
  }

  read(question: AiQuestion): Promise<AiData> {
    return this.#postgres.together('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', (client) =>
      readAll(client, this.#options.schema, question),
    );
  }

  async prune(now: number): Promise<void> {
    this.#budgets.prune(now - kept.hoursMs);
    await this.#postgres.together('BEGIN', (client) => pruneAll(client, this.#options.schema, now));
    await this.pruneTraces();
  }

  pruneTraces(): Promise<void> {
    return this.#postgres.together('BEGIN', (client) => pruneOldTraces(client, this.#options.schema));
  }

  close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    return this.#postgres.close();
  }

  /** Asks for what changed since it was asked last. What was known before still counts where the server does not answer. */
  async #follow(): Promise<void> {
    const from = this.#now() - kept.hoursMs;
    try {
      await this.#postgres.together('BEGIN READ ONLY', async (client) => {
        const at = await clockOf(client);
        this.#budgets.take(await budgetsSince(client, this.#options.schema, from, this.#askedAt - lateMs));
        this.#askedAt = at;
      });
    } catch {
      // Reported by the connection.
    }
  }
}
