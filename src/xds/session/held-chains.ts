import { chainsOfTable, isGuards, isSlotLists, slotOfItem, tableOfChain } from '../../contracts/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';
import { type HeldChain, heldChain, unknownChain } from './held-chain.ts';

/** The filter chains that one client has, and what it has beside them. */
export class HeldChains {
  /** By name, what the client has acknowledged. */
  readonly #taken = new Map<string, HeldChain>();
  /** By name, what the client was sent of what tables demand beside their chains: requests may have begun with it before it says so. */
  readonly #sent = new Map<string, HeldChain>();

  /** What the client took last of this name; undefined: it has none. */
  get(name: string): HeldChain | undefined {
    return this.#taken.get(name);
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }

  set(name: string, held: HeldChain): void {
    this.#taken.set(name, held);
  }

  delete(name: string): void {
    this.#taken.delete(name);
    this.#sent.delete(name);
  }

  /** The client is sent the resource, and may have it from now on. */
  sent(resource: EnvoyResource): void {
    const held = isGuards(resource.name) ? heldChain(resource) : undefined;
    if (held) this.#sent.set(resource.name, held);
  }

  /** It has rejected what it was sent last. */
  unsent(name: string): void {
    this.#sent.delete(name);
  }

  /** Versions of the chains that the client has once it has taken these resources, by name. */
  versionsWith(upserts: Iterable<EnvoyResource>): ReadonlyMap<string, string> {
    const versions = new Map([...this.#taken].map(([name, { version }]) => [name, version]));
    for (const { name, version, slots } of upserts) if (slots) versions.set(name, version);
    return versions;
  }

  /** What the client has of a slot's lists: also in a chain that does not lead to them yet. */
  listsFor(name: string): HeldChain {
    const table = tableOfChain(name);
    const names = [name, ...chainsOfTable(table)];
    const sent = this.#sent.get(name);
    const held = [...(sent ? [sent] : []), ...names.flatMap((each) => this.#taken.get(each) ?? [])];
    return {
      ...unknownChain,
      slots: new Set(held.flatMap(({ slots }) => [...(slots ?? [])])),
      lists: new Map(held.flatMap(({ lists }) => [...lists])),
    };
  }

  /** Whether a chain of the client may lead to it. */
  leadsTo(lists: string): boolean {
    if (!isSlotLists(lists)) return false;
    const table = tableOfChain(lists);
    return this.#taken.entries().some(([name, { slots, listsAt }]) => {
      if (isSlotLists(name) || tableOfChain(name) !== table) return false;
      return slots === undefined || listsAt.values().some((each) => each === lists);
    });
  }

  /** Whether the chain has a slot, or an item of one (`SLOT/ITEM`), itself or beside it. */
  fills({ slots, listsAt }: HeldChain, used: string): boolean {
    if (slots?.has(used)) return true;
    const lists = listsAt.get(slotOfItem(used));
    return lists !== undefined && (this.#taken.get(lists)?.slots?.has(used) ?? false);
  }
}
