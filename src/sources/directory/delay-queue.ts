/** Things to look at, each at its time. A thing that is already on it keeps the earlier time. */
export class DelayQueue {
  readonly #due = new Map<string, number>();
  #wake: () => void = () => undefined;

  add(item: string, inMs: number): void {
    const at = performance.now() + inMs;
    if (at >= (this.#due.get(item) ?? Number.POSITIVE_INFINITY)) return;
    this.#due.set(item, at);
    this.#wake();
  }

  /** Everything on it, due or not. */
  items(): MapIterator<string> {
    return this.#due.keys();
  }

  /** Waits until something is due and takes all that is; nothing when the signal ended the wait. */
  async take(signal: AbortSignal): Promise<readonly string[]> {
    for (;;) {
      if (signal.aborted) return [];
      const now = performance.now();
      const due = [...this.#due].filter(([, at]) => at <= now).map(([item]) => item);
      for (const item of due) this.#due.delete(item);
      if (due.length > 0) return due;
      await this.#wait(Math.min(...this.#due.values()) - now, signal);
    }
  }

  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = Number.isFinite(ms) ? setTimeout(resolve, Math.max(1, Math.ceil(ms))) : undefined;
    this.#wake = resolve;
    const aborted = () => resolve();
    signal.addEventListener('abort', aborted, { once: true });
    await promise;
    signal.removeEventListener('abort', aborted);
    clearTimeout(timer);
    this.#wake = () => undefined;
  }
}
