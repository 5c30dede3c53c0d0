import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { FilterChainConfigSchema, packAny, TypedExtensionConfigSchema, typeUrls } from '../../envoy/index.ts';
import * as ir from '../../ir/index.ts';
import {
  chainSteps,
  hostFilterNames,
  type Slot,
  type SlotList,
  slotAndItem,
  slots,
  slotWithItem,
  steadySlots,
  type TableContent,
  waitingInTable,
} from '../filters/index.ts';
import {
  adsSource,
  type ChainDemand,
  type ChainKind,
  chainName,
  durationOf,
  type EnvoyResource,
  type HttpFilter,
  type Origin,
  type Provenance,
  resourceOf,
} from '../resource/index.ts';
import { closedDemand, demandsIn, demandsOf, versionWith } from './demands.ts';
import { limitOrigins, limitsNamedIn, limitsWithout, listsWithout } from './limit-origins.ts';
import { needsOf } from './needs.ts';
import { chainKinds, chainOfSlot, namesOfChain, usedOf } from './slots-of-chain.ts';
import { trafficNamedIn, trafficOrigins, trafficWithout } from './traffic-origins.ts';

type Table = TableContent & Pick<ir.RouteTable, 'id'>;

interface ChainedFilter {
  readonly name: string;
  readonly typedConfig: Any;
  /** Where it stands among all filters that chains may have. */
  readonly place: number;
}

/** What a filter chain is made from. */
interface Parts {
  readonly kind: ChainKind;
  readonly table: Table;
  /** Slots, and lists in them. */
  readonly names: ReadonlySet<string>;
  /** Each list that `names` has. */
  readonly lists: ReadonlyMap<string, SlotList>;
  /** What the table demands, as `table` has it or closed. */
  readonly own: readonly ChainDemand[];
  /** What it demanded before. */
  readonly former: readonly ChainDemand[];
}

/** What routes of a table use. */
export interface UsedSlots {
  /** Names of slots, also with items (slot-item.ts). */
  readonly names: ReadonlySet<string>;
  /** By such a name, each of the lists that routes call by it. */
  readonly lists: ReadonlyMap<string, SlotList>;
}

/** The filters by which connection managers of a table name its filter chains, whose content comes by ECDS. */
export const chainFilters = (table: string): readonly HttpFilter[] =>
  chainKinds.map((kind) => ({
    name: chainName(kind, table),
    configType: {
      case: 'configDiscovery',
      value: {
        // The listener stays closed until the chain is there. Envoy would otherwise open it after a while, and answer 500.
        configSource: { ...adsSource(), initialFetchTimeout: durationOf(0) },
        typeUrls: [`type.googleapis.com/${FilterChainConfigSchema.typeName}`],
      },
    },
  }));

/**
 * ECDS: both filter chains of a table, with what the table demands and the slots that its routes use. A chain without either is empty: the
 * least that Envoy takes.
 */
export const translateChains = (table: Table, { names, lists }: UsedSlots): readonly EnvoyResource[] =>
  chainKinds.map((kind) =>
    filterChain({
      kind,
      table,
      names: usedOf(kind, [
        ...names,
        ...slots.flatMap((slot) => (slot.isFilledBy?.(table) ? slot.name : [])),
        ...waitingInTable(table),
      ]),
      lists: new Map([...lists].filter(([name]) => chainOfSlot(name) === kind)),
      own: kind === 'access' ? demandsOf(table.access) : [],
      former: [],
    }),
  );

/** Names of a table's filter chains. */
export const chainNames = (table: string): readonly string[] => chainKinds.map((kind) => chainName(kind, table));

function filterChain(parts: Parts): EnvoyResource {
  const { kind, table, names, lists, own, former } = parts;
  const name = chainName(kind, table.id);
  const config = create(FilterChainConfigSchema, configOf(filtersOf(parts)));
  const message = create(TypedExtensionConfigSchema, { name, typedConfig: packAny(FilterChainConfigSchema, config) });
  const provenance = provenanceOf(parts);
  const resource = resourceOf(typeUrls.extension, name, TypedExtensionConfigSchema, message);
  const ownByDigest = byDigest(own);
  const demands = byDigest([...own, ...former]);
  const made: EnvoyResource = {
    ...resource,
    ...(kind === 'access' && keepsWaiting(table) && { needs: needsOf(table.id, [steadySlots.traffic]) }),
    version: versionWith(resource.version, demands.values()),
    ...(provenance && { provenance }),
    slots: {
      names,
      lists,
      own: ownByDigest,
      demands,
      with(more, before = [], theirs = noLists) {
        // A list that only an earlier control plane knew is none that a scope of this one names.
        const known = new Map([...theirs, ...lists]);
        const all = new Set([...names, ...[...more].filter((name) => !namesList(name) || known.has(name))]);
        const kept = [...before].filter(({ digest }) => !ownByDigest.has(digest));
        const isSame = all.size === names.size && kept.length === 0 && former.length === 0;
        const used = new Map([...known].filter(([use]) => all.has(use)));
        return isSame ? made : filterChain({ ...parts, names: all, lists: used, former: kept });
      },
      demandsIn: (version, find) => demandsIn(version, ownByDigest, find),
      withAll: (before) => made.slots?.with(namesOfChain[kind], before) ?? made,
    },
  };
  return made;
}

