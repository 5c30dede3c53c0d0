import { aheadOfTraffic, identityUse, moduleGuards, slotAndItem, slots, steadySlots } from '../filters/index.ts';
import { type ChainKind, type ChainRole, chainName } from '../resource/index.ts';

export const chainKinds: readonly ChainKind[] = ['entry', 'access', 'traffic'];

/** What each filter chain of a table is for. */
export const chainRoles: Readonly<Record<ChainRole, ChainKind>> = {
  entry: 'entry',
  auth: 'access',
  base: 'access',
  access: 'access',
  traffic: 'traffic',
};

export const roles = Object.keys(chainRoles) as readonly ChainRole[];

const namesOf = (kind: ChainKind): ReadonlySet<string> =>
  new Set(slots.filter(({ chain }) => chain === kind).map(({ name }) => name));

/** All slots that a chain may have. */
export const slotsOfChain: Readonly<Record<ChainKind, ReadonlySet<string>>> = {
  entry: namesOf('entry'),
  access: namesOf('access'),
  traffic: namesOf('traffic'),
};

/** All that routes may use of a chain, and what it has where requests may wait in it: always the same. */
const namesOfChain: Readonly<Record<ChainKind, ReadonlySet<string>>> = {
  entry: new Set([...slotsOfChain.entry, steadySlots.entry]),
  access: new Set([...slotsOfChain.access, identityUse, steadySlots.access]),
  traffic: new Set([...slotsOfChain.traffic, aheadOfTraffic, steadySlots.traffic]),
};

const chainBySlot: ReadonlyMap<string, ChainKind> = new Map([
  ...chainKinds.flatMap((kind) => [...namesOfChain[kind]].map((name) => [name, kind] as const)),
  [moduleGuards, 'traffic'] as const,
]);

/** Of a slot, by the name that routes use. */
const chainOfSlot = (used: string): ChainKind | undefined => chainBySlot.get(slotAndItem(used)[0]);

/** Slots that do something for routes that do not fill them, too. */
const forAll: ReadonlySet<string> = new Set(slots.flatMap(({ name, apart }) => (apart?.runsOwn ? name : [])));

/**
 * Whether a chain has what routes use by this name. `inBase`: hosts that meet `base` do. A name that is not known is of a chain that no client has
 * with it.
 */
export const hasUsed = (role: ChainRole, used: string, inBase: boolean): boolean =>
  (chainOfSlot(used) ?? 'access') === chainRoles[role] &&
  (role !== 'base' || inBase || forAll.has(slotAndItem(used)[0]));

/** Names of the chains that have it. */
export const chainsWith = (used: string, table: string, inBase: boolean): readonly string[] =>
  roles.flatMap((role) => (hasUsed(role, used, inBase) ? chainName(role, table) : []));

/** The sort of chain whose names are asked for. */
interface Sort {
  readonly kind: ChainKind;
  /** Modules may run, so it has their guards before one does. */
  readonly modules: boolean;
  /** Whether the table has content of its own in it, beside its slots. */
  readonly hasOwn?: () => boolean;
}

/** Which of these names a chain has. Where requests may wait in it, it has all slots, and items of none. */
export function usedOf({ kind, modules, hasOwn = () => false }: Sort, names: readonly string[]): ReadonlySet<string> {
  const used = new Set(names.filter((name) => chainOfSlot(name) === kind));
  const isMet = used.has(aheadOfTraffic) && (used.size > 1 || hasOwn());
  if (!used.has(steadySlots[kind]) && !isMet) return used;
  const hasGuards = kind === 'traffic' && (modules || used.has(moduleGuards));
  return hasGuards ? withGuards : namesOfChain[kind];
}

const withGuards: ReadonlySet<string> = new Set([...namesOfChain.traffic, moduleGuards]);
