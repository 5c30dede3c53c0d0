import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { TypedExtensionConfigSchema, typeUrls } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { headContent, headName, slots, type TableContent, type TablePlace, tablePlaces } from '../filters/index.ts';
import { type ChainKind, type EnvoyResource, type Provenance, resourceOf, slotListsName } from '../resource/index.ts';
import { limitOrigins, limitsNamedIn, limitsWithout } from './limit-origins.ts';
import { trafficNamedIn, trafficOrigins, trafficWithout } from './traffic-origins.ts';

const placesIn: Readonly<Record<ChainKind, readonly TablePlace[]>> = {
  entry: tablePlaces.filter(({ chain }) => chain === 'entry'),
  access: tablePlaces.filter(({ chain }) => chain === 'access'),
  traffic: tablePlaces.filter(({ chain }) => chain === 'traffic'),
};

type Table = TableContent & Pick<ir.RouteTable, 'id'>;

/** By place, the resource that has what the table itself has there. */
export const placesAtOf = (kind: ChainKind, table: string): ReadonlyMap<string, string> =>
  new Map(
    [headName(kind), ...placesIn[kind].map(({ name }) => name)].map((name) => [name, slotListsName(name, table)]),
  );

/** ECDS: what the table itself has in each place of a chain in which requests wait. */
export const translateTablePlaces = (kind: ChainKind, { id, ...table }: Table): readonly EnvoyResource[] => [
  resourceWith(slotListsName(headName(kind), id), headContent(filledIn(kind, table)), undefined),
  ...placesIn[kind].map((place) => placeOf(place, id, place.only(table))),
];

/** Names of the places in which the table has anything. */
const filledIn = (kind: ChainKind, table: TableContent): readonly string[] => [
  ...placesIn[kind].flatMap(({ name, isFilled }) => (isFilled(table) ? name : [])),
  ...slots.flatMap(({ name, chain, apart }) => (chain === kind && apart?.runsOwn?.(table) ? name : [])),
];

const placeOf = (place: TablePlace, id: string, table: TableContent): EnvoyResource =>
  resourceWith(slotListsName(place.name, id), place.contentOf(table), provenanceOf(place, id, table));

function resourceWith(name: string, typedConfig: Any, provenance: Provenance | undefined): EnvoyResource {
  const message = create(TypedExtensionConfigSchema, { name, typedConfig });
  const made: EnvoyResource = {
    ...resourceOf(typeUrls.extension, name, TypedExtensionConfigSchema, message),
    ...(provenance && { provenance }),
    slots: { ...nothing, with: () => made, withAll: () => made, demandsIn: () => new Map() },
  };
  return made;
}

/** Of what sessions keep of chains and lists. */
const nothing: Pick<NonNullable<EnvoyResource['slots']>, 'names' | 'lists' | 'own' | 'demands'> = {
  names: new Set(),
  lists: new Map(),
  own: new Map(),
  demands: new Map(),
};

/** Its own policies alone: what proxies reject of one leaves all other places as they are. */
function provenanceOf(place: TablePlace, id: string, table: TableContent): Provenance | undefined {
  const { chain: kind } = place;
  const limits = { kind, table: table.limits, lists: new Map() };
  if (!table.limits?.levels.length && !table.traffic?.parts.length) return undefined;
  return {
    origins: () => [...trafficOrigins(kind, table.traffic), ...limitOrigins(limits)],
    namedIn: (message) => [...trafficNamedIn(kind, table.traffic, message), ...limitsNamedIn(limits, message)],
    without(_name, keys) {
      const traffic = trafficWithout(table.traffic, keys);
      const counted = limitsWithout(table.limits, keys);
      return placeOf(place, id, { ...(traffic && { traffic }), ...(counted && { limits: counted }) });
    },
  };
}
