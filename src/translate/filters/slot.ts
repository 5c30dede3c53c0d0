import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  CompositePerRouteSchema,
  CompositeSchema,
  type DynamicConfigSchema,
  type ExecuteFilterAction,
  ExecuteFilterActionSchema,
  type Matcher_MatcherList_PredicateSchema,
  type MatcherSchema,
  packAny,
  type RuntimeFractionalPercentSchema,
} from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import type { ChainKind } from '../resource/index.ts';

/** A place in one of the filter chains of an HTTP table. It is there while a route of the table fills it. */
export interface Slot {
  /**
   * Key of `typed_per_filter_config` in routes, virtual hosts and shares. A name never gets another meaning. Of a filter that depends on its
   * routes, these use a name with an item (slot-item.ts).
   */
  readonly name: string;
  readonly chain: ChainKind;
  /** It denies requests. Envoy serves a route whose slot is not there as if nothing were to be checked. */
  readonly protects?: true;
  /** Its items are lists of filters, which routes call by their names. */
  readonly hasLists?: true;
  /** What routes of the table use decides what it runs: see slot-lists.ts for where that is no part of the chain. */
  readonly apart?: SlotApart;
  /**
   * The filter of the chain. On routes that do not fill the slot it does nothing, or what it says itself. `items`: sorted, each once.
   * `lists`: by item, those that it has for routes to call.
   */
  readonly filter: (table: TableContent, items: readonly string[], lists: ReadonlyMap<string, FilterList>) => Any;
  /** Whether the table has content of its own for it, which all of its requests meet whose route does not fill the slot. */
  readonly isFilledBy?: (table: TableContent) => boolean;
  /** How that is found where it is no part of the chain (table-places.ts). */
  readonly ofTable?: OwnOfTable;
}

/** What a table itself has in a place. */
export interface OwnOfTable {
  /** The table with nothing else. */
  readonly only: (table: TableContent) => TableContent;
  /** The filter of the chain that does what the matcher says. Undefined: a composite with nothing but it. */
  readonly withMatcher?: (matcher: Matcher) => Any;
}

/** The content of a slot that is no part of the chain. */
export interface SlotApart {
  /** Namespace of routes' metadata that says by name what runs. */
  readonly namespace: string;
  /** By such a name. Undefined: the lists of its items. */
  readonly listsOf?: (items: readonly string[]) => ReadonlyMap<string, FilterList>;
  /** Whether something may run on routes that say nothing of it, for what the table itself has: the head of the chain says so (table-places.ts). */
  readonly runsOwn?: (table: TableContent) => boolean;
  /** What that is; `lists`: all that there are. */
  readonly otherwise?: (table: TableContent, lists: ReadonlyMap<string, FilterList>) => Matcher | undefined;
}

/** A filter of a chain with content of its own, which all requests of the table meet. */
export interface TableFilter {
  readonly chain: ChainKind;
  /**
   * Undefined: the table has no such filter. `slots`: names of those that its routes use. `isAlone`: the chain has no filters of what the table demanded
   * before.
   */
  readonly filterOf: (
    table: TableContent,
    slots: ReadonlySet<string>,
    isAlone: boolean,
  ) => { readonly name: string; readonly filter: Any } | undefined;
  /** Its place where the content is no part of the chain (table-places.ts). The filter is a composite then. */
  readonly apart?: Pick<OwnOfTable, 'only'> & { readonly name: string };
  /** Where requests wait in the chain, all such filters are in one resource beside it (guard-stops.ts). */
  readonly guard?: Guard;
}

/** A filter of what a table demands. */
export interface Guard {
  /** Requests may wait in it, for some demands. */
  readonly mayWait: boolean;
  /** The filter, and whether requests may wait in this one. Undefined: these demands want none. */
  readonly of: (
    guards: ir.TableGuards,
    slots: ReadonlySet<string>,
    isAlone: boolean,
  ) => { readonly filter: NamedFilter; readonly waits: boolean } | undefined;
}

/** What of a table its chains are made from, beside the slots that its routes use. */
export type TableContent = Pick<ir.RouteTable, 'access' | 'limits' | 'traffic' | 'locates'>;

/** A filter that runs what the route says: a whole filter, or one that the slot knows by name. */
export const emptySlot = (): Any => packAny(CompositeSchema, create(CompositeSchema));

/**
 * A slot that has a filter by this name, for routes to say that it runs: in each of them it would take more memory than all else.
 * `everywhere`: it runs on all routes that do not fill the slot otherwise.
 */
export const slotWith = (name: string, filter: Any, everywhere = false): Any => {
  const namedFilterChains = { [name]: { typedConfig: [{ name, typedConfig: filter }] } };
  const matcher = matcherFor({ filterChainName: name });
  return packAny(CompositeSchema, create(CompositeSchema, { namedFilterChains, ...(everywhere && { matcher }) }));
};

