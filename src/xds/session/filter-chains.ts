import { isFilterChain, isGuards, isSlotLists } from '../../contracts/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';
import type { Verdict } from '../rejections/split-rejected.ts';
import { besideSteady } from './beside.ts';
import type { ChainSource } from './chain-source.ts';
import { heldByVersion, heldChain, unknownChain } from './held-chain.ts';
import { HeldChains } from './held-chains.ts';
import { Lingering } from './lingering.ts';
import { Renewals } from './renewals.ts';
import { TableDemands } from './table-demands.ts';

/**
 * What the filter chains of one client have: slots, and demands of their tables (EnvoyResource.slots). Envoy serves a route whose slot is missing as if
 * the route did not fill it, and acknowledges it silently, so the order is ours to keep:
 *
 * - a chain is sent before the scopes that fill its slots, and these wait until the client has acknowledged it;
 * - a chain keeps the slots that the client has, until the client has taken every scope that does not fill them any more, and `lingerMs` longer:
 *   Envoy makes all filters of a changed chain again, and forgets what they had counted;
 * - what a table demands, and did not before, routes may have demanded so far: while the client lacks it, scopes of the table stay as they are;
 * - what a table demanded, and does not any more, routes may demand from now on: it stays until the client has taken every scope.
 *
 * So at every moment a request meets all of what it met before, or all of what it is to meet. A client without a chain has no listener that leads
 * through it: it may get scopes at once.
 */
export class FilterChains {
  readonly held = new HeldChains();
  readonly demands = new TableDemands(this.held);
  readonly renewals = new Renewals();
  /** By name, what the client was prepared for, and was not sent yet. */
  readonly #due = new Map<string, EnvoyResource>();
  /** Chains that the client has, or is sent, with more slots than they need. */
  readonly #surplus = new Lingering();
  /** Chains that the client has, or is sent, with demands of former ones. */
  readonly #former = new Set<string>();

  /** The client says that it has these from an earlier stream. */
  has(versions: ReadonlyMap<string, string>, source: ChainSource): void {
    for (const [name, version] of versions) {
      if (!isFilterChain(name) && !isSlotLists(name)) continue;
      this.held.set(
        name,
        heldByVersion(version, source.chain(name) ?? besideSteady(name, source.chain), source.demand),
      );
      this.demands.compare(name);
    }
  }

  /** The client may have these from an earlier stream, and cannot say so. What chains lead to counts only when it is taken. */
  mayHave(names: Iterable<string>): void {
    for (const name of names) if (isFilterChain(name) && !this.held.has(name)) this.held.set(name, unknownChain);
  }

  /** What is to be sent first, so that all of the resource is where requests look for it before they do. */
  first(resource: EnvoyResource): EnvoyResource {
    const has = this.held.get(resource.name);
    return (
      (has?.slots && resource.slots?.preparing?.({ names: has.slots, lists: has.lists, demands: has.demands })) ??
      resource
    );
  }

  /** What the client is sent for the resource. It may have that from now on, and requests may have begun with it, before it says so. */
  sending(resource: EnvoyResource): EnvoyResource {
    const first = this.first(resource);
    this.held.sent(first);
    return first;
  }

  /** Of what the client was sent it took no more than `applied`. */
  rejected(sent: readonly EnvoyResource[], { applied, rejected }: Pick<Verdict, 'applied' | 'rejected'>): void {
    for (const resource of sent) if (!applied.includes(resource)) this.held.unsent(resource.name);
    for (const resource of rejected) if (resource.slots) this.renewals.rejected(resource, this.held.get(resource.name));
  }

  /** The client took the chain. */
  taken(chain: EnvoyResource): void {
    if (!chain.slots) return;
    this.remains(chain);
    this.renewals.over(chain.name);
    if (chain.slots.prepares) this.#due.set(chain.name, chain.slots.prepares);
    else this.#due.delete(chain.name);
  }

  /** The client has no such chain any more. */
  gone(name: string): void {
    this.held.delete(name);
    this.renewals.over(name);
    this.#due.delete(name);
    this.#surplus.delete(name);
    this.unwanted(name);
    this.demands.compare(name);
  }

  /** The table is gone, and its chain is to go. */
  unwanted(name: string): void {
    this.#former.delete(name);
    this.demands.unwanted(name);
  }

  /**
   * The chain as it may be sent now: with the slots that scopes of the client may still fill, and with what protects those that are to fill others.
   * Other resources are sent as they are.
   */
  fit(resource: EnvoyResource): EnvoyResource {
    const { name, slots } = resource;
    if (!slots) return resource;
    this.demands.want(name, slots);
    this.demands.compare(name);
    const has = isSlotLists(name) ? this.held.listsFor(name) : this.held.get(name);
    const before = [...this.demands.at(name).values()];
    if (!has && before.length === 0) return resource;
    const isUnknown = has !== undefined && has.slots === undefined;
    const fitting = isUnknown ? slots.withAll(before) : slots.with(has?.slots ?? [], before, has?.lists);
    if (slots.isAhead || fitting.slots?.names.symmetricDifference(slots.names).size === 0) this.#surplus.delete(name);
    else this.#surplus.add(name);
    if (fitting.slots && fitting.slots.demands.size > fitting.slots.own.size) this.#former.add(name);
    else this.#former.delete(name);
    return fitting;
  }

  /** Takes out what the client was prepared for, and was not sent yet. */
  takeDue(): readonly EnvoyResource[] {
    const due = [...this.#due.values()];
    this.#due.clear();
    return due;
  }

  /** Whether the client has the chain just so, and has not rejected another version since: Envoy would make its filters again. */
  holds({ name, version }: EnvoyResource): boolean {
    const has = this.held.get(name);
    return has?.slots !== undefined && has.version === version && !this.renewals.has(name);
  }

  /** The client has the chain just so. Slots that it is to have by now may add nothing to what others have brought along: these are there, too. */
  remains(chain: EnvoyResource): void {
    const held = heldChain(chain);
    if (!held) return;
    this.held.set(chain.name, held);
    this.demands.compare(chain.name);
  }

  /** Whether the client has all slots that the resource fills, and all that its table demands. */
  allows({ name, needs }: Pick<EnvoyResource, 'name' | 'needs'>): boolean {
    if (!this.demands.allowsChange(name)) return false;
    if (!needs) return true;
    return needs.entries().every(([chain, slots]) => {
      const has = this.held.get(chain);
      // What a chain leads to must be there before it; who has no such chain either gets it while its listener waits for both.
      if (!has) return !isSlotLists(chain) || !this.held.has(name);
      if (this.renewals.has(chain)) return false;
      // Requests would begin with an edition of an earlier stream, which is not sent again.
      if (isGuards(chain) && has.slots === undefined) return false;
      return slots.every((slot) => this.held.fills(has, slot));
    });
  }

  get hasFormer(): boolean {
    return this.#former.size > 0;
  }

  /** The chain without demands of former ones, which is otherwise as the client has it. */
  withoutFormer(chain: EnvoyResource): EnvoyResource {
    const has = isGuards(chain.name) ? this.held.listsFor(chain.name) : this.held.get(chain.name);
    if (!has?.slots) return chain.slots?.withAll() ?? chain;
    return chain.slots?.with(has.slots, [], has.lists) ?? chain;
  }

  /** Names of the chains with demands of former ones. To be called while the client has taken all scopes. */
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
