import { isFilterChain } from '../../contracts/index.ts';
import type { ChainGuard, EnvoyResource } from '../../translate/index.ts';
import { Lingering } from './lingering.ts';

/** A chain that the client has. */
interface Held {
  readonly version: string;
  readonly slots: ReadonlySet<string>;
  readonly guards: readonly ChainGuard[];
}
/** The client has a chain from an earlier stream, in a version that is not ours. */
const unknown = 'unknown';

/**
 * Which slots the filter chains of one client have (EnvoyResource.slots). Envoy serves a route whose slot is missing as if the route did not fill
 * it, and acknowledges it without a word, so the order is ours to keep:
 *
 * - a chain is sent before the scopes that fill its slots, and these wait until the client has acknowledged it;
 * - a chain keeps the slots that the client has, until the client has taken every scope that does not fill them any more, and `lingerMs` longer:
 *   Envoy makes all filters of a changed chain again, and forgets what they had counted;
 * - what a chain itself demands, and does not any more, stays until the client has taken every scope: these may demand it from then on.
 *
 * A client without a chain has no listener that leads through it: it may get scopes at once.
 */
export class FilterChains {
  /** By name, what the client has acknowledged. */
  readonly #has = new Map<string, Held | typeof unknown>();
  /** Chains that the client has, or is sent, with more slots than they need. */
  readonly #surplus = new Lingering();
  /** Chains that the client has, or is sent, with guards of former ones. */
  readonly #former = new Set<string>();

  /** The client says that it has these from an earlier stream; `find` gives the chain as it is to be. */
  has(versions: ReadonlyMap<string, string>, find: (name: string) => EnvoyResource | undefined): void {
    for (const [name, version] of versions) {
      if (!isFilterChain(name)) continue;
      const chain = find(name);
      this.#has.set(name, (chain?.version === version && heldOf(chain)) || unknown);
    }
  }

  /** The client may have these from an earlier stream, and cannot say so. */
  mayHave(names: Iterable<string>): void {
    for (const name of names) if (isFilterChain(name) && !this.#has.has(name)) this.#has.set(name, unknown);
  }

  /** The client took the chain. */
  taken(chain: EnvoyResource): void {
    const held = heldOf(chain);
    if (held) this.#has.set(chain.name, held);
  }

  /** The client has no such chain any more. */
  gone(name: string): void {
    this.#has.delete(name);
    this.#surplus.delete(name);
    this.#former.delete(name);
  }

  /**
   * The chain as it may be sent now: with the slots that scopes of the client may still fill, and with what protects those that are to fill others.
   * Other resources are sent as they are.
   */
  fit(resource: EnvoyResource): EnvoyResource {
    const { name, slots } = resource;
    const has = this.#has.get(name);
    if (!slots || has === undefined) return resource;
    const fitting = has === unknown ? slots.withAll() : slots.with(has.slots, has.guards);
    if (fitting.slots?.names.size === slots.names.size) this.#surplus.delete(name);
    else this.#surplus.add(name);
    if (fitting.slots?.hasFormer) this.#former.add(name);
    else this.#former.delete(name);
    return fitting;
  }

  /** Whether the client has the chain just so: Envoy would make its filters again. */
  holds({ name, version }: EnvoyResource): boolean {
    const has = this.#has.get(name);
    return has !== undefined && has !== unknown && has.version === version;
  }

  /** Whether the client has all slots that the resource fills. */
  allows({ needs }: EnvoyResource): boolean {
    if (!needs) return true;
    return needs.entries().every(([chain, slots]) => {
      const has = this.#has.get(chain);
      return has === undefined || (has !== unknown && slots.every((slot) => has.slots.has(slot)));
    });
  }

  /** The chain without guards of former ones, which is otherwise as the client has it. */
  withoutFormer(chain: EnvoyResource): EnvoyResource {
    const has = this.#has.get(chain.name);
    return has === undefined || has === unknown ? chain : (chain.slots?.with(has.slots) ?? chain);
  }

  /** Names of the chains with guards of former ones. To be called while the client has taken all scopes. */
  takeFormer(): readonly string[] {
    const names = [...this.#former];
    this.#former.clear();
    return names;
  }

  /** Names of the chains that may lose what no scope of the client fills. To be called while the client has taken all scopes. */
  takeSurplus(nowMs: number, lingerMs: number): readonly string[] {
    return this.#surplus.takeDue(nowMs, lingerMs);
  }
}

const heldOf = ({ version, slots }: EnvoyResource): Held | undefined =>
  slots && { version, slots: slots.names, guards: slots.guards };
