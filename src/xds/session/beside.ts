import { chainPrefixes, chainsOfTable, isGuards, isSlotLists, tableOfChain } from '../../contracts/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';

/*
 * What is beside a filter chain: resources that it leads to (ChainSlots.listsAt). Those that are published go out by themselves. What is published no more
 * comes with a chain that has outlasted it (ChainSlots.beside).
 */

/** Gives the chain of a name, as it is to be. */
type FindChain = (name: string) => EnvoyResource | undefined;

const none: readonly EnvoyResource[] = [];

/** What comes with the chain. */
export const besideOf = (chain: EnvoyResource): readonly EnvoyResource[] => chain.slots?.beside?.() ?? none;

const besideNamed = (chain: EnvoyResource, name: string): EnvoyResource | undefined =>
  besideOf(chain).find((beside) => beside.name === name);

/** What comes with a chain of its table; `fitting` gives those of the table's chains that the client has, as it is sent them. */
export const besideHeld = (name: string, fitting: FindChain): EnvoyResource | undefined =>
  isSlotLists(name)
    ? chainsOfTable(tableOfChain(name))
        .flatMap((chain) => fitting(chain) ?? [])
        .map((chain) => besideNamed(chain, name))
        .find((beside) => beside !== undefined)
    : undefined;

/** What came with the chain of its table as that was where requests wait. */
export function besideSteady(name: string, find: FindChain): EnvoyResource | undefined {
  if (!isGuards(name)) return undefined;
  const steady = find(`${chainPrefixes.auth}${tableOfChain(name)}`)?.slots?.steady?.();
  return steady && besideNamed(steady, name);
}
