import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { FilterChainConfigSchema, packAny, TypedExtensionConfigSchema, typeUrls } from '../../envoy/index.ts';
import * as ir from '../../ir/index.ts';
import { chainSteps, hostFilterNames, type Slot, slotAndItem, slots, type TableContent } from '../filters/index.ts';
import {
  adsSource,
  type ChainDemand,
  type ChainKind,
  chainName,
  durationOf,
  type EnvoyResource,
  type HttpFilter,
  type Provenance,
  resourceOf,
} from '../resource/index.ts';
import { closedDemand, demandsIn, demandsOf, versionWith } from './demands.ts';

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
  /** Slots. */
  readonly names: ReadonlySet<string>;
  /** What the table demands, as `table` has it or closed. */
  readonly own: readonly ChainDemand[];
  /** What it demanded before. */
  readonly former: readonly ChainDemand[];
}

const kinds: readonly ChainKind[] = ['access', 'traffic'];
const slotsOf = (kind: ChainKind): readonly Slot[] => slots.filter(({ chain }) => chain === kind);
const slotsByKind: Readonly<Record<ChainKind, readonly Slot[]>> = {
  access: slotsOf('access'),
  traffic: slotsOf('traffic'),
};

const chainBySlot = new Map(slots.map(({ name, chain }) => [name, chain]));

/** Of a slot, by the name that routes use. */
export const chainOfSlot = (used: string): ChainKind | undefined => chainBySlot.get(slotAndItem(used)[0]);

/** Names of the slots that deny requests. */
export const protectingSlots: readonly string[] = slots.filter(({ protects }) => protects).map(({ name }) => name);

/** The filters by which connection managers of a table name its filter chains, whose content comes by ECDS. */
export const chainFilters = (table: string): readonly HttpFilter[] =>
  kinds.map((kind) => ({
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
export const translateChains = (table: Table, used: ReadonlySet<string>): readonly EnvoyResource[] =>
  kinds.map((kind) =>
    filterChain({
      kind,
      table,
      names: new Set([...used].filter((name) => chainOfSlot(name) === kind)),
      own: kind === 'access' ? demandsOf(table.access) : [],
      former: [],
    }),
  );

/** Names of a table's filter chains. */
export const chainNames = (table: string): readonly string[] => kinds.map((kind) => chainName(kind, table));

function filterChain(parts: Parts): EnvoyResource {
  const { kind, table, names, own, former } = parts;
  const name = chainName(kind, table.id);
  const config = create(FilterChainConfigSchema, configOf(filtersOf(parts)));
  const message = create(TypedExtensionConfigSchema, { name, typedConfig: packAny(FilterChainConfigSchema, config) });
  const provenance = kind === 'access' ? provenanceOf(parts) : undefined;
  const resource = resourceOf(typeUrls.extension, name, TypedExtensionConfigSchema, message);
  const ownByDigest = byDigest(own);
  const demands = byDigest([...own, ...former]);
  const made: EnvoyResource = {
    ...resource,
    version: versionWith(resource.version, demands.values()),
    ...(provenance && { provenance }),
    slots: {
      names,
      own: ownByDigest,
      demands,
      with(more, before = []) {
        const all = new Set([...names, ...more]);
        const kept = [...before].filter(({ digest }) => !ownByDigest.has(digest));
        const isSame = all.size === names.size && kept.length === 0 && former.length === 0;
        return isSame ? made : filterChain({ ...parts, names: all, former: kept });
      },
      demandsIn: (version, find) => demandsIn(version, ownByDigest, find),
      withAll: (before) => made.slots?.with(slotNamesOf(kind), before) ?? made,
    },
  };
  return made;
}

const noSlots: ReadonlySet<string> = new Set();

const slotNamesOf = (kind: ChainKind): readonly string[] => slotsByKind[kind].map(({ name }) => name);

const byDigest = (demands: readonly ChainDemand[]): ReadonlyMap<string, ChainDemand> =>
  new Map(demands.map((demand) => [demand.digest, demand]));

/** What proxies reject of a policy lets no request in, where it would otherwise be left out. */
function provenanceOf(parts: Parts): Provenance | undefined {
  const { table, own } = parts;
  const { access } = table;
  if (!access) return undefined;
  return {
    origins: () =>
      [...Map.groupBy(access.demands, ({ source }) => source)].map(([key, demands]) => ({
        kind: 'access',
        key,
        digest: ir.digestOf(demands),
      })),
    without(_name, keys) {
      const demands = access.demands.map((demand) => (keys.has(demand.source) ? closedDemand(demand) : demand));
      const closed = own.map((each, index) => withDemand(each, demands[index]));
      return filterChain({ ...parts, table: { ...table, access: { ...access, demands } }, own: closed });
    },
  };
}

const withDemand = (each: ChainDemand, demand: ir.TableAccess | undefined): ChainDemand =>
  demand ? { ...each, guards: { ...each.guards, demands: [demand] } } : each;

/** Former demands each have filters of their own, in front of those of the same name. */
function filtersOf({ kind, table, names, former }: Parts): readonly ChainedFilter[] {
  const own = filtersOfTable(kind, table, names);
  const taken = new Set(own.map(({ name }) => name).filter((name) => hostFilterNames.has(name)));
  const kept = former.flatMap(({ guards }) =>
    filtersOfTable(kind, { id: table.id, access: guards }, noSlots).filter(
      ({ name }) => !hostFilterNames.has(name) || (!taken.has(name) && taken.add(name)),
    ),
  );
  return [...kept, ...own].sort((one, other) => one.place - other.place);
}

function filtersOfTable(kind: ChainKind, table: Table, names: ReadonlySet<string>): readonly ChainedFilter[] {
  const used = itemsBySlot(names);
  return chainSteps.flatMap((step, place): ChainedFilter[] => {
    if (step.chain !== kind) return [];
    if ('filterOf' in step) {
      const own = step.filterOf(table);
      return own ? [{ name: own.name, typedConfig: own.filter, place }] : [];
    }
    const items = used.get(step.name);
    return items ? [{ name: step.name, typedConfig: step.filter(table, items), place }] : [];
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

/** Envoy rejects a chain without filters, but takes none at all. */
const configOf = (filters: readonly ChainedFilter[]): MessageInitShape<typeof FilterChainConfigSchema> =>
  filters.length === 0
    ? {}
    : { defaultFilterChain: { filters: filters.map(({ name, typedConfig }) => ({ name, typedConfig })) } };
