import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { FilterChainConfigSchema, packAny, TypedExtensionConfigSchema, typeUrls } from '../../envoy/index.ts';
import { type Slot, slots } from '../filters/index.ts';
import {
  adsSource,
  type ChainKind,
  chainName,
  durationOf,
  type EnvoyResource,
  type HttpFilter,
  resourceOf,
} from '../resource/index.ts';

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

/** ECDS: both filter chains of a table, with those slots. A chain that nothing uses is empty: the least that Envoy takes. */
export const translateChains = (table: string, used: ReadonlySet<string>): readonly EnvoyResource[] =>
  kinds.map((kind) => filterChain(kind, table, used));

/** Names of a table's filter chains. */
export const chainNames = (table: string): readonly string[] => kinds.map((kind) => chainName(kind, table));

function filterChain(kind: ChainKind, table: string, used: ReadonlySet<string>): EnvoyResource {
  const held = slotsByKind[kind].filter(({ name }) => used.has(name));
  const names = new Set(held.map(({ name }) => name));
  const name = chainName(kind, table);
  const typedConfig = packAny(FilterChainConfigSchema, create(FilterChainConfigSchema, configOf(held)));
  const message = create(TypedExtensionConfigSchema, { name, typedConfig });
  const made: EnvoyResource = {
    ...resourceOf(typeUrls.extension, name, TypedExtensionConfigSchema, message),
    slots: {
      names,
      with(more) {
        const all = new Set([...names, ...more]);
        return all.size === names.size ? made : filterChain(kind, table, all);
      },
      withAll: () => made.slots?.with(slotsByKind[kind].map((slot) => slot.name)) ?? made,
    },
  };
  return made;
}

/** Envoy rejects a chain without filters, but takes none at all. */
const configOf = (held: readonly Slot[]): MessageInitShape<typeof FilterChainConfigSchema> =>
  held.length === 0
    ? {}
    : { defaultFilterChain: { filters: held.map(({ name, filter }) => ({ name, typedConfig: filter() })) } };