/** What a request must be like for one of several filters. */
export type Predicate = MessageInitShape<typeof Matcher_MatcherList_PredicateSchema>;

/** Several filters of which each request meets exactly one: the first whose predicate holds, else `otherwise`. */
export interface FilterChoice {
  readonly choices: readonly { readonly predicate: Predicate; readonly filter: Any | FilterList }[];
  readonly otherwise: Any | FilterList;
}

/** A filter of a list, with its name there. */
export interface NamedFilter {
  readonly name: string;
  readonly typedConfig: Any;
}

/** Several filters, one after the other. Only the last one may wait for anything: Envoy 1.40 goes on behind the first that does. */
export interface FilterList {
  readonly filters: readonly NamedFilter[];
}

/** A list that a slot has for routes to name. */
export interface SlotList extends FilterList {
  /** Of what it is made from. */
  readonly digest: ir.Digest;
  /** What it counts. */
  readonly buckets: readonly ir.LimitBucket[];
  /** The same list without some of them, by their ids. */
  readonly without: (ids: ReadonlySet<string>) => SlotList;
}

/** What runs in a slot, or in a place of the table's own. */
export type SlotContent = Any | FilterChoice | FilterList;

/**
 * What a route puts into an empty slot: one whole filter. Never two: of a list of filters in one slot, Envoy 1.40 goes on behind the first
 * that has to wait, and so would let in a request that the second one denies.
 */
export const fillSlot = (name: string, content: SlotContent): Any => perRoute(matcherOf(name, content));

/** A slot that has lists of filters by name, for routes to say which of them runs: each keeps its state while routes change. */
export const slotWithLists = (lists: ReadonlyMap<string, FilterList>): Any => compositeWith(undefined, lists);

/** The same with what runs on all routes that do not fill the slot. */
export function compositeWith(matcher: Matcher | undefined, lists: ReadonlyMap<string, FilterList>): Any {
  const sorted = [...lists].sort(([one], [other]) => (one < other ? -1 : 1));
  const namedFilterChains = Object.fromEntries(
    sorted.map(([name, list]) => [name, { typedConfig: [...list.filters] }]),
  );
  return packAny(CompositeSchema, create(CompositeSchema, { namedFilterChains, ...(matcher && { matcher }) }));
}

/** What a route puts into a slot that has filters by name: that one is shared by all routes, and made once. */
export const nameInSlot = (filterChainName: string): Any => perRoute(matcherFor({ filterChainName }));

/** What a route fills a slot with in which nothing is to be run: a matcher that takes no request. */
export const switchedOff = (): Any =>
  packAny(CompositePerRouteSchema, create(CompositePerRouteSchema, { matcher: {} }));

/** A filter of the chain that routes may switch off: in a composite, for which a route may say that nothing is to be run. */
export const stepOfChain = (name: string, content: SlotContent): Any =>
  packAny(CompositeSchema, create(CompositeSchema, { matcher: matcherOf(name, content) }));

export type ActionInit = Partial<Pick<ExecuteFilterAction, 'filterChainName'>> & {
  readonly samplePercent?: MessageInitShape<typeof RuntimeFractionalPercentSchema>;
  readonly dynamicConfig?: MessageInitShape<typeof DynamicConfigSchema>;
  readonly typedConfig?: NamedFilter;
  readonly filterChain?: { readonly typedConfig: NamedFilter[] };
};

export type Matcher = Extract<MessageInitShape<typeof MatcherSchema>, { readonly $typeName?: undefined }>;

const perRoute = (matcher: Matcher): Any =>
  packAny(CompositePerRouteSchema, create(CompositePerRouteSchema, { matcher }));

/** Runs the content, for every request. */
export function matcherOf(name: string, content: SlotContent): Matcher {
  const run = (one: Any | FilterList): ActionInit =>
    'filters' in one ? { filterChain: { typedConfig: [...one.filters] } } : { typedConfig: { name, typedConfig: one } };
  if (!('otherwise' in content)) return matcherFor(run(content));
  const matchers = content.choices.map(({ predicate, filter }) => ({ predicate, onMatch: actionOf(run(filter)) }));
  return { ...matcherFor(run(content.otherwise)), matcherType: { case: 'matcherList', value: { matchers } } };
}

/** It has nothing to compare: the action is for every request. */
export const matcherFor = (action: ActionInit): Matcher => ({ onNoMatch: actionOf(action) });

export function actionOf(action: ActionInit): NonNullable<Matcher['onNoMatch']> {
  const typedConfig = packAny(ExecuteFilterActionSchema, create(ExecuteFilterActionSchema, action));
  return { onMatch: { case: 'action', value: { name: 'do', typedConfig } } };
}
