import { create, type JsonObject, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  MetadataSource,
  type PrincipalSchema,
  packAny,
  RBAC_Action,
  RBACFilterSchema,
  SetFilterStateSchema,
} from '../../../envoy/index.ts';
import * as ir from '../../../ir/index.ts';
import { policyOf } from '../access/client-ips.ts';
import { allOf, not } from '../access/principals.ts';
import type { FilterList, SlotContent, TableFilter } from '../slot.ts';
import { extProc } from './ext-proc.ts';
import { lua } from './lua.ts';
import { wasm } from './wasm.ts';

/*
 * Envoy 1.40 keeps the names of a chain's filters in the chain itself. A request that waits while another chain takes its place goes on with names in memory
 * that was freed, and may not find any more what its route has put into the slots behind. So a route also says in its metadata which extensions no request
 * may pass without, each of these leaves a mark, and a filter behind both denies requests without it.
 */

/** Namespace of the metadata, and beginning of the marks in filter state. */
const namespace = 'gatewright.extensions';
const markOf = (place: ir.ExtensionPlace): string => `${namespace}.${place}`;

/** Envoy's filter for an extension in its place. */
export const extension =
  (place: ir.ExtensionPlace) =>
  (value: ir.Extension): SlotContent =>
    ir.mayNotBeMissing(value) ? marked(filterOf(value), place) : filterOf(value);

function filterOf(value: ir.Extension): SlotContent {
  switch (value.kind) {
    case 'processor':
      return extProc(value);
    case 'script':
      return lua(value);
    case 'module':
      return wasm(value);
  }
}

function marked(content: SlotContent, place: ir.ExtensionPlace): SlotContent {
  if (!('otherwise' in content)) return behindMark(content, place);
  const choices = content.choices.map(({ predicate, filter }) => ({ predicate, filter: behindMark(filter, place) }));
  return { choices, otherwise: behindMark(content.otherwise, place) };
}

const behindMark = (content: Any | FilterList, place: ir.ExtensionPlace): FilterList => ({
  filters: [
    { name: 'mark', typedConfig: mark(place) },
    ...('filters' in content ? content.filters : [{ name: place, typedConfig: content }]),
  ],
});

const mark = (place: ir.ExtensionPlace): Any =>
  packAny(
    SetFilterStateSchema,
    create(SetFilterStateSchema, {
      onRequestHeaders: [
        {
          key: { case: 'objectKey', value: markOf(place) },
          factoryKey: 'envoy.string',
          value: {
            case: 'formatString',
            value: {
              format: { case: 'textFormatSource', value: { specifier: { case: 'inlineString', value: 'met' } } },
            },
          },
        },
      ],
    }),
  );

/** What a route says of the extensions that no request may pass without. */
export function extensionMetadata(traffic: ir.RouteTraffic): Readonly<Record<string, JsonObject>> {
  const places = ir.extensionPlaces.filter((place) => {
    const own = traffic[place];
    return own === 'closed' || (typeof own === 'object' && ir.mayNotBeMissing(own));
  });
  return places.length === 0 ? {} : { [namespace]: Object.fromEntries(places.map((place) => [place, true])) };
}

type Principal = MessageInitShape<typeof PrincipalSchema>;

const isDemanded = (place: ir.ExtensionPlace): Principal => ({
  identifier: {
    case: 'sourcedMetadata',
    value: {
      metadataSource: MetadataSource.ROUTE,
      metadataMatcher: {
        filter: namespace,
        path: [{ segment: { case: 'key', value: place } }],
        value: { matchPattern: { case: 'presentMatch', value: true } },
      },
    },
  },
});

const isMet = (place: ir.ExtensionPlace): Principal => ({
  identifier: {
    case: 'filterState',
    value: {
      key: markOf(place),
      matcher: { case: 'stringMatch', value: { matchPattern: { case: 'exact', value: 'met' } } },
    },
  },
});

/** Behind the slots of extensions, where the table has them. It looks at nothing by its name. */
export const extensionCheck = (slots: Readonly<Record<ir.ExtensionPlace, string>>): TableFilter => ({
  chain: 'traffic',
  filterOf: (_, names) =>
    ir.extensionPlaces.some((place) => names.has(slots[place]))
      ? { name: `${namespace}.met`, filter: deniesUnmet }
      : undefined,
});

const deniesUnmet = packAny(
  RBACFilterSchema,
  create(RBACFilterSchema, {
    rules: {
      action: RBAC_Action.DENY,
      policies: Object.fromEntries(
        ir.extensionPlaces.map((place) => [`${place} missed`, policyOf(allOf([isDemanded(place), not(isMet(place))]))]),
      ),
    },
  }),
);
