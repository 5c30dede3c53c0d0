/** A count with its shares by namespace, kept up to date one change at a time. */
export class Tally {
  readonly #byNamespace = new Map<string, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** `namespace` is empty for what has none. */
  add(namespace: string, by: number): void {
    if (by === 0) return;
    this.#total += by;
    const count = (this.#byNamespace.get(namespace) ?? 0) + by;
    if (count === 0) this.#byNamespace.delete(namespace);
    else this.#byNamespace.set(namespace, count);
  }

  entries(): Iterable<readonly [namespace: string, count: number]> {
    return this.#byNamespace;
  }

  /** The namespace with the largest share; looks at every namespace. Undefined when there is none. */
  largest(): { readonly namespace: string; readonly count: number } | undefined {
    let largest: { namespace: string; count: number } | undefined;
    for (const [namespace, count] of this.#byNamespace) {
      if (namespace !== '' && count > (largest?.count ?? 0)) largest = { namespace, count };
    }
    return largest;
  }
}
