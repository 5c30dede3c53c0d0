/**
 * Who refers to what: from a target's key to the keys of everything that refers to it. Kept from the referring side, so
 * that a changed object only has to tell its new targets.
 */
export class ReverseIndex {
  readonly #targets = new Map<string, readonly string[]>();
  readonly #sources = new Map<string, Set<string>>();

  /** Replaces the targets of one source; an empty list forgets it. */
  set(source: string, targets: readonly string[]): void {
    for (const target of this.#targets.get(source) ?? []) this.#remove(target, source);
    if (targets.length === 0) this.#targets.delete(source);
    else this.#targets.set(source, targets);
    for (const target of targets) this.#add(target, source);
  }

  targetsOf(source: string): readonly string[] {
    return this.#targets.get(source) ?? [];
  }

  sourcesOf(target: string): Iterable<string> {
    return this.#sources.get(target) ?? [];
  }

  /** How many refer to it. */
  count(target: string): number {
    return this.#sources.get(target)?.size ?? 0;
  }

  #add(target: string, source: string): void {
    const sources = this.#sources.get(target);
    if (sources) sources.add(source);
    else this.#sources.set(target, new Set([source]));
  }

  #remove(target: string, source: string): void {
    const sources = this.#sources.get(target);
    sources?.delete(source);
    if (sources?.size === 0) this.#sources.delete(target);
  }
}
