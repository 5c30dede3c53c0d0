import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  HeaderValueOption_HeaderAppendAction as Append,
  EarlyHeaderMutationSchema,
  FilterChainConfigSchema,
  FilterConfigSchema,
  HeaderMutationFilterSchema,
  HeaderMutationPerRouteSchema,
  type HttpFilterSchema,
  type MutationsSchema,
  packAny,
  type ScopedRoutesSchema,
  SetFilterStateSchema,
  type TypedExtensionConfigSchema,
} from '../../envoy/index.ts';
import * as ir from '../../ir/index.ts';
import {
  adsSource,
  celFormatter,
  exactScopeKey,
  fallbackScopeKey,
  partScopeKey,
  restOfHost,
  withoutOwnHeaders,
} from '../resource/index.ts';
import { hostCheck } from './host-check.ts';

/** Carries the scope key from filter to filter; set by us at the start of every request, removed before the backend. */
export const scopeHeader = 'x-gw-scope';

/** Its name is a contract with Envoy’s statistics. */
const filterName = 'gatewright.ladder';

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
  const mutations = create(EarlyHeaderMutationSchema, {
    mutations: [withoutOwnHeaders, { action: { case: 'append', value: append } }],
  });
  return { name: 'gatewright.scope', typedConfig: packAny(EarlyHeaderMutationSchema, mutations) };
};

/**
 * Fallthrough of a request for which no route was found at first: by its host in lower case and with the port
 * that scope keys are written with, then by the table's fallback scope, then (HTTPS) by the one that all tables of the
 * port share. On a host that is cut up (host-cut.ts) it goes on to the part for its path, then to the rest of the host, then to the
 * fallback scope. Envoy chooses scope and route again whenever the route cache is cleared; `resolve` makes it do so at once, since
 * `widen` asks for the outcome, and lets the route that was found say where to go on.
 *
 * Which filters a request passes is decided by what was found first. Exact scopes switch it off, so a request
 * that finds its route there pays nothing for it. The second fallthrough (`again`) is behind servers that may have changed what routes are
 * chosen by. It has the same name, so it is off wherever the first one is: a request that found its route goes on to no other host, whose
 * filters it would not pass.
 */
export const fallthroughFilter = (table: string, again?: 'again'): HttpFilter => {
  const shared = ir.sharedTable(table);
  const filters = [
    ...(again ? [] : [hostCheck]),
    mutation('lower', exactScopeKey(table, '%CEL(request.host.lowerAscii().split(":")[0])%')),
    clearing('again'),
    mutation(`resolve-${enterPart}`),
    clearing(`after-${enterPart}`),
    ...widening('widen', `${isInPart} ? ${restOfIt} : '${fallbackScopeKey(table)}'`),
    mutation(`resolve-${leaveHost}`),
    ...(shared === undefined ? [] : [mutation(leaveHost, unlessFound(`'${fallbackScopeKey(shared)}'`))]),
    clearing(`after-${leaveHost}`),
  ];
  const chain = create(FilterChainConfigSchema, { defaultFilterChain: { filters } });
  return {
    name: filterName,
    configType: { case: 'typedConfig', value: packAny(FilterChainConfigSchema, chain) },
  };
};

/** A filter of the chain. */
type FallthroughFilter = MessageInitShape<typeof TypedExtensionConfigSchema>;

/** Where a host that is cut up says what part is to be looked at. */
const enterPart = 'enter-part';
/** Where the rest of a host that is cut up says that others follow; HTTPS: where hosts of other listeners are looked up. */
const leaveHost = 'leave';

// As partScopeKey makes it.
const partsOfKey = `request.headers['${scopeHeader}'].split('|')`;
const isInPart = `size(${partsOfKey}) > 2`;
const restOfIt = `${partsOfKey}[0] + '|' + ${partsOfKey}[1] + '|${restOfHost}'`;

/** Takes a request that still has no route to another scope. */
const widening = (name: string, scopeKey: string): FallthroughFilter[] => [
  mutation(`resolve-${name}`),
  mutation(name, unlessFound(scopeKey)),
  clearing(`after-${name}`),
];

/** An empty value changes nothing. Every route of ours has a name. */
const unlessFound = (scopeKey: string): string => `%CEL(has(xds.route_name) ? '' : ${scopeKey})%`;

/** For the scope of a host that is cut up: its requests go on to the part that their path's first `segments` are for. */
export const entersPart = (table: string, host: string, segments: number): Readonly<Record<string, Any>> => {
  const pieces = `request.url_path.split('/', ${segments + 2})`;
  const beginning = Array.from({ length: segments }, (_, at) => `'/' + ${pieces}[${at + 1}]`).join(' + ');
  return goingOn(enterPart, partScopeKey(table, host, `%CEL(${beginning})%`));
};

/** For the last route of such a host: what is left goes on to the table's other hosts. */
export const leavesHost = (table: string): Readonly<Record<string, Any>> => goingOn(leaveHost, fallbackScopeKey(table));

const goingOn = (step: string, scopeKey: string): Readonly<Record<string, Any>> => ({
  [`resolve-${step}`]: packAny(
    HeaderMutationPerRouteSchema,
    create(HeaderMutationPerRouteSchema, { mutations: setScope(scopeKey) }),
  ),
});

const mutation = (name: string, value?: string): FallthroughFilter => {
  const config = create(HeaderMutationFilterSchema, { mutations: value === undefined ? {} : setScope(value) });
  return { name, typedConfig: packAny(HeaderMutationFilterSchema, config) };
};

const setScope = (value: string): MessageInitShape<typeof MutationsSchema> => {
  const append = { header: { key: scopeHeader, value }, appendAction: Append.OVERWRITE_IF_EXISTS_OR_ADD };
  return { requestMutations: [{ action: { case: 'append', value: append } }], formatters: [celFormatter] };
};

const clearing = (name: string): FallthroughFilter => ({
  name,
  typedConfig: packAny(SetFilterStateSchema, create(SetFilterStateSchema, { clearRouteCache: true })),
});

/** For the RouteConfiguration of an exact scope: a request that finds a route here need not fall through, unless a server is asked first. */
export const fallthroughOff: Readonly<Record<string, Any>> = {
  [filterName]: packAny(FilterConfigSchema, create(FilterConfigSchema, { disabled: true })),
};
