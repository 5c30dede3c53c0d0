import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { FilterChainConfigSchema, packAny, TypedExtensionConfigSchema, typeUrls } from '../../envoy/index.ts';
import * as ir from '../../ir/index.ts';
import { chainSteps, type Slot, slots, type TableContent } from '../filters/index.ts';
import {
  adsSource,
  type ChainGuard,
  type ChainKind,
  chainName,
  durationOf,
  type EnvoyResource,
  type HttpFilter,
  type Provenance,
  resourceOf,
} from '../resource/index.ts';

type Table = TableContent & Pick<ir.RouteTable, 'id'>;

interface ChainedFilter extends ChainGuard {
  /** All requests of the table meet it. */
  readonly guards?: true;
}

const kinds: readonly ChainKind[] = ['access', 'traffic'];
const slotsOf = (kind: ChainKind): readonly Slot[] => slots.filter(({ chain }) => chain === kind);
const slotsByKind: Readonly<Record<ChainKind, readonly Slot[]>> = {
  access: slotsOf('access'),
  traffic: slotsOf('traffic'),
};

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
  kinds.map((kind) => filterChain(kind, table, used));

/** Names of a table's filter chains. */
export const chainNames = (table: string): readonly string[] => kinds.map((kind) => chainName(kind, table));

function filterChain(
  kind: ChainKind,
  table: Table,
  used: ReadonlySet<string>,
  former: readonly ChainGuard[] = [],
): EnvoyResource {
  const names = new Set(slotsByKind[kind].flatMap(({ name }) => (used.has(name) ? name : [])));
  const name = chainName(kind, table.id);
  const own = filtersOf(kind, table, names);
  const lacking = (guards: readonly ChainGuard[]) =>
    guards.filter((guard) => !own.some((each) => each.name === guard.name));
  const kept = lacking(former);
  const filters = [...own, ...kept].sort((one, other) => one.place - other.place);
  const config = create(FilterChainConfigSchema, configOf(filters));
  const message = create(TypedExtensionConfigSchema, { name, typedConfig: packAny(FilterChainConfigSchema, config) });
  const provenance = kind === 'access' ? provenanceOf(table, names) : undefined;
  const made: EnvoyResource = {
    ...resourceOf(typeUrls.extension, name, TypedExtensionConfigSchema, message),
    ...(provenance && { provenance }),
    slots: {
      names,
      guards: [...own.filter(({ guards }) => guards), ...kept],
      hasFormer: kept.length > 0,
      with(more, guards = []) {
        const all = new Set([...names, ...more]);
        const isSame = all.size === names.size && lacking(guards).length === kept.length;
        return isSame ? made : filterChain(kind, table, all, guards);
      },
      withAll: () => made.slots?.with(slotsByKind[kind].map((slot) => slot.name)) ?? made,
    },
  };
  return made;
}

/** What proxies reject of a policy lets no request in, where it would otherwise be left out. */
function provenanceOf(table: Table, names: ReadonlySet<string>): Provenance | undefined {
  const { access } = table;
  if (!access) return undefined;
  return {
    origins: () =>
      [...Map.groupBy(access.demands, ({ source }) => source)].map(([key, demands]) => ({
        kind: 'access',
        key,
        digest: ir.digestOf(demands),
      })),
    without: (_name, keys) => filterChain('access', { ...table, access: withClosed(access, keys) }, names),
  };
}

const withClosed = (access: ir.TableGuards, sources: ReadonlySet<string>): ir.TableGuards => ({
  ...access,
  demands: access.demands.map((demand) => (sources.has(demand.source) ? closedAccess(demand) : demand)),
});

const closedAccess = ({ level, source, hostnames, ...access }: ir.TableAccess): ir.TableAccess => ({
  level,
  source,
  overridable: [],
  ...(hostnames && { hostnames }),
  closed: ir.accessParts.filter((part) => access[part] !== undefined || access.closed?.includes(part)),
});

const filtersOf = (kind: ChainKind, table: Table, names: ReadonlySet<string>): readonly ChainedFilter[] =>
  chainSteps.flatMap((step, place): ChainedFilter[] => {
    if (step.chain !== kind) return [];
    if ('filterOf' in step) {
      const own = step.filterOf(table);
      return own ? [{ name: own.name, typedConfig: own.filter, place, guards: true }] : [];
    }
    return names.has(step.name) ? [{ name: step.name, typedConfig: step.filter(), place }] : [];
  });

/** Envoy rejects a chain without filters, but takes none at all. */
const configOf = (filters: readonly ChainGuard[]): MessageInitShape<typeof FilterChainConfigSchema> =>
  filters.length === 0
    ? {}
    : { defaultFilterChain: { filters: filters.map(({ name, typedConfig }) => ({ name, typedConfig })) } };
