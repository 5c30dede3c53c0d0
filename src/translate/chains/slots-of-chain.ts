import { slotAndItem, slots, steadySlots } from '../filters/index.ts';
import type { ChainKind } from '../resource/index.ts';

export const chainKinds: readonly ChainKind[] = ['access', 'traffic'];

const namesOf = (kind: ChainKind): ReadonlySet<string> =>
  new Set([...slots.filter(({ chain }) => chain === kind).map(({ name }) => name), steadySlots[kind]]);

/** All that a chain may have for routes. */
export const namesOfChain: Readonly<Record<ChainKind, ReadonlySet<string>>> = {
  access: namesOf('access'),
  traffic: namesOf('traffic'),
};

const chainBySlot = new Map(chainKinds.flatMap((kind) => [...namesOfChain[kind]].map((name) => [name, kind] as const)));

/** Of a slot, by the name that routes use. */
export const chainOfSlot = (used: string): ChainKind | undefined => chainBySlot.get(slotAndItem(used)[0]);

/** Which of these names a chain has. Where requests may wait in it, it has all slots. */
export function usedOf(kind: ChainKind, names: readonly string[]): ReadonlySet<string> {
  const used = new Set(names.filter((name) => chainOfSlot(name) === kind));
  return used.has(steadySlots[kind]) ? used.union(namesOfChain[kind]) : used;
}
