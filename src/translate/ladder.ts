import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  HeaderValueOption_HeaderAppendAction as Append,
  CelSchema,
  EarlyHeaderMutationSchema,
  FilterChainConfigSchema,
  FilterConfigSchema,
  HeaderMutationFilterSchema,
  type HttpFilterSchema,
  type MutationsSchema,
  packAny,
  type ScopedRoutesSchema,
  SetFilterStateSchema,
  type TypedExtensionConfigSchema,
} from '../envoy/index.ts';
import * as ir from '../ir/index.ts';
import { adsSource } from './ads-source.ts';
import { exactScopeKey, fallbackScopeKey } from './names.ts';

/** Carries the scope key from filter to filter; set by us at the start of every request, removed before the backend. */
export const scopeHeader = 'x-gw-scope';

/** Name of the filter that climbs the ladder. */
const ladder = 'gatewright.ladder';

type HttpFilter = MessageInitShape<typeof HttpFilterSchema>;
/** Every chain of a proxy reads one SRDS collection, and Envoy keeps it once: the table's id is part of the key. */
export const scopedRoutes = (): MessageInitShape<typeof ScopedRoutesSchema> => ({
  name: 'routes',
  scopeKeyBuilder: {
    fragments: [
      {
        type: {
          case: 'headerValueExtractor',
          value: { name: scopeHeader, extractType: { case: 'index', value: 0 } },
        },
      },
    ],
  },
  rdsConfigSource: adsSource(),
  configSpecifier: { case: 'scopedRds', value: { scopedRdsConfigSource: adsSource() } },
});

/** Runs before Envoy looks for a scope, so that a client cannot choose one. The key is Host as the client wrote it. */
export const earlyScope = (table: string): MessageInitShape<typeof TypedExtensionConfigSchema> => {
  const header = { key: scopeHeader, value: `${table}|%REQ(:authority)%` };
  const append = { header, appendAction: Append.OVERWRITE_IF_EXISTS_OR_ADD };
  const mutations = create(EarlyHeaderMutationSchema, { mutations: [{ action: { case: 'append', value: append } }] });
  return { name: 'gatewright.scope', typedConfig: packAny(EarlyHeaderMutationSchema, mutations) };
};

/**
 * The ladder, climbed by a request for which no route was found at first: by its host in lower case and with the port
 * that scope keys are written with, then by the table's fallback scope, then (HTTPS) by the one that all tables of the
 * port share. Envoy chooses scope and route anew whenever the route cache is cleared; `resolve` makes it do so at once, since
 * `widen` asks for the outcome.
 *
 * Which filters a request passes is decided by what was found first. Exact scopes switch the ladder off, so a request
 * that finds its route there pays nothing for it; but for the second ladder (`again`), behind filters that may have changed
 * what routes are chosen by.
 */
export const ladderFilter = (table: string, again?: 'again'): HttpFilter => {
  const shared = ir.sharedTable(table);
  const filters = [
    mutation('lower', exactScopeKey(table, '%CEL(request.host.lowerAscii().split(":")[0])%')),
    clearing('again'),
    ...widening('widen', fallbackScopeKey(table)),
    ...(shared === undefined ? [] : widening('leave', fallbackScopeKey(shared))),
  ];
  const chain = create(FilterChainConfigSchema, { defaultFilterChain: { filters } });
  return {
    name: again ? `${ladder}-${again}` : ladder,
    configType: { case: 'typedConfig', value: packAny(FilterChainConfigSchema, chain) },
  };
};

/** A filter of the ladder. */
type Rung = MessageInitShape<typeof TypedExtensionConfigSchema>;

/** Takes a request that still has no route to another scope. An empty value changes nothing. Every route of ours has a name. */
const widening = (name: string, scopeKey: string): Rung[] => [
  mutation(`resolve-${name}`),
  mutation(name, `%CEL(has(xds.route_name) ? '' : '${scopeKey}')%`),
  clearing(`after-${name}`),
];

const mutation = (name: string, value?: string): Rung => {
  const config = create(HeaderMutationFilterSchema, { mutations: value === undefined ? {} : setScope(value) });
  return { name, typedConfig: packAny(HeaderMutationFilterSchema, config) };
};

const setScope = (value: string): MessageInitShape<typeof MutationsSchema> => {
  const append = { header: { key: scopeHeader, value }, appendAction: Append.OVERWRITE_IF_EXISTS_OR_ADD };
  return { requestMutations: [{ action: { case: 'append', value: append } }], formatters: [celFormatter] };
};

const celFormatter: MessageInitShape<typeof TypedExtensionConfigSchema> = {
  name: 'envoy.formatter.cel',
  typedConfig: packAny(CelSchema, create(CelSchema, { celConfig: { enableStringFunctions: true } })),
};

const clearing = (name: string): Rung => ({
  name,
  typedConfig: packAny(SetFilterStateSchema, create(SetFilterStateSchema, { clearRouteCache: true })),
});

/** For the RouteConfiguration of an exact scope: a request that finds a route here need not climb. */
export const ladderOff: Readonly<Record<string, Any>> = {
  [ladder]: packAny(FilterConfigSchema, create(FilterConfigSchema, { disabled: true })),
};
