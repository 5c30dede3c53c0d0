import { type CommittedEdges, type CommittedEntries, CommittedView } from '../engine/index.ts';
import { parseAttachmentKey } from '../model/index.ts';

/** Which routes (by routeKey) are attached to which listener. Keys as attachmentKey makes them. */
export class Attachments {
  readonly #routes = new Map<string, Set<string>>();
  readonly #committed: CommittedEdges;
  /** How many routes each Gateway has, on however many of its listeners. */
  readonly #counts = new Map<string, number>();
  readonly #committedCounts: CommittedEntries<number>;

  constructor(former = new CommittedView()) {
    this.#committed = former.edges();
    this.#committedCounts = former.entries();
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

  /** Of one Gateway, each route once, as of the last finished build. */
  committedCountOf(gateway: string): number {
    return this.#committedCounts.find(gateway, this.#counts) ?? 0;
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
    this.#countGateways(before, after);
    return [...lost, ...won];
  }

  #countGateways(before: readonly string[], after: readonly string[]): void {
    const [former, present] = [gatewaysIn(before), gatewaysIn(after)];
    for (const gateway of former.difference(present)) this.#addTo(gateway, -1);
    for (const gateway of present.difference(former)) this.#addTo(gateway, 1);
  }

  #addTo(gateway: string, routes: number): void {
    const count = this.#counts.get(gateway) ?? 0;
    this.#committedCounts.note(gateway, count);
    if (count + routes === 0) this.#counts.delete(gateway);
    else this.#counts.set(gateway, count + routes);
  }
}

const gatewaysIn = (attachments: readonly string[]): Set<string> =>
  new Set(attachments.map((attachment) => parseAttachmentKey(attachment).gateway));