/** Requests then wait in this chain as soon as a client has it: it must have the other one before. */
const keepsWaiting = (table: TableContent): boolean => waitingInTable(table).includes(steadySlots.access);

const noLists: ReadonlyMap<string, SlotList> = new Map();
const noneUsed: UsedSlots = { names: new Set(), lists: noLists };

const slotsWithLists = new Set(slots.flatMap(({ name, hasLists }) => (hasLists ? [name] : [])));

/** Whether it is of no use without the list. */
function namesList(name: string): boolean {
  const [slot, item] = slotAndItem(name);
  return item !== undefined && slotsWithLists.has(slot);
}

const byDigest = (demands: readonly ChainDemand[]): ReadonlyMap<string, ChainDemand> =>
  new Map(demands.map((demand) => [demand.digest, demand]));

/** What proxies reject of a policy of access lets no request in, where it would otherwise be left out; what they reject of one of traffic, only where it protects. A bucket that they reject is left out. */
function provenanceOf(parts: Parts): Provenance | undefined {
  const { kind, table, lists, own } = parts;
  const { traffic } = table;
  const limits = { kind, table: table.limits, lists };
  const access = kind === 'access' ? table.access : undefined;
  if (!access && !traffic && !table.limits && lists.size === 0) return undefined;
  return {
    origins: () => [...accessOrigins(access), ...trafficOrigins(kind, traffic), ...limitOrigins(limits)],
    namedIn: (message) => [...trafficNamedIn(kind, traffic, message), ...limitsNamedIn(limits, message)],
    without(_name, keys) {
      const demands = access?.demands.map((demand) => (keys.has(demand.source) ? closedDemand(demand) : demand)) ?? [];
      const closed = own.map((each, index) => withDemand(each, demands[index]));
      const left = trafficWithout(traffic, keys);
      const counted = limitsWithout(table.limits, keys);
      return filterChain({
        ...parts,
        table: {
          ...table,
          ...(access && { access: { ...access, demands } }),
          ...(left && { traffic: left }),
          ...(counted && { limits: counted }),
        },
        lists: listsWithout(lists, keys),
        own: closed,
      });
    },
  };
}

/** What is of no one policy lets no request in, and no client rejects that. */
const accessOrigins = (access: ir.TableGuards | undefined): readonly Origin[] =>
  [...Map.groupBy(access?.demands ?? [], ({ source }) => source)].flatMap(([key, demands]) =>
    key === '' ? [] : { kind: 'access' as const, key, digest: ir.digestOf(demands) },
  );

const withDemand = (each: ChainDemand, demand: ir.TableAccess | undefined): ChainDemand =>
  demand ? { ...each, guards: { ...each.guards, demands: [demand] } } : each;

/** Former demands each have filters of their own, in front of those of the same name. */
function filtersOf({ kind, table, names, lists, former }: Parts): readonly ChainedFilter[] {
  const isAlone = former.length === 0;
  const own = filtersOfTable(kind, table, { names, lists }, isAlone);
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
  return chainSteps.flatMap((step, place): ChainedFilter[] => {
    if (step.chain !== kind) return [];
    if ('filterOf' in step) {
      const own = step.filterOf(table, names, isAlone);
      return own ? [{ name: own.name, typedConfig: own.filter, place }] : [];
    }
    const items = used.get(step.name);
    return items
      ? [{ name: step.name, typedConfig: step.filter(table, items, listsOf(step, items, lists)), place }]
      : [];
  });
}

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
const configOf = (filters: readonly ChainedFilter[]): MessageInitShape<typeof FilterChainConfigSchema> =>
  filters.length === 0
    ? {}
    : { defaultFilterChain: { filters: filters.map(({ name, typedConfig }) => ({ name, typedConfig })) } };
