import type { KindName } from '../../gateway-api/index.ts';

/** How often what is visible of each kind changed: its objects, or the statuses that they should have. A reader that has shown something of a kind can see that nothing changed since. */
export class Revisions {
  readonly #byKind = new Map<KindName, number>();

  touch(kind: KindName): void {
    this.#byKind.set(kind, this.of([kind]) + 1);
  }

  /** Grows with each change of one of these kinds. */
  of(kinds: readonly KindName[]): number {
    return kinds.reduce((sum, kind) => sum + (this.#byKind.get(kind) ?? 0), 0);
  }
}
