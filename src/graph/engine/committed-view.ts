/**
 * The state of resolved objects when the current build began, as far as it has changed them. Readers get this state during the build,
 * because they must see a build whole or not at all. Nothing is kept between builds.
 */
export class CommittedView {
  readonly #parts: { clear(): void }[] = [];

  entries<V>(): CommittedEntries<V> {
    return this.#keep(new CommittedEntries<V>());
  }

  edges(): CommittedEdges {
    return this.#keep(new CommittedEdges());
  }

  /** The build is over: readers see the new state. */
  clear(): void {
    for (const part of this.#parts) part.clear();
  }

  #keep<T extends { clear(): void }>(part: T): T {
    this.#parts.push(part);
    return part;
  }
}

/** For a map: `note` must be called before an entry changes. */
export class CommittedEntries<V> {
  readonly #values = new Map<string, V | undefined>();

  note(key: string, value: V | undefined): void {
    if (!this.#values.has(key)) this.#values.set(key, value);
  }

  find(key: string, now: ReadonlyMap<string, V>): V | undefined {
    return this.#values.has(key) ? this.#values.get(key) : now.get(key);
  }

  *list(now: ReadonlyMap<string, V>): Generator<V> {
    for (const [key, value] of now) if (!this.#values.has(key)) yield value;
    for (const value of this.#values.values()) if (value !== undefined) yield value;
  }

  clear(): void {
    this.#values.clear();
  }
}

/** For an index by target: `note` must be called for a source before its targets change. */
export class CommittedEdges {
  readonly #noted = new Set<string>();
  readonly #sources = new Map<string, string[]>();

  note(source: string, targets: readonly string[]): void {
    if (this.#noted.has(source)) return;
    this.#noted.add(source);
    for (const target of targets) {
      const sources = this.#sources.get(target);
      if (sources) sources.push(source);
      else this.#sources.set(target, [source]);
    }
  }

  *sourcesOf(target: string, now: Iterable<string>): Generator<string> {
    for (const source of now) if (!this.#noted.has(source)) yield source;
    yield* this.#sources.get(target) ?? [];
  }

  clear(): void {
    this.#noted.clear();
    this.#sources.clear();
  }
}
