import {
  chainsOfTable,
  demandingChains,
  guardsName,
  guardsSlot,
  isFilterChain,
  isGuards,
  isSlotLists,
  slotOfItem,
  tableOfChain,
  tableOfScope,
} from '../../contracts/index.ts';
import type { ChainDemand, EnvoyResource } from '../../translate/index.ts';
import type { Verdict } from '../rejections/split-rejected.ts';
import { besideSteady, type ChainSource } from './chain-source.ts';
import { type HeldChain, heldByVersion, heldChain, unknownChain } from './held-chain.ts';
import { Lingering } from './lingering.ts';
import { Renewals } from './renewals.ts';

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
  /** By name, what the client has acknowledged. */
  readonly #has = new Map<string, HeldChain>();
  /** By name, what the client was sent of what tables demand beside their chains. */
  readonly #sent = new Map<string, HeldChain>();
  /** By name, what the client was prepared for, and was not sent yet. */
  readonly #due = new Map<string, EnvoyResource>();
  /** By name, the digests of what the table is to demand. */
  readonly #wanted = new Map<string, ReadonlyMap<string, ChainDemand>>();
  /** By table, the same of what is beside its chains. */
  readonly #wantedBeside = new Map<string, ReadonlyMap<string, ChainDemand>>();
  /** Names of the chains of which the client lacks demands. */
  readonly #lacking = new Set<string>();
  readonly #renewals = new Renewals();
  /** Chains that the client has, or is sent, with more slots than they need. */
  readonly #surplus = new Lingering();
  /** Chains that the client has, or is sent, with demands of former ones. */
  readonly #former = new Set<string>();

  /** The client says that it has these from an earlier stream. */
  has(versions: ReadonlyMap<string, string>, source: ChainSource): void {
    for (const [name, version] of versions) {
      if (!isFilterChain(name) && !isSlotLists(name)) continue;
      this.#has.set(name, heldByVersion(version, source.chain(name) ?? besideSteady(name, source), source.demand));
      this.#compare(name);
    }
  }

  /** The client may have these from an earlier stream, and cannot say so. What chains lead to counts only when it is taken. */
  mayHave(names: Iterable<string>): void {
    for (const name of names) if (isFilterChain(name) && !this.#has.has(name)) this.#has.set(name, unknownChain);
  }

  /** What is to be sent first, so that all of the resource is where requests look for it before they do. */
  first(resource: EnvoyResource): EnvoyResource {
    const has = this.#has.get(resource.name);
    return (
      (has?.slots && resource.slots?.preparing?.({ names: has.slots, lists: has.lists, demands: has.demands })) ??
      resource
    );
  }

  /** What the client is sent for the resource. It may have that from now on, and requests may have begun with it, before it says so. */
  sending(resource: EnvoyResource): EnvoyResource {
    const first = this.first(resource);
    const held = isGuards(first.name) ? heldChain(first) : undefined;
    if (held) this.#sent.set(first.name, held);
    return first;
  }

  /** Of what the client was sent it took no more than `applied`. */
  rejected(sent: readonly EnvoyResource[], { applied, rejected }: Pick<Verdict, 'applied' | 'rejected'>): void {
    for (const resource of sent) if (!applied.includes(resource)) this.#sent.delete(resource.name);
    for (const resource of rejected)
      if (resource.slots) this.#renewals.rejected(resource, this.#has.get(resource.name));
  }

  /** What the client is to be sent once more as it has it. `isReplaced`: another version of that name goes anyway. */
  renewal(isReplaced: (name: string) => boolean): EnvoyResource | undefined {
    return this.#renewals.next(isReplaced);
  }

  /** The client was sent that. */
  renewed(name: string): void {
    this.#renewals.over(name);
  }

  /** The client took the chain. */
  taken(chain: EnvoyResource): void {
    const held = heldChain(chain);
    if (!held) return;
    this.#has.set(chain.name, held);
    this.#renewals.over(chain.name);
    if (chain.slots?.prepares) this.#due.set(chain.name, chain.slots.prepares);
    else this.#due.delete(chain.name);
    this.#compare(chain.name);
  }

  /** Versions of the chains that the client has once it has taken these resources, by name. */
  versionsWith(upserts: Iterable<EnvoyResource>): ReadonlyMap<string, string> {
    const versions = new Map([...this.#has].map(([name, { version }]) => [name, version]));
    for (const { name, version, slots } of upserts) if (slots) versions.set(name, version);
    return versions;
  }

  /** The client has no such chain any more. */
  gone(name: string): void {
    this.#has.delete(name);
    this.#renewals.over(name);
    this.#sent.delete(name);
    this.#due.delete(name);
    this.#surplus.delete(name);
    this.unwanted(name);
    this.#compare(name);
  }

  /** The table is gone, and its chain is to go. */
  unwanted(name: string): void {
    this.#former.delete(name);
    this.#wanted.delete(name);
    this.#lacking.delete(name);
    if (isGuards(name)) this.#wantedBeside.delete(tableOfChain(name));
  }

  /**
   * The chain as it may be sent now: with the slots that scopes of the client may still fill, and with what protects those that are to fill others.
   * Other resources are sent as they are.
   */
  fit(resource: EnvoyResource): EnvoyResource {
    const { name, slots } = resource;
    if (!slots) return resource;
    this.#want(name, slots);
    this.#compare(name);
    const has = isSlotLists(name) ? this.#listsFor(name) : this.#has.get(name);
    const before = [...this.#demandsAt(name).values()];
    if (!has && before.length === 0) return resource;
    const isUnknown = has !== undefined && has.slots === undefined;
    const fitting = isUnknown ? slots.withAll(before) : slots.with(has?.slots ?? [], before, has?.lists);
    if (slots.isAhead || fitting.slots?.names.symmetricDifference(slots.names).size === 0) this.#surplus.delete(name);
    else this.#surplus.add(name);
    if (fitting.slots && fitting.slots.demands.size > fitting.slots.own.size) this.#former.add(name);
    else this.#former.delete(name);
    return fitting;
  }

  /** Where a chain leads to what its table demands, that says it: of the same view, which the chain's bytes do not follow. */
  #want(name: string, { own, listsAt }: NonNullable<EnvoyResource['slots']>): void {
    if (isGuards(name)) this.#wantedBeside.set(tableOfChain(name), own);
    else if (isSlotLists(name)) return;
    const beside = listsAt?.has(guardsSlot) ? this.#wantedBeside.get(tableOfChain(name)) : undefined;
    for (const chain of comparedWith(name)) this.#wanted.set(chain, beside ?? own);
  }

  /** Takes out what the client was prepared for, and was not sent yet. */
  takeDue(): readonly EnvoyResource[] {
    const due = [...this.#due.values()];
    this.#due.clear();
    return due;
  }

  /** What requests meet of the table's demands. What is beside the chain counts for it where it leads there, or may do so. */
  #demandsOf({ slots, listsAt, demands }: HeldChain, table: string): ReadonlyMap<string, ChainDemand> {
    const guards = slots === undefined ? guardsName(table) : listsAt.get(guardsSlot);
    const beside = guards === undefined ? undefined : this.#has.get(guards)?.demands;
    return beside ? new Map([...demands, ...beside]) : demands;
  }

  /**
   * What the client has of what the table demands. Each of its chains that demand it, and what is beside them, takes over from the others: requests to a
   * host meet another of them when its routes begin to demand something, or listeners of an earlier release are replaced.
   */
  #demandsAt(name: string): ReadonlyMap<string, ChainDemand> {
    const table = tableOfChain(name);
    const all = demandingChains(table);
    if (!all.includes(name) && !isGuards(name)) return noDemands;
    const held = all.flatMap((chain) => this.#has.get(chain) ?? []);
    const own = isGuards(name) ? this.#has.get(name)?.demands : undefined;
    return new Map([...held.flatMap((each) => [...this.#demandsOf(each, table)]), ...(own ?? [])]);
  }

  /** What the client has of a slot's lists: also in a chain that does not lead to them yet. */
  #listsFor(name: string): HeldChain {
    const table = tableOfChain(name);
    const names = [name, ...chainsOfTable(table)];
    const sent = this.#sent.get(name);
    const held = [...(sent ? [sent] : []), ...names.flatMap((each) => this.#has.get(each) ?? [])];
    return {
      ...unknownChain,
      slots: new Set(held.flatMap(({ slots }) => [...(slots ?? [])])),
      lists: new Map(held.flatMap(({ lists }) => [...lists])),
    };
  }

  /** What the client took last of this name, if that is known. */
  lastTaken(name: string): EnvoyResource | undefined {
    return this.#has.get(name)?.resource;
  }

  /** Whether the client has a chain of this name. */
  isHeld(name: string): boolean {
    return this.#has.has(name);
  }

  /** Whether the client has the chain just so, and has not rejected another version since: Envoy would make its filters again. */
  holds({ name, version }: EnvoyResource): boolean {
    const has = this.#has.get(name);
    return has?.slots !== undefined && has.version === version && !this.#renewals.has(name);
  }

  /** Whether the client has all slots that the resource fills, and all that its table demands. */
  allows({ name, needs }: Pick<EnvoyResource, 'name' | 'needs'>): boolean {
    if (!this.allowsChange(name)) return false;
    if (!needs) return true;
    return needs.entries().every(([chain, slots]) => {
      const has = this.#has.get(chain);
      // What a chain leads to must be there before it; who has no such chain either gets it while its listener waits for both.
      if (!has) return !isSlotLists(chain) || !this.#has.has(name);
      if (this.#renewals.has(chain)) return false;
      // Requests would begin with an edition of an earlier stream, which is not sent again.
      if (isGuards(chain) && has.slots === undefined) return false;
      return slots.every((slot) => has.slots?.has(slot) || this.#hasBeside(has, slot));
    });
  }

  /** Whether a chain of the client may lead to it. */
  leadsTo(lists: string): boolean {
    if (!isSlotLists(lists)) return false;
    const table = tableOfChain(lists);
    return this.#has.entries().some(([name, { slots, listsAt }]) => {
      if (isSlotLists(name) || tableOfChain(name) !== table) return false;
      return slots === undefined || listsAt.values().some((each) => each === lists);
    });
  }

  /** Whether what the chain leads to for a slot has this item of the slot. */
  #hasBeside({ listsAt }: HeldChain, used: string): boolean {
    const lists = listsAt.get(slotOfItem(used));
    return lists !== undefined && (this.#has.get(lists)?.slots?.has(used) ?? false);
  }

  /** Whether a scope of this name may change, or go: the client has all that its table demands. */
  allowsChange(name: string): boolean {
    return this.#lacking.size === 0 || !demandingChains(tableOfScope(name)).some((chain) => this.#lacking.has(chain));
  }

  get hasFormer(): boolean {
    return this.#former.size > 0;
  }

  /** The chain without demands of former ones, which is otherwise as the client has it. */
  withoutFormer(chain: EnvoyResource): EnvoyResource {
    const has = isGuards(chain.name) ? this.#listsFor(chain.name) : this.#has.get(chain.name);
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

  #compare(changed: string): void {
    for (const name of comparedWith(changed)) this.#compareChain(name);
  }

  #compareChain(name: string): void {
    const has = this.#has.get(name);
    const demands = has && this.#demandsOf(has, tableOfChain(name));
    const lacks =
      demands &&
      this.#wanted
        .get(name)
        ?.keys()
        .some((digest) => !demands.has(digest));
    if (lacks) this.#lacking.add(name);
    else this.#lacking.delete(name);
  }
}

const noDemands: ReadonlyMap<string, ChainDemand> = new Map();

/** Of what a table demands beside its chains, these; else the resource itself. */
const comparedWith = (name: string): readonly string[] =>
  isGuards(name) ? demandingChains(tableOfChain(name)) : [name];
