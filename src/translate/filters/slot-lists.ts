import type { MessageInitShape } from '@bufbuild/protobuf';
import { create, type JsonObject } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  CompositeSchema,
  type ExtensionConfigSourceSchema,
  FilterStateInputSchema,
  type FilterStateValueSchema,
  HeaderMutationFilterSchema,
  packAny,
  SetFilterStateSchema,
} from '../../envoy/index.ts';
import { adsSource, durationOf } from '../resource/index.ts';
import { skip } from './host-step.ts';
import {
  actionOf,
  compositeWith,
  emptySlot,
  type FilterList,
  type Matcher,
  type NamedFilter,
  type Predicate,
  type Slot,
  type TableContent,
} from './slot.ts';

/*
 * Where requests wait in a chain, it stays as it is (steady.ts), and what routes may name in a slot is a resource of its own. Requests find it when they come
 * to the slot, by the metadata of their route, so one that has waited in front of it meets the newest. A composite that is found so is made and used in
 * one go: nothing of it is left to a request when another takes its place.
 */

/** What a route says that runs no list, and none of the table's own either. No list is called so. */
export const noList = '-none';

/** What a route's metadata says of the lists that it names, by slot. */
export const namedLists = (
  namespace: string,
  lists: readonly (readonly [slot: string, name: string])[],
): Readonly<Record<string, JsonObject>> => (lists.length === 0 ? {} : { [namespace]: Object.fromEntries(lists) });

/** Where a slot's lists come from. It is the same everywhere: Envoy has one subscription for each way of saying it. */
export const listsSource = (): MessageInitShape<typeof ExtensionConfigSourceSchema> => ({
  configSource: { ...adsSource(), initialFetchTimeout: durationOf(0) },
  typeUrls: [`type.googleapis.com/${CompositeSchema.typeName}`],
});

/** How the place of a slot is called that has its lists elsewhere: routes, which may not name lists that it lacks, do not know it. */
export const listsPlaceName = (slot: string): string => `${slot}.lists`;

/** What stands in that place, whatever the lists are. `mayRunOwn`: routes that name none may meet something, too, as the chain's head says. */
export function listsPlace(slot: string, resource: string, mayRunOwn: boolean): Any {
  const named = namesAny(slot);
  const predicate: Predicate = mayRunOwn
    ? { matchType: { case: 'orMatcher', value: { predicate: [named, hasOwn(slot)] } } }
    : named;
  return packAny(CompositeSchema, create(CompositeSchema, { matcher: runIf(predicate, resource) }));
}

const actionFor = (resource: string) => actionOf({ dynamicConfig: { name: resource, configDiscovery: listsSource() } });

/** Runs what the resource has. */
export const runsList = (resource: string): Matcher => ({ onNoMatch: actionFor(resource) });

/** Envoy counts what a composite runs in the chain. A request for which this one runs nothing touches nothing of a chain that was replaced. */
export const runIf = (predicate: Predicate, resource: string): Matcher => ({
  matcherType: { case: 'matcherList', value: { matchers: [{ predicate, onMatch: actionFor(resource) }] } },
});

/** Filter state: that the table itself has something in a place. */
export const ownKey = (place: string): string => `gatewright.own.${place}`;

export const hasOwn = (place: string): Predicate => stateIs(ownKey(place), { case: 'exact', value: 'y' });

const namesAny = (slot: string): Predicate => ({
  matchType: { case: 'notMatcher', value: stateIs(nameKey(slot), { case: 'exact', value: '-' }) },
});

/** A text in filter state is like this. */
export const stateIs = (
  key: string,
  matchPattern: { readonly case: 'exact' | 'prefix' | 'contains'; readonly value: string },
): Predicate => ({
  matchType: {
    case: 'singlePredicate',
    value: {
      input: { name: 'state', typedConfig: stateInput(key) },
      matcher: { case: 'valueMatch', value: { matchPattern } },
    },
  },
});

export const stateInput = (key: string): Any =>
  packAny(FilterStateInputSchema, create(FilterStateInputSchema, { key }));

/** What the resource has: the list that the route names runs, else what the table itself has. */
export function listsContent({ name, apart }: Slot, table: TableContent, byItem: ReadonlyMap<string, FilterList>): Any {
  const lists = apart?.listsOf?.([...byItem.keys()].sort()) ?? byItem;
  const ofTable = apart?.otherwise?.(table, lists);
  return lists.size === 0 && !ofTable ? emptySlot() : compositeWith(byName(name, lists.keys(), ofTable), lists);
}

/** Filter state: the list that the route names in the slot; `-` for none. */
const nameKey = (slot: string): string => `gatewright.list.${slot}`;

/**
 * In front of a chain's places for lists: they find what the route names. The first of the two makes Envoy choose the route where the fallthrough
 * cleared it. `more`: what else is kept there.
 */
export const listNames = (slots: readonly Slot[], more: readonly KeptText[]): readonly NamedFilter[] => [
  {
    name: 'gatewright.lists.resolve',
    typedConfig: packAny(HeaderMutationFilterSchema, create(HeaderMutationFilterSchema, { mutations: {} })),
  },
  {
    name: 'gatewright.lists',
    typedConfig: packAny(
      SetFilterStateSchema,
      create(SetFilterStateSchema, {
        onRequestHeaders: [
          ...slots.flatMap(({ name, apart }) => (apart ? keepName(name, apart.namespace) : [])),
          ...more,
        ],
      }),
    ),
  },
];

/** A text to be kept in filter state. */
export type KeptText = MessageInitShape<typeof FilterStateValueSchema>;

const keepName = (slot: string, namespace: string): KeptText =>
  keepText(nameKey(slot), `%METADATA(ROUTE:${namespace}:${slot})%`);

/** Keeps a text in filter state, as Envoy formats it. */
export const keepText = (key: string, inlineString: string): KeptText => ({
  key: { case: 'objectKey', value: key },
  factoryKey: 'envoy.string',
  value: {
    case: 'formatString',
    value: {
      format: {
        case: 'textFormatSource',
        value: { specifier: { case: 'inlineString', value: inlineString } },
      },
    },
  },
});

function byName(slot: string, names: Iterable<string>, otherwise: Matcher | undefined): Matcher {
  const map = Object.fromEntries([
    ...[...names].sort().map((name) => [name, actionOf({ filterChainName: name })] as const),
    [noList, skip()] as const,
  ]);
  return {
    ...(otherwise && { onNoMatch: { onMatch: { case: 'matcher', value: otherwise } } }),
    matcherType: {
      case: 'matcherTree',
      value: {
        input: { name: 'name', typedConfig: stateInput(nameKey(slot)) },
        treeType: { case: 'exactMatchMap', value: { map } },
      },
    },
  };
}
