import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import type { FilterChainConfigSchema } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import {
  aheadOfTraffic,
  chainSteps,
  guardsHead,
  headInChain,
  headName,
  hostFilterNames,
  keptAtHead,
  listNames,
  listsPlace,
  listsPlaceName,
  type Slot,
  type SlotList,
  slotAndItem,
  slots,
  slotWithItem,
  steadySlots,
  stopsAt,
  type TableContent,
  tablePlaceOf,
} from '../filters/index.ts';
import { type ChainDemand, type ChainKind, slotListsName } from '../resource/index.ts';
import type { UsedSlots } from './slot-lists.ts';

type Table = TableContent & Pick<ir.RouteTable, 'id'>;

interface ChainedFilter {
  readonly name: string;
  readonly typedConfig: Any;
  /** Where it stands among all filters that chains may have. */
  readonly place: number;
}

/** What the filters of a chain are made from. */
interface Content extends UsedSlots {
  readonly kind: ChainKind;
  readonly table: Table;
  /** What the table demanded before. */
  readonly former: readonly ChainDemand[];
}

/** Requests may wait in a chain with these slots. */
export const isSteady = ({ kind, names }: Pick<Content, 'kind' | 'names'>): boolean => names.has(steadySlots[kind]);

/** What a chain with these slots leads to, or will as soon as it is not empty, is beside it. */
export const leadsBeside = (chain: Pick<Content, 'kind' | 'names'>): boolean =>
  isSteady(chain) || chain.names.has(aheadOfTraffic);

/** Slots whose lists may be beside a chain. */
const listSlots: Readonly<Record<ChainKind, readonly Slot[]>> = {
  entry: slots.filter(({ chain, apart }) => chain === 'entry' && apart),
  access: slots.filter(({ chain, apart }) => chain === 'access' && apart),
  traffic: slots.filter(({ chain, apart }) => chain === 'traffic' && apart),
};

type Placed = readonly [step: (typeof chainSteps)[number], place: number];

const stepsOf = (kind: ChainKind): readonly Placed[] =>
  chainSteps.flatMap((step, place) => (step.chain === kind ? [[step, place] as const] : []));

const stepsOfChain: Readonly<Record<ChainKind, readonly Placed[]>> = {
  entry: stepsOf('entry'),
  access: stepsOf('access'),
  traffic: stepsOf('traffic'),
};

const noneUsed: UsedSlots = { names: new Set(), lists: new Map() };

/** Former demands each have filters of their own, in front of those of the same name. */
export function filtersOf({ kind, table, names, lists, former }: Content): readonly ChainedFilter[] {
  const isAlone = former.length === 0;
  const own = filtersOfTable(kind, table, { names, lists }, isAlone);
  if (isSteady({ kind, names })) return own.toSorted((one, other) => one.place - other.place);
  const taken = new Set(own.map(({ name }) => name).filter((name) => hostFilterNames.has(name)));
  const kept = former.flatMap(({ guards }) =>
    filtersOfTable(kind, { id: table.id, access: guards }, noneUsed, isAlone).filter(
      ({ name }) => !hostFilterNames.has(name) || (!taken.has(name) && taken.add(name)),
    ),
  );
  return [...kept, ...own].sort((one, other) => one.place - other.place);
}

function filtersOfTable(
  kind: ChainKind,
  table: Table,
  { names, lists }: UsedSlots,
  isAlone: boolean,
): readonly ChainedFilter[] {
  const used = itemsBySlot(names);
  const steady = isSteady({ kind, names });
  const heads = steady ? headsOf(kind, table.id) : [];
  const filters = stepsOfChain[kind].flatMap(([step, place]): ChainedFilter[] => {
    if (steady && isGuard(step)) return stopsAt(step, table.id).map((stop) => ({ ...stop, place }));
    const apart = steady && tablePlaceOf(step);
    if (apart) return [{ name: apart.name, typedConfig: apart.inChain(slotListsName(apart.name, table.id)), place }];
    if ('filterOf' in step) {
      const own = step.filterOf(table, names, isAlone);
      return own ? [{ name: own.name, typedConfig: own.filter, place }] : [];
    }
    if (steady && step.apart) {
      const typedConfig = listsPlace(step.name, slotListsName(step.name, table.id), step.apart.runsOwn !== undefined);
      return [{ name: listsPlaceName(step.name), typedConfig, place }];
    }
    const items = used.get(step.name);
    return items
      ? [{ name: step.name, typedConfig: step.filter(table, items, listsOf(step, items, lists)), place }]
      : [];
  });
  return [...heads, ...filters];
}

/** In front of all others. */
const headsOf = (kind: ChainKind, table: string): readonly ChainedFilter[] =>
  [
    ...listNames(listSlots[kind], kind === 'access' ? keptAtHead : []),
    headInChain(kind, slotListsName(headName(kind), table)),
    ...(kind === 'access' ? [guardsHead(table)] : []),
  ].map((head) => ({ ...head, place: -1 }));

const isGuard = (step: (typeof chainSteps)[number]): boolean => 'guard' in step && step.guard !== undefined;

function itemsBySlot(names: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  const bySlot = new Map<string, string[]>();
  for (const name of [...names].sort()) {
    const [slot, item] = slotAndItem(name);
    const items = bySlot.get(slot) ?? [];
    if (item !== undefined) items.push(item);
    bySlot.set(slot, items);
  }
  return bySlot;
}

/** By item. */
const listsOf = ({ name }: Slot, items: readonly string[], lists: UsedSlots['lists']): ReadonlyMap<string, SlotList> =>
  new Map(
    items.flatMap((item) => {
      const list = lists.get(slotWithItem(name, item));
      return list ? [[item, list] as const] : [];
    }),
  );

/** Envoy rejects a chain without filters, but takes none at all. */
export const configOf = (filters: readonly ChainedFilter[]): MessageInitShape<typeof FilterChainConfigSchema> =>
  filters.length === 0
    ? {}
    : { defaultFilterChain: { filters: filters.map(({ name, typedConfig }) => ({ name, typedConfig })) } };
