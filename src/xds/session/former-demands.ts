import type { ChainDemand, EnvoyResource } from '../../translate/index.ts';

/** Of one group. A client that comes back has what was sent a moment ago, or long ago: then it is not known here. */
const most = 64;

/** What tables of a group demanded before: for clients that come back and still demand it, by the versions of their filter chains. */
export class FormerDemands {
  /** By digest, the oldest first. */
  readonly #demands = new Map<string, ChainDemand>();

  find(digest: string): ChainDemand | undefined {
    return this.#demands.get(digest);
  }

  /** A resource changed, or is gone. */
  changed({ slots }: EnvoyResource, after: EnvoyResource | undefined): void {
    for (const [digest, demand] of slots?.own ?? []) if (!after?.slots?.own.has(digest)) this.#add(digest, demand);
  }

  clear(): void {
    this.#demands.clear();
  }

  #add(digest: string, demand: ChainDemand): void {
    this.#demands.delete(digest);
    this.#demands.set(digest, demand);
    for (const oldest of this.#demands.keys()) {
      if (this.#demands.size <= most) return;
      this.#demands.delete(oldest);
    }
  }
}
