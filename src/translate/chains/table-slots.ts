import { protectingSlots } from './filter-chain.ts';

/** What one host asks of its table's chains. */
export interface HostNeeds {
  /** Names of the slots that its routes fill. */
  readonly slots: readonly string[];
  /** It authorizes requests before their route is chosen. */
  readonly authorizesFirst: boolean;
}

/** Of one table: how many hosts fill each slot. */
class SlotCounts {
  readonly #counts = new Map<string, number>();
  #authorizeFirst = 0;

  get empty(): boolean {
    return this.#counts.size === 0 && this.#authorizeFirst === 0;
  }

  /**
   * A request that waits for a server while its route is still to be chosen keeps the chain that it began with. What would protect the route it gets
   * must be in that chain already, so such tables have all slots that protect.
   */
  get used(): ReadonlySet<string> {
    return new Set([...this.#counts.keys(), ...(this.#authorizeFirst > 0 ? protectingSlots : [])]);
  }

  add({ slots, authorizesFirst }: HostNeeds, by: 1 | -1): void {
    if (authorizesFirst) this.#authorizeFirst += by;
    for (const slot of slots) {
      const count = (this.#counts.get(slot) ?? 0) + by;
      if (count > 0) this.#counts.set(slot, count);
      else this.#counts.delete(slot);
    }
  }
}

const none: ReadonlySet<string> = new Set();

/** Which slots the hosts of each table use, counted with each change of a host: no change looks at other hosts. */
export class TableSlots {
  /** By gateway, then by table; only tables with users. */
  readonly #tables = new Map<string, Map<string, SlotCounts>>();

  of(gateway: string, table: string): ReadonlySet<string> {
    return this.#tables.get(gateway)?.get(table)?.used ?? none;
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
    const former = counts.used;
    if (before) counts.add(before, -1);
    if (after) counts.add(after, 1);
    if (counts.empty) tables.delete(table);
    return former.symmetricDifference(counts.used).size > 0;
  }

  /** The gateway is gone. */
  forget(gateway: string): void {
    this.#tables.delete(gateway);
  }
}

const needsAny = (needs: HostNeeds | undefined): boolean =>
  needs !== undefined && (needs.slots.length > 0 || needs.authorizesFirst);
