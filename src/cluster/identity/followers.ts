/** The callers that follow every later value. */
export class Followers<T> {
  readonly #listeners = new Set<(value: T) => void>();

  /** Returns how to stop. */
  add(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }
}
