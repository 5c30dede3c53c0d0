import type { Kind } from '../gateway-api/index.ts';

/** The versions in which a kind can be read, of which an API server serves all, some or none. */
export class KindVersions {
  /** The one that is asked for is first. */
  readonly #forms: [Kind, ...Kind[]];
  /** How many of them were not served, one after the other. */
  #unserved = 0;

  constructor(kind: Kind) {
    this.#forms = [kind, ...(kind.formerVersions ?? []).map((version) => ({ ...kind, version }))];
  }

  get current(): Kind {
    return this.#forms[0];
  }

  /** The API server serves the current one. */
  served(): void {
    this.#unserved = 0;
  }

  /** The API server does not serve the current one. Returns whether there is another that was not asked for since `served`. */
  next(): boolean {
    this.#unserved = (this.#unserved + 1) % this.#forms.length;
    this.#forms.push(...this.#forms.splice(0, 1));
    return this.#unserved > 0;
  }
}
