/**
 * Who refers to what: from a target's key to the keys of everything that refers to it. Kept from the referring side, so
 * that a changed object only has to declare its new targets.
 */
export class ReverseIndex {
  /** One target is by itself: most sources have no more, and a list for it would take more than all else. */
  readonly #targets = new Map<string, string | readonly string[]>();
  readonly #sources = new Map<string, Sources>();

  /** Replaces the targets of one source; an empty list forgets it. */
  set(source: string, targets: readonly string[]): void {
    for (const target of this.targetsOf(source)) this.#remove(target, source);
    const added = targets.map((target) => this.#add(target, source));
    if (added.length === 0) this.#targets.delete(source);
    else this.#targets.set(source, added.length === 1 ? (added[0] as string) : added);
  }

  targetsOf(source: string): readonly string[] {
    const targets = this.#targets.get(source) ?? [];
    return typeof targets === 'string' ? [targets] : targets;
  }

  sourcesOf(target: string): Iterable<string> {
    return this.#sources.get(target)?.keys ?? [];
  }

  /** How many refer to it. */
  count(target: string): number {
    return this.#sources.get(target)?.keys.size ?? 0;
  }

  /** @returns the target, as the string that is kept already */
  #add(target: string, source: string): string {
    const sources = this.#sources.get(target) ?? { target, keys: new Set<string>() };
    sources.keys.add(source);
    this.#sources.set(sources.target, sources);
    return sources.target;
  }

  #remove(target: string, source: string): void {
    const keys = this.#sources.get(target)?.keys;
    keys?.delete(source);
    if (keys?.size === 0) this.#sources.delete(target);
  }
}

interface Sources {
  readonly target: string;
  readonly keys: Set<string>;
}
