import {
  demandingChains,
  guardsName,
  guardsSlot,
  isGuards,
  isSlotLists,
  tableOfChain,
  tableOfScope,
} from '../../contracts/index.ts';
import type { ChainDemand, EnvoyResource } from '../../translate/index.ts';
import type { HeldChain } from './held-chain.ts';
import type { HeldChains } from './held-chains.ts';

type Slots = NonNullable<EnvoyResource['slots']>;

/** By digest. */
type Demands = ReadonlyMap<string, ChainDemand>;

const noDemands: Demands = new Map();

/**
 * What tables are to demand of all requests, and what of that one client lacks. A table demands it in some of its chains, or in a resource beside them that
 * they lead to (`isGuards`).
 */
export class TableDemands {
  readonly #held: Pick<HeldChains, 'get'>;
  /** By name of a chain, what its table is to demand. */
  readonly #wanted = new Map<string, Demands>();
  /** By table, the same of what is beside its chains. */
  readonly #wantedBeside = new Map<string, Demands>();
  /** Names of the chains of which the client lacks demands. */
  readonly #lacking = new Set<string>();

  /** `held`: what the client has. After each change of it comes a call of `compare`. */
  constructor(held: Pick<HeldChains, 'get'>) {
    this.#held = held;
  }

  /**
   * This is what is to be in the chain, or beside the table's chains. Where a chain leads to what its table demands, that says it: of the same view, which
   * the chain's bytes do not follow.
   */
  want(name: string, { own, listsAt }: Pick<Slots, 'own' | 'listsAt'>): void {
    if (isGuards(name)) this.#wantedBeside.set(tableOfChain(name), own);
    else if (isSlotLists(name)) return;
    const beside = listsAt?.has(guardsSlot) ? this.#wantedBeside.get(tableOfChain(name)) : undefined;
    for (const chain of comparedWith(name)) this.#wanted.set(chain, beside ?? own);
  }

  /** The table is gone, and its chain is to go. */
  unwanted(name: string): void {
    this.#wanted.delete(name);
    this.#lacking.delete(name);
    if (isGuards(name)) this.#wantedBeside.delete(tableOfChain(name));
  }

  /** What the client has of the resource has changed, or what it is to have. */
  compare(changed: string): void {
    for (const name of comparedWith(changed)) this.#compareChain(name);
  }

  /** Whether a scope of this name may change, or go: the client has all that its table demands. */
  allowsChange(scope: string): boolean {
    return this.#lacking.size === 0 || !demandingChains(tableOfScope(scope)).some((chain) => this.#lacking.has(chain));
  }

  /**
   * What the client has of what the table demands. Each of its chains that demand it, and what is beside them, takes over from the others: requests to a
   * host meet another of them when its routes begin to demand something, or listeners of an earlier release are replaced.
   */
  at(name: string): Demands {
    const table = tableOfChain(name);
    const all = demandingChains(table);
    if (!all.includes(name) && !isGuards(name)) return noDemands;
    const held = all.flatMap((chain) => this.#held.get(chain) ?? []);
    const own = isGuards(name) ? this.#held.get(name)?.demands : undefined;
    return new Map([...held.flatMap((each) => [...this.#demandsOf(each, table)]), ...(own ?? [])]);
  }

  /** What requests meet of the table's demands. What is beside the chain counts for it where it leads there, or may do so. */
  #demandsOf({ slots, listsAt, demands }: HeldChain, table: string): Demands {
    const guards = slots === undefined ? guardsName(table) : listsAt.get(guardsSlot);
    const beside = guards === undefined ? undefined : this.#held.get(guards)?.demands;
    return beside ? new Map([...demands, ...beside]) : demands;
  }

  #compareChain(name: string): void {
    const has = this.#held.get(name);
    const demands = has && this.#demandsOf(has, tableOfChain(name));
    const wanted = this.#wanted.get(name);
    const lacks = demands && wanted?.keys().some((digest) => !demands.has(digest));
    if (lacks) this.#lacking.add(name);
    else this.#lacking.delete(name);
  }
}

/** Of what a table demands beside its chains, these; else the resource itself. */
const comparedWith = (name: string): readonly string[] =>
  isGuards(name) ? demandingChains(tableOfChain(name)) : [name];
