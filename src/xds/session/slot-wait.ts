import { typeUrls } from '../../envoy/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';
import type { FilterChains } from './filter-chains.ts';

/** A resource that waits, and since which epoch. */
interface Blocked {
  readonly resource: EnvoyResource;
  readonly since: number;
}

/**
 * Scopes that fill slots which the client's filter chains lack, or whose table demands what these lack (FilterChains): they wait, and hold up nothing
 * else.
 *
 * A resource with slots to fill is *queued* like any other, and looked at once before a round decides what is to be sent: then it is
 * *blocked*, or stays in the queue. It is looked at again when it is sent, as the chains may have changed.
 */
export class SlotWait {
  readonly #chains: Pick<FilterChains, 'allows'>;
  /** Names of what is queued, and was not held against the slots yet. */
  readonly #queued = new Set<string>();
  readonly #blocked = new Map<string, Blocked>();

  constructor(chains: Pick<FilterChains, 'allows'>) {
    this.#chains = chains;
  }

  /** The epoch of the oldest that is blocked; infinite when nothing is. */
  get since(): number {
    let since = Number.POSITIVE_INFINITY;
    for (const blocked of this.#blocked.values()) since = Math.min(since, blocked.since);
    return since;
  }

  /** The client lacks slots that the resource fills, or what its table demands. */
  mustWait(resource: EnvoyResource): boolean {
    return !this.#chains.allows(resource);
  }

  queued({ name, typeUrl, needs }: EnvoyResource): void {
    if (needs || typeUrl === typeUrls.scopedRoute) this.#queued.add(name);
  }

  /** It is not in the queue any more. */
  unqueued(name: string): void {
    this.#queued.delete(name);
  }

  block(resource: EnvoyResource, since: number): void {
    this.#blocked.set(resource.name, { resource, since });
  }

  unblock(name: string): void {
    this.#blocked.delete(name);
  }

  /** Takes out what the client has got the slots for. */
  *takeAllowed(): Generator<Blocked> {
    for (const [name, blocked] of this.#blocked) {
      if (this.mustWait(blocked.resource)) continue;
      this.#blocked.delete(name);
      yield blocked;
    }
  }

  /** Names of what was queued since the last time. */
  takeQueued(): readonly string[] {
    const names = [...this.#queued];
    this.#queued.clear();
    return names;
  }
}
