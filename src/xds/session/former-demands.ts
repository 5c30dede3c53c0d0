import { LruMap } from '../../std/memory/index.ts';
import type { ChainDemand, EnvoyResource } from '../../translate/index.ts';

/** Of one group, at least half of them. A client that comes back has what was sent a moment ago, or long ago: then it is not known here. */
const most = 128;

const none = () => new LruMap<string, ChainDemand>(most);

/** What tables of a group demanded before: for clients that come back and still demand it, by the versions of their filter chains. */
export class FormerDemands {
  /** By digest. */
  #demands = none();

  find(digest: string): ChainDemand | undefined {
    return this.#demands.get(digest);
  }

  /** A resource changed, or is gone. */
  changed({ slots }: EnvoyResource, after: EnvoyResource | undefined): void {
    for (const [digest, demand] of slots?.own ?? [])
      if (!after?.slots?.own.has(digest)) this.#demands.set(digest, demand);
  }

  clear(): void {
    this.#demands = none();
  }
}
