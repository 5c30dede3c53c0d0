import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  CelSchema,
  EarlyHeaderMutationSchema,
  FilterConfigSchema,
  HeaderMutationFilterSchema,
  HeaderMutationPerRouteSchema,
  HeaderValueOption_HeaderAppendAction as Append,
  type HeaderMutationSchema,
  type HttpFilterSchema,
  packAny,
  type ScopedRoutesSchema,
  SetFilterStateSchema,
} from '../envoy/index.ts';
import { adsSource } from './ads-source.ts';
import { exactScopeName, fallbackScopeName } from './names.ts';

/** Carries the scope key from filter to filter; set by us at the start of every request, removed before the backend. */
export const scopeHeader = 'x-gw-scope';

type HttpFilter = MessageInitShape<typeof HttpFilterSchema>;
type Mutation = MessageInitShape<typeof HeaderMutationSchema>;

const setScope = (value: string): Mutation => ({
  action: { case: 'append', value: { header: { key: scopeHeader, value }, appendAction: Append.OVERWRITE_IF_EXISTS_OR_ADD } },
});

/** Every table of a proxy reads one SRDS collection: the table's id is part of the key. */
export const scopedRoutes = (): MessageInitShape<typeof ScopedRoutesSchema> => ({
  name: 'routes',
  scopeKeyBuilder: {
    fragments: [{ type: { case: 'headerValueExtractor', value: { name: scopeHeader, extractType: { case: 'index', value: 0 } } } }],
  },
  rdsConfigSource: adsSource(),
  configSpecifier: { case: 'scopedRds', value: { scopedRdsConfigSource: adsSource() } },
});

/** Runs before Envoy looks for a scope, so that a client cannot choose one. */
export const earlyScope = (table: string) => ({
  name: 'gatewright.scope',
  typedConfig: packAny(
    EarlyHeaderMutationSchema,
    create(EarlyHeaderMutationSchema, { mutations: [setScope(exactScopeName(table, '%REQ(:authority)%'))] }),
  ),
});

const typed = (name: string, value: Any): HttpFilter => ({ name, configType: { case: 'typedConfig', value } });

const headerFilter = (name: string, mutations: Mutation[], withCel = false): HttpFilter =>
  typed(
    name,
    packAny(
      HeaderMutationFilterSchema,
      create(HeaderMutationFilterSchema, {
        mutations: { requestMutations: mutations, ...(withCel && { formatters: [celFormatter()] }) },
        mostSpecificHeaderMutationsWins: true,
      }),
    ),
  );

const celFormatter = () => ({
  name: 'envoy.formatter.cel',
  typedConfig: packAny(CelSchema, create(CelSchema, { celConfig: { enableStringFunctions: true } })),
});

/** Makes Envoy look for scope and route again. It has to set something; the value says nothing. */
const clearing = (name: string): Any =>
  packAny(
    SetFilterStateSchema,
    create(SetFilterStateSchema, {
      clearRouteCache: true,
      onRequestHeaders: [
        {
          key: { case: 'objectKey', value: name },
          factoryKey: 'envoy.string',
          value: { case: 'formatString', value: { format: { case: 'textFormatSource', value: { specifier: { case: 'inlineString', value: '-' } } } } },
        },
      ],
    }),
  );

const steps = { lower: 'gatewright.lower', again: 'gatewright.again', resolve: 'gatewright.resolve', widen: 'gatewright.widen', last: 'gatewright.last' };

/**
 * The ladder that a request climbs when its Host is not a scope's key as written: the host in lower case, then the
 * table's fallback scope. Exact scopes switch it off, so an ordinary request pays nothing for it.
 */
export const ladderFilters = (table: string): HttpFilter[] => [
  headerFilter(steps.lower, [setScope(exactScopeName(table, '%CEL(request.host.lowerAscii())%'))], true),
  typed(steps.again, clearing(steps.again)),
  headerFilter(steps.resolve, []),
  headerFilter(steps.widen, [setScope(fallbackScopeName(table))]),
  typed(steps.last, clearing(steps.last)),
];

type PerFilterConfig = Record<string, Any>;

const disabled = (): Any => packAny(FilterConfigSchema, create(FilterConfigSchema, { disabled: true }));

const perRoute = (mutations: Mutation[]): Any =>
  packAny(HeaderMutationPerRouteSchema, create(HeaderMutationPerRouteSchema, { mutations: { requestMutations: mutations } }));

/** For the RouteConfiguration of an exact scope: the request has arrived. */
export const arrived = (table: string, host: string): PerFilterConfig => ({
  [steps.lower]: disabled(),
  [steps.again]: disabled(),
  [steps.last]: disabled(),
  // Reached with the ladder on, from a Host that was not written in lower case.
  [steps.widen]: perRoute([setScope(exactScopeName(table, host))]),
});

/** For the last route of an exact scope: no rule of the host matched, so those of its wildcards have their turn. */
export const fallingThrough = (table: string): PerFilterConfig => ({
  [steps.widen]: perRoute([setScope(fallbackScopeName(table))]),
  [steps.last]: packAny(FilterConfigSchema, create(FilterConfigSchema, { config: clearing(steps.last) })),
});
