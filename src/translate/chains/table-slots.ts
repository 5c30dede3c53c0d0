import { type SlotList, waitingFirst } from '../filters/index.ts';
import type { SlotsOfTable } from './slot-lists.ts';

/** What one host asks of its table's chains. */
export interface HostNeeds {
  /** Names of the slots that its routes fill. */
  readonly slots: readonly string[];
  /** What its routes name in slots, by what `slots` calls it. */
  readonly lists: ReadonlyMap<string, SlotList>;
  /** It authorizes requests before their route is chosen. */
  readonly authorizesFirst: boolean;
  /** Its requests meet `base` (base-chain.ts). */
  readonly inBase: boolean;
}

/** Of one table: how many hosts fill each slot. */
class SlotCounts {
  readonly #counts = new Map<string, number>();
  /** The same of hosts that meet `base`. */
  readonly #inBase = new Map<string, number>();
  /** What a route names is the same for all of its hosts. */
  readonly #lists = new Map<string, SlotList>();
  #authorizeFirst = 0;

  get empty(): boolean {
    return this.#counts.size === 0 && this.#authorizeFirst === 0;
  }

  /**
   * A request that waits for a server while its route is still to be chosen keeps the chains that it began with. What its route fills must be in them
   * already.
   */
  get used(): ReadonlySet<string> {
    return new Set([...this.#counts.keys(), ...(this.#authorizeFirst > 0 ? waitingFirst : [])]);
  }

  get inBase(): ReadonlySet<string> {
    return new Set(this.#inBase.keys());
  }

  get lists(): ReadonlyMap<string, SlotList> {
    return this.#lists;
  }

  /** Takes the newest of each. Whether one of them has other content. */
  update(lists: ReadonlyMap<string, SlotList>): boolean {
    let isOther = false;
    for (const [use, list] of lists) {
      isOther ||= this.#lists.get(use)?.digest !== list.digest;
      this.#lists.set(use, list);
    }
    return isOther;
  }

  add({ slots, authorizesFirst, inBase }: HostNeeds, by: 1 | -1): void {
    if (authorizesFirst) this.#authorizeFirst += by;
    for (const counts of [this.#counts, ...(inBase ? [this.#inBase] : [])]) addTo(counts, slots, by);
  }

  /** What no route names any more is gone. */
  dropUnused(): void {
    for (const use of this.#lists.keys()) if (!this.#counts.has(use)) this.#lists.delete(use);
  }
}

function addTo(counts: Map<string, number>, slots: readonly string[], by: 1 | -1): void {
  for (const slot of slots) {
    const count = (counts.get(slot) ?? 0) + by;
    if (count > 0) counts.set(slot, count);
    else counts.delete(slot);
  }
}

const none: SlotsOfTable = { names: new Set(), inBase: new Set(), lists: new Map() };

const noLists: ReadonlyMap<string, SlotList> = new Map();

/** Which slots the hosts of each table use, counted with each change of a host: no change looks at other hosts. */
export class TableSlots {
  /** By gateway, then by table; only tables with users. */
  readonly #tables = new Map<string, Map<string, SlotCounts>>();

  of(gateway: string, table: string): SlotsOfTable {
    const counts = this.#tables.get(gateway)?.get(table);
    return counts ? { names: counts.used, inBase: counts.inBase, lists: counts.lists } : none;
  }

  /** A host changed. Whether the table uses other slots than before. */
  changed(
    { gateway, table }: { readonly gateway: string; readonly table: string },
    before: HostNeeds | undefined,
    after: HostNeeds | undefined,
  ): boolean {
    if (!needsAny(before) && !needsAny(after)) return false;
    const tables = this.#tables.get(gateway) ?? new Map<string, SlotCounts>();
    this.#tables.set(gateway, tables);
    const counts = tables.get(table) ?? new SlotCounts();
    tables.set(table, counts);
    const [former, formerInBase] = [counts.used, counts.inBase];
    if (before) counts.add(before, -1);
    if (after) counts.add(after, 1);
    const isOther = counts.update(after?.lists ?? noLists);
    if (before && before.lists.size > 0) counts.dropUnused();
    if (counts.empty) tables.delete(table);
    return isOther || differ(former, counts.used) || differ(formerInBase, counts.inBase);
  }

  /** The gateway is gone. */
  forget(gateway: string): void {
    this.#tables.delete(gateway);
  }
}

const differ = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.symmetricDifference(other).size > 0;

const needsAny = (needs: HostNeeds | undefined): boolean =>
  needs !== undefined && (needs.slots.length > 0 || needs.authorizesFirst);
