import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import type { HeaderValueOptionSchema, RouteActionSchema } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import type { SlotList } from './slot.ts';

export type FilterKey = keyof ir.RouteFilters;

/** By the name of an HTTP filter. */
export type PerFilterConfig = Readonly<Record<string, Any>>;

type HeaderOption = MessageInitShape<typeof HeaderValueOptionSchema>;

/** The four lists of header changes that Envoy's routes, virtual hosts and cluster weights have in common. */
export interface HeaderFields {
  readonly requestHeadersToAdd: readonly HeaderOption[];
  readonly requestHeadersToRemove: readonly string[];
  readonly responseHeadersToAdd: readonly HeaderOption[];
  readonly responseHeadersToRemove: readonly string[];
}

/** Of envoy.config.route.v3.RouteAction. */
export type ActionFields = Extract<MessageInitShape<typeof RouteActionSchema>, { readonly $typeName?: undefined }>;

/** What one field of ir.RouteFilters becomes in Envoy. */
export interface EnvoyFilter<K extends FilterKey> {
  /** Names of the slots that it fills: the keys of `perRoute`. Of a slot with items also these (slot-item.ts). */
  readonly slots?: (value: Value<K>) => readonly string[];
  /** By slot and item: the lists of filters that routes only name, so that the slots must have them. */
  readonly lists?: (value: Value<K>) => ReadonlyMap<string, SlotList>;
  /** `typed_per_filter_config` of a route. */
  readonly perRoute?: (value: Value<K>) => PerFilterConfig;
  /** Metadata of a route, by namespace. */
  readonly metadata?: (value: Value<K>) => Readonly<Record<string, JsonObject>>;
  /** Fields of a RouteAction that forwards requests. */
  readonly action?: (value: Value<K>) => ActionFields;
  /** A filter with these may differ from backend to backend of one route. */
  readonly headers?: (value: Value<K>) => Partial<HeaderFields>;
  /** Envoy has the filter by route only: what it is for one backend of a rule, whose route is then its own. */
  readonly join?: (ofRule: Value<K> | undefined, ofBackend: Value<K>) => Value<K>;
}

type Value<K extends FilterKey> = NonNullable<ir.RouteFilters[K]>;
