import type { JsonObject } from '@bufbuild/protobuf';
import type * as ir from '../../ir/index.ts';
import type { ActionFields, EnvoyFilter, FilterKey, HeaderFields, PerFilterConfig } from './envoy-filter.ts';
import { envoyFilters } from './envoy-filters.ts';
import type { SlotList } from './slot.ts';

type MetadataInit = { readonly filterMetadata: Record<string, JsonObject> };

type AnyFilter = EnvoyFilter<FilterKey>;

// A filter is only ever given the value of its own key: that is not followed by the types of the entries.
const all = Object.entries(envoyFilters) as unknown as readonly (readonly [FilterKey, AnyFilter])[];

/** What is made of each filter that is there. */
const each = <T>(
  filters: ir.RouteFilters | undefined,
  make: (filter: AnyFilter, value: NonNullable<ir.RouteFilters[FilterKey]>) => T | undefined,
): readonly T[] =>
  filters === undefined
    ? []
    : all.flatMap(([key, filter]) => {
        const value = filters[key];
        return (value === undefined ? undefined : make(filter, value)) ?? [];
      });

/** Names of the slots that these filters fill. */
export const slotsOfFilters = (filters: ir.RouteFilters | undefined): readonly string[] =>
  each(filters, (filter, value) => filter.slots?.(value)).flat();

/** The lists of filters that these name in slots, by slot and item. */
export const listsOfFilters = (filters: ir.RouteFilters | undefined): ReadonlyMap<string, SlotList> =>
  new Map(each(filters, (filter, value) => filter.lists?.(value)).flatMap((lists) => [...lists]));

export const perRouteConfig = (filters: ir.RouteFilters | undefined): PerFilterConfig =>
  Object.assign({}, ...each(filters, (filter, value) => filter.perRoute?.(value)));

/** Undefined: none. */
export function metadataOfFilters(filters: ir.RouteFilters | undefined): MetadataInit | undefined {
  const filterMetadata = Object.assign({}, ...each(filters, (filter, value) => filter.metadata?.(value)));
  return Object.keys(filterMetadata).length > 0 ? { filterMetadata } : undefined;
}

export const filterActionFields = (filters: ir.RouteFilters | undefined): ActionFields =>
  Object.assign({}, ...each(filters, (filter, value) => filter.action?.(value)));

/** Whether a backend has filters that can be written into its weight. */
export const changesHeaders = (filters: ir.RouteFilters | undefined): boolean =>
  each(filters, ({ headers }) => headers).length > 0;

/** Header changes of one or more levels, in the order in which they shall take effect. Envoy removes before it adds. */
export function headerFields(...levels: readonly (ir.RouteFilters | undefined)[]) {
  const changes = levels.flatMap((filters) => each(filters, (filter, value) => filter.headers?.(value)));
  const joined = <F extends keyof HeaderFields>(field: F) => changes.flatMap((change) => [...(change[field] ?? [])]);
  return {
    requestHeadersToAdd: joined('requestHeadersToAdd'),
    requestHeadersToRemove: joined('requestHeadersToRemove'),
    responseHeadersToAdd: joined('responseHeadersToAdd'),
    responseHeadersToRemove: joined('responseHeadersToRemove'),
  };
}

/** Whether a backend has filters that Envoy has by route only. */
export const needsOwnRoute = (filters: ir.RouteFilters | undefined): boolean =>
  each(filters, ({ join }) => join).length > 0;

/** The filters of a rule as they are for one of its backends; those that can be written into its weight are left out. */
export function joinFilters(ofRule: ir.RouteFilters = {}, ofBackend: ir.RouteFilters = {}): ir.RouteFilters {
  const joined = all.flatMap(([key, { join }]) => {
    const value = ofBackend[key];
    return join && value !== undefined ? [[key, join(ofRule[key], value)]] : [];
  });
  return { ...ofRule, ...Object.fromEntries(joined) };
}
