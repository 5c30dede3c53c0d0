import { type Clock, systemClock } from '../std/queue/index.ts';

export interface FormerPlacesOptions {
  /** How long what was made in a former place stays beside what serves now, in milliseconds: until clients know the new addresses. */
  readonly keepMs: number;
  /** Called with the key when it is time to look again. */
  readonly onDue: (key: string) => void;
  readonly clock?: Clock | undefined;
}

/** Since when the proxies of a key serve in their place, for those that had another one before. */
export class FormerPlaces {
  readonly #options: FormerPlacesOptions;
  readonly #clock: Clock;
  readonly #servingSince = new Map<string, { readonly atMs: number; readonly cancel: () => void }>();

  constructor(options: FormerPlacesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Whether what is in a former place may go; calls back when it may not yet. */
  isOver(key: string, isServing: boolean): boolean {
    const since = this.#servingSince.get(key);
    if (!isServing) {
      this.forget(key);
      return false;
    }
    const { keepMs, onDue } = this.#options;
    const nowMs = this.#clock.now();
    if (since) return nowMs - since.atMs >= keepMs;
    const cancel = this.#clock.after(keepMs, () => onDue(key));
    this.#servingSince.set(key, { atMs: nowMs, cancel });
    return false;
  }

  forget(key: string): void {
    this.#servingSince.get(key)?.cancel();
    this.#servingSince.delete(key);
  }

  stop(): void {
    for (const key of [...this.#servingSince.keys()]) this.forget(key);
  }
}
