import { create, type JsonObject, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  HeaderValueOption_HeaderAppendAction as Append,
  EarlyHeaderMutationSchema,
  FilterConfigSchema,
  type HttpFilterSchema,
  packAny,
  type ScopedRoutesSchema,
  type TypedExtensionConfigSchema,
  TypedStructSchema,
} from '../envoy/index.ts';
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
 * that scope keys are written with, then by the table's fallback scope. Envoy chooses scope and route anew whenever the
 * route cache is cleared; `resolve` makes it do so at once, since `widen` asks for the outcome.
 *
 * Which filters a request passes is decided by what was found first. Exact scopes switch the ladder off, so a request
 * that finds its route there pays nothing for it.
 */
export const ladderFilter = (table: string): HttpFilter => {
  const filters = [
    mutation('lower', exactScopeKey(table, '%CEL(request.host.lowerAscii().split(":")[0])%')),
    clearing('again'),
    mutation('resolve'),
    // An empty value changes nothing. Every route of ours has a name.
    mutation('widen', `%CEL(has(xds.route_name) ? '' : '${fallbackScopeKey(table)}')%`),
    clearing('last'),
  ];
  // FilterChainConfig is not among our generated types.
  const chain = create(TypedStructSchema, {
    typeUrl: 'type.googleapis.com/envoy.extensions.filters.http.filter_chain.v3.FilterChainConfig',
    value: { default_filter_chain: { filters } },
  });
  return { name: ladder, configType: { case: 'typedConfig', value: packAny(TypedStructSchema, chain) } };
};

/** A step in protobuf's JSON. */
type Step = { readonly name: string; readonly typed_config: JsonObject };

const mutation = (name: string, value?: string): Step => ({
  name,
  typed_config: {
    '@type': 'type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutation',
    mutations:
      value === undefined
        ? {}
        : {
            request_mutations: [
              {
                append: { header: { key: scopeHeader, value }, append_action: 'OVERWRITE_IF_EXISTS_OR_ADD' },
              },
            ],
            formatters: [celFormatter],
          },
  },
});

const celFormatter = {
  name: 'envoy.formatter.cel',
  typed_config: {
    '@type': 'type.googleapis.com/envoy.extensions.formatter.cel.v3.Cel',
    cel_config: { enable_string_functions: true },
  },
};

const clearing = (name: string): Step => ({
  name,
  typed_config: {
    '@type': 'type.googleapis.com/envoy.extensions.filters.http.set_filter_state.v3.Config',
    clear_route_cache: true,
  },
});

/** For the RouteConfiguration of an exact scope: a request that finds a route here need not climb. */
export const ladderOff: Readonly<Record<string, Any>> = {
  [ladder]: packAny(FilterConfigSchema, create(FilterConfigSchema, { disabled: true })),
};
