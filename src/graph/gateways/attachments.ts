import { type CommittedEdges, CommittedView } from '../engine/index.ts';

/** Which routes (by routeKey) are attached to which listener. Keys as attachmentKey makes them. */
export class Attachments {
  readonly #routes = new Map<string, Set<string>>();
  readonly #committed: CommittedEdges;

  constructor(former = new CommittedView()) {
    this.#committed = former.edges();
  }

  count(listener: string): number {
    return this.#routes.get(listener)?.size ?? 0;
  }

  routesOf(listener: string): Iterable<string> {
    return this.#routes.get(listener) ?? [];
  }

  /** The same for readers outside the build: as of the last finished build. */
  committedRoutesOf(listener: string): Iterable<string> {
    return this.#committed.sourcesOf(listener, this.routesOf(listener));
  }

  /** Replaces a route's attachments; returns the listeners whose count changed. */
  replace(route: string, before: readonly string[], after: readonly string[]): string[] {
    this.#committed.note(route, before);
    const lost = before.filter((listener) => !after.includes(listener));
    const won = after.filter((listener) => !before.includes(listener));
    for (const listener of lost) {
      const routes = this.#routes.get(listener);
      routes?.delete(route);
      if (routes?.size === 0) this.#routes.delete(listener);
    }
    for (const listener of won) this.#routes.set(listener, (this.#routes.get(listener) ?? new Set()).add(route));
    return [...lost, ...won];
  }
}
