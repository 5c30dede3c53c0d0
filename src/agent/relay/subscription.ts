import type { DeltaRequest } from './delta-messages.ts';

/**
 * What a client wants of one type, by the rules of the xDS protocol ("How the client specifies what resources to
 * return"): a first request without names, or the name `*` at any time, asks for everything.
 */
export class Subscription {
  #wildcard = false;
  readonly #names = new Set<string>();

  /** Everything of the type is wanted. */
  get wildcard(): boolean {
    return this.#wildcard;
  }

  /** Names asked for one by one. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  has(name: string): boolean {
    return name === '*' ? this.#wildcard : this.#names.has(name);
  }

  /** `first`: the request is the first one of this type on its stream. */
  apply(request: Pick<DeltaRequest, 'subscribe' | 'unsubscribe'>, first: boolean): void {
    if (first && request.subscribe.length === 0) this.#wildcard = true;
    for (const name of request.subscribe) {
      if (name === '*') this.#wildcard = true;
      else this.#names.add(name);
    }
    for (const name of request.unsubscribe) {
      if (name === '*') this.#wildcard = false;
      else this.#names.delete(name);
    }
  }

  /** The names of a first request that asks for the same again. */
  openingNames(): string[] {
    if (this.#wildcard && this.#names.size === 0) return [];
    return this.#wildcard ? ['*', ...this.#names] : [...this.#names];
  }
}
