import { create, toBinary } from '@bufbuild/protobuf';
import { HeaderValueOption_HeaderAppendAction as Append, RouteSchema } from '../../envoy/index.ts';
import { mergePatch } from '../../envoy-patch/index.ts';
import * as ir from '../../ir/index.ts';
import { LruMap } from '../../std/memory/index.ts';
import { headerFields, metadataOfFilters, perRouteConfig, takesGrpcWeb } from '../filters/index.ts';
import { retryOnHeader, routeLogMetadata } from '../resource/index.ts';
import { closedRoute } from './closed-route.ts';
import { repeatsOnlyUnprocessed } from './retry-policy.ts';
import { compilesHeadersIntoShares, isWildcard, leaksPort, translateAction } from './route-action.ts';
import { translateMatch } from './route-match.ts';
import { routeTracing } from './route-tracing.ts';
import { type RulePart, splitRule } from './split.ts';
import { rejectedUpgrades } from './upgrades.ts';

type Variants = Map<string, readonly Uint8Array[]>;

// A host is made again when any of its routes changes, with what the others came to.
const encoded = new WeakMap<ir.Route, Variants>();
// A host with one route is made again when that changes: what it came to is of use only for the route's other hosts, one after the other.
const encodedAlone = new LruMap<ir.Route, Variants>(256);

/** The encoded envoy.config.route.v3.Routes that a route of a host comes to, in order. Only a redirect reads differently on different hosts, and on wildcards alike. */
export function encodeRoute(route: ir.Route, { host, routes }: ir.VirtualHost): readonly Uint8Array[] {
  const kept = routes.length > 1 ? encoded : encodedAlone;
  const variant = route.rule.action.kind === 'redirect' && !isWildcard(host) ? host : '';
  const variants: Variants = kept.get(route) ?? new Map();
  kept.set(route, variants);
  const known = variants.get(variant);
  if (known) return known;
  const bytes = tryEncode(route, host);
  variants.set(variant, bytes);
  return bytes;
}

/** Why a route cannot be written down at all, such as a number that is none of Envoy's: it is left out wherever it stands. */
const faults = new WeakMap<ir.Route, string>();

/** Undefined unless encodeRoute has failed. */
export const encodingFault = (route: ir.Route): string | undefined => faults.get(route);

function tryEncode(route: ir.Route, host: string): readonly Uint8Array[] {
  try {
    return [
      ...rejectedUpgrades(route),
      ...splitRule(route.rule).map((part) => toBinary(RouteSchema, translateRoute(route, part, host))),
    ];
  } catch (error) {
    faults.set(route, error instanceof Error ? error.message : String(error));
    const closed = closedRoute(route);
    return closed ? tryEncode(closed, host) : [];
  }
}

function translateRoute({ id, match }: ir.Route, { rule, upToMillionths }: RulePart, host: string) {
  const opensTunnel = ir.opensTunnel({ id, match, rule });
  const {
    responseHeadersToAdd = [],
    requestHeadersToRemove = [],
    ...headers
  } = compilesHeadersIntoShares(rule) ? {} : headerFields(rule.filters);
  const metadata = metadataOf(rule);
  return create(RouteSchema, {
    name: id,
    match: translateMatch(match, { upToMillionths, takesGrpcWeb: takesGrpcWeb(rule.filters), opensTunnel }),
    action: patchedAction({ id, match, rule }, host),
    typedPerFilterConfig: perRouteConfig(rule.filters),
    ...(metadata && { metadata }),
    ...(rule.tracing && { tracing: routeTracing(rule.tracing) }),
    ...headers,
    requestHeadersToRemove: [...(repeatsOnlyUnprocessed(rule) ? [retryOnHeader] : []), ...requestHeadersToRemove],
    responseHeadersToAdd: [
      ...(leaksPort(rule, host) ? [locationWithoutPort] : []),
      ...headersOfAnswer(rule),
      ...responseHeadersToAdd,
    ],
  });
}

function metadataOf({ filters, accessLog }: ir.RouteRule) {
  const ofFilters = metadataOfFilters(filters);
  if (!accessLog) return ofFilters;
  return { filterMetadata: { ...ofFilters?.filterMetadata, ...routeLogMetadata(accessLog) } };
}

/** A patch changes how requests are forwarded, and does nothing where they are not. */
function patchedAction(route: ir.Route, host: string) {
  const { rule } = route;
  const action = translateAction(route, host);
  if (rule.patch && action.case === 'route') mergePatch('routeAction', action.value, rule.patch.routeAction);
  return action;
}

/** A `%` begins a command of Envoy's formatter; users mean the sign itself. */
const headersOfAnswer = ({ action }: ir.RouteRule) =>
  (action.kind === 'respond' ? (action.answer?.headers ?? []) : []).map(({ name, value }) => ({
    header: { key: name, value: value.replaceAll('%', '%%') },
    appendAction: Append.OVERWRITE_IF_EXISTS_OR_ADD,
  }));

/** Cuts the port out of Location's authority; Envoy has no field for that. */
const locationWithoutPort = {
  header: {
    key: 'location',
    value: `%CEL(re.extract(response.headers['location'], '^(https?://(?:[[][^]]*[]]|[^:/]*))(:[0-9]+)?(.*)$', '\\\\1\\\\3'))%`,
  },
  appendAction: Append.OVERWRITE_IF_EXISTS,
};
