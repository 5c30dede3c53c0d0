import { existsSync } from 'node:fs';
import { nothingUsed, type UsedOf } from '../budgets/budget-view.ts';
import { type AiData, type AiQuestion, nothingKept } from '../data.ts';
import { isDamage, type OnDamaged, openStore, putAside } from './open-store.ts';
import type { SqliteStore } from './sqlite-store.ts';
import type { Entry, UsageStore } from './usage-store.ts';

/** What one replica knows, in a file of its own. The file is made when there is something to keep: a gateway without AI traffic has none. */
export class FileStore implements UsageStore {
  readonly isShared = false;
  readonly isVolatile: boolean;
  readonly #file: string | undefined;
  readonly #onDamaged: OnDamaged;
  #opened: SqliteStore | undefined;
  #closed = false;

  /** Without a file it is kept in memory. `onDamaged`: the file was damaged, and a new one begun. */
  constructor(file: string | undefined, onDamaged: OnDamaged = () => {}) {
    this.#file = file;
    this.#onDamaged = onDamaged;
    this.isVolatile = file === undefined;
  }

  async keep(entries: readonly Entry[], now: number): Promise<readonly Entry[]> {
    return this.#whole(() => {
      const store = this.#store;
      const fresh: Entry[] = [];
      store.together(() => {
        for (const entry of entries) {
          if (store.isKnown(entry.seenKey, now)) continue;
          add(store, entry);
          fresh.push(entry);
        }
      });
      return fresh;
    });
  }

  readonly used: UsedOf = (...of) => this.#whole(() => this.#kept?.budget(...of)) ?? nothingUsed;

  async read(question: AiQuestion): Promise<AiData> {
    return this.#whole(() => this.#kept?.read(question)) ?? nothingKept;
  }

  async prune(now: number): Promise<void> {
    this.#opened?.prune(now);
  }

  async pruneTraces(): Promise<void> {
    this.#opened?.pruneTraces();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#opened?.close();
    this.#opened = undefined;
  }

  get #store(): SqliteStore {
    if (this.#closed) throw new Error('the control plane is shutting down');
    this.#opened ??= openStore(this.#file, this.#onDamaged);
    return this.#opened;
  }

  /** Does it once more with a new file where the present one turns out to be damaged. */
  #whole<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (this.#file === undefined || !isDamage(error)) throw error;
      this.#opened?.close();
      this.#opened = undefined;
      putAside(this.#file, error, this.#onDamaged);
      return work();
    }
  }

  /** Undefined: nothing was ever kept. */
  get #kept(): SqliteStore | undefined {
    if (this.#closed) return undefined;
    if (this.#opened || this.#file === undefined || !existsSync(this.#file)) return this.#opened;
    return this.#store;
  }
}

function add(store: SqliteStore, { record, key, budgets }: Entry): void {
  if (record.kind === 'request') store.addRequest(record);
  else store.addAttempt(record, key);
  for (const row of budgets) store.addBudget(row);
}
