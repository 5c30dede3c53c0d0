import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { CompositePerRouteSchema, packAny } from '../../../envoy/index.ts';
import * as ir from '../../../ir/index.ts';
import type { EnvoyFilter, PerFilterConfig } from '../envoy-filter.ts';
import { emptySlot, fillSlot, type Slot, stepOfChain, type TableFilter } from '../slot.ts';
import { accessFilter, identityHeaders, withoutIdentity } from './access-filters.ts';

/** What routes add, in slots: `rt` of policies for a whole route, `ru` of those for one rule. */
const levels = { route: 'rt', rule: 'ru' } as const;
type Level = keyof typeof levels;

const slotName = (level: Level, part: ir.AccessPart): string => `gatewright.${levels[level]}.${part}`;

/** A filter of the table that routes may switch off goes by this name. Any other name is one that no route can know. */
const tableName = (part: ir.AccessPart): string => `gatewright.gw.${part}`;

/** What policies of Gateways demand of every request of the table. */
const ofTable = (part: ir.AccessPart): TableFilter => ({
  chain: 'access',
  filterOf({ access }) {
    const filter = access && accessFilter(part, access);
    if (!access || !filter) return undefined;
    const name = access.overridable.includes(part) ? tableName(part) : `${tableName(part)}!`;
    return { name, filter: stepOfChain(part, filter) };
  },
});

const slotOf = (level: Level, part: ir.AccessPart): Slot => ({
  name: slotName(level, part),
  chain: 'access',
  protects: true,
  filter: emptySlot,
});

const strip: TableFilter = {
  chain: 'access',
  filterOf({ access }) {
    const headers = access ? identityHeaders(access) : [];
    return headers.length > 0 ? { name: 'gatewright.gw.strip', filter: withoutIdentity(headers) } : undefined;
  },
};

const stripName = (level: Level): string => `gatewright.${levels[level]}.strip`;

const stripSlot = (level: Level): Slot => ({
  name: stripName(level),
  chain: 'access',
  protects: true,
  filter: emptySlot,
});

/** Each part of a route removes its own headers, but for the parts of which one is enough: those that do not run cannot. */
const strippedBy = (demanded: ir.Access): readonly string[] => (demanded.any ? identityHeaders(demanded) : []);

/** Before all that may write them, clients' own identity headers go. Then part by part, and each part first for the Gateway, then for the route, then for the rule. */
export const accessSteps: readonly (Slot | TableFilter)[] = [
  strip,
  stripSlot('route'),
  stripSlot('rule'),
  ...ir.accessParts.flatMap((part) => [ofTable(part), slotOf('route', part), slotOf('rule', part)]),
];

/** What an upper level demands is switched off by a matcher that takes no request. */
const switchedOff = (): Any => packAny(CompositePerRouteSchema, create(CompositePerRouteSchema, { matcher: {} }));

export const access: EnvoyFilter<'access'> = {
  slots: (demands) =>
    levelsOf(demands).flatMap(([level, demanded]) => [
      ...(strippedBy(demanded).length > 0 ? [stripName(level)] : []),
      ...partsOf(demanded).map((part) => slotName(level, part)),
    ]),
  perRoute: ({ overrides = [], ...demands }) => ({
    ...addedBy(demands),
    ...Object.fromEntries(overrides.map((part) => [tableName(part), switchedOff()])),
  }),
};

const levelsOf = (demands: ir.RouteAccess): readonly (readonly [Level, ir.Access])[] =>
  (Object.keys(levels) as Level[]).flatMap((level) => {
    const demanded = demands[level];
    return demanded ? [[level, demanded] as const] : [];
  });

const partsOf = (demanded: ir.Access): readonly ir.AccessPart[] =>
  ir.accessParts.filter((part) => demanded[part] !== undefined || demanded.closed?.includes(part));

const addedBy = (demands: ir.RouteAccess): PerFilterConfig =>
  Object.fromEntries(
    levelsOf(demands).flatMap(([level, demanded]) => [
      ...strippedAt(level, strippedBy(demanded)),
      ...partsOf(demanded).flatMap((part) => {
        const filter = accessFilter(part, demanded);
        return filter ? [[slotName(level, part), fillSlot(part, filter)] as const] : [];
      }),
    ]),
  );

const strippedAt = (level: Level, headers: readonly string[]): (readonly [string, Any])[] =>
  headers.length > 0 ? [[stripName(level), fillSlot('strip', withoutIdentity(headers))]] : [];
