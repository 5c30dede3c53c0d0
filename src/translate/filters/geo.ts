import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { geoFile, unavailablePlace } from '../../contracts/index.ts';
import {
  EarlyHeaderMutationSchema,
  GeoipSchema,
  HeaderMutationFilterSchema,
  type HeaderMutationSchema,
  MaxMindConfigSchema,
  type PrincipalSchema,
  packAny,
  SetFilterStateSchema,
  type TypedExtensionConfigSchema,
} from '../../envoy/index.ts';
import * as ir from '../../ir/index.ts';
import { type HttpFilter, httpFilter } from '../resource/index.ts';
import { allOf, anyOf, not } from './access/principals.ts';
import { keepText } from './slot-lists.ts';

type Principal = MessageInitShape<typeof PrincipalSchema>;
type Database = ir.GeoLookup['databases'][number];

/*
 * Envoy writes what it finds into headers, and rules read filter state, which no client can write. A listener without these filters has no such state: rules
 * by location let no request in there.
 */

const databaseOf: Readonly<Record<ir.GeoField, Database>> = {
  country: 'location',
  region: 'location',
  city: 'location',
  asn: 'asn',
  organization: 'asn',
};

/** What rules compare. */
const compared = ['country', 'region', 'city', 'asn'] as const;
type Compared = (typeof compared)[number];

const stateKey = (of: Compared): string => `gatewright.geo.${of}`;

/** The listener looks addresses up in it. */
const hasKey = (database: Database): string => `gatewright.geo.has.${database}`;

interface FoundField {
  readonly field: ir.GeoField;
  readonly header: string;
}

/** What is looked up, and the headers that Envoy writes it into. */
const foundFields = ({ databases, headers }: ir.GeoLookup): readonly FoundField[] =>
  ir.geoFields.flatMap((field) => {
    const isRead = (compared as readonly string[]).includes(field) || headers[field] !== undefined;
    if (!isRead || !databases.includes(databaseOf[field])) return [];
    return { field, header: headers[field] ?? `${ir.ownHeaderPrefix}geo-${field}` };
  });

/** Takes away what clients write into these headers: Envoy leaves it where it finds nothing. */
export function withoutGeoHeaders(geo: ir.GeoLookup): MessageInitShape<typeof TypedExtensionConfigSchema> {
  const early = create(EarlyHeaderMutationSchema, { mutations: foundFields(geo).map(({ header }) => remove(header)) });
  return { name: 'gatewright.geo', typedConfig: packAny(EarlyHeaderMutationSchema, early) };
}

const remove = (value: string): MessageInitShape<typeof HeaderMutationSchema> => ({
  action: { case: 'remove', value },
});

/** They look up a request's address, keep what rules read, and leave the headers that backends are to get. */
export function geoFilters(geo: ir.GeoLookup): readonly HttpFilter[] {
  const found = foundFields(geo);
  const kept = found.flatMap(({ field, header }) =>
    isCompared(field) ? keepText(stateKey(field), `%REQ(${header})%`) : [],
  );
  const there = geo.databases.map((database) => keepText(hasKey(database), 'y'));
  const state = create(SetFilterStateSchema, { onRequestHeaders: [...there, ...kept] });
  const own = found.filter(({ header }) => ir.isOwnHeader(header)).map(({ header }) => remove(header));
  const cleanup = create(HeaderMutationFilterSchema, { mutations: { requestMutations: own } });
  return [
    httpFilter('gatewright.geo.lookup', lookup(geo, found)),
    httpFilter('gatewright.geo.state', packAny(SetFilterStateSchema, state)),
    ...(own.length > 0 ? [httpFilter('gatewright.geo.headers', packAny(HeaderMutationFilterSchema, cleanup))] : []),
  ];
}

const isCompared = (field: ir.GeoField): field is Compared => (compared as readonly string[]).includes(field);

function lookup({ databases }: ir.GeoLookup, found: readonly FoundField[]) {
  const { organization: asnOrg, ...keys } = Object.fromEntries(found.map(({ field, header }) => [field, header]));
  const config = create(MaxMindConfigSchema, {
    ...(databases.includes('location') && { cityDbPath: geoFile('location') }),
    ...(databases.includes('asn') && { asnDbPath: geoFile('asn') }),
    commonProviderConfig: { geoFieldKeys: { ...keys, ...(asnOrg !== undefined && { asnOrg }) } },
  });
  const provider = { name: 'envoy.geoip_providers.maxmind', typedConfig: packAny(MaxMindConfigSchema, config) };
  return packAny(GeoipSchema, create(GeoipSchema, { provider }));
}

/** The client's address is at one of these places. Where that cannot be known, a rule that allows does not hold, and one that `denies` does. */
export function fromLocations(locations: readonly ir.ClientLocation[], denies: boolean): Principal {
  const needed = [...new Set(locations.flatMap(databasesOf))];
  const known = allOf(needed.map(isAvailable));
  const there = anyOf(locations.map(isAt));
  return denies ? anyOf([not(known), there]) : allOf([known, there]);
}

const databasesOf = ({ country, asn }: ir.ClientLocation): readonly Database[] => [
  ...(country === undefined ? [] : (['location'] as const)),
  ...(asn === undefined ? [] : (['asn'] as const)),
];

const isAvailable = (database: Database): Principal =>
  allOf([
    stateIs(hasKey(database), 'y'),
    not(stateIs(stateKey(database === 'location' ? 'country' : 'asn'), unavailablePlace)),
  ]);

const isAt = (location: ir.ClientLocation): Principal =>
  allOf(
    compared.flatMap((field) => {
      const value = location[field];
      return value === undefined ? [] : stateIs(stateKey(field), String(value));
    }),
  );

const stateIs = (key: string, value: string): Principal => ({
  identifier: {
    case: 'filterState',
    value: { key, matcher: { case: 'stringMatch', value: { matchPattern: { case: 'exact', value } } } },
  },
});
