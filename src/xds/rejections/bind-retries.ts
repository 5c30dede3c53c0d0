/**
 * When to send listeners again that a client rejected because of their address (isBindError). Nothing that we would see changes when
 * the port becomes free, so they are sent again after a wait, and each rejection doubles the wait.
 */
export class BindRetries {
  readonly #firstMs: number;
  readonly #longestMs: number;
  /** By name. Due at infinity: it is under way. */
  readonly #waits = new Map<string, { dueMs: number; waitMs: number }>();

  constructor(firstMs: number) {
    this.#firstMs = firstMs;
    this.#longestMs = 12 * firstMs;
  }

  rejected(name: string, nowMs: number): void {
    const before = this.#waits.get(name)?.waitMs;
    const waitMs = before === undefined ? this.#firstMs : Math.min(2 * before, this.#longestMs);
    this.#waits.set(name, { dueMs: nowMs + waitMs, waitMs });
  }

  /** The client has it, or is not to have it any more. */
  forget(name: string): void {
    this.#waits.delete(name);
  }

  /** Names whose time has come. Each is given once until it is rejected again. */
  takeDue(nowMs: number): readonly string[] {
    const due = [...this.#waits].filter(([, { dueMs }]) => dueMs <= nowMs);
    for (const [, wait] of due) wait.dueMs = Number.POSITIVE_INFINITY;
    return due.map(([name]) => name);
  }
}
