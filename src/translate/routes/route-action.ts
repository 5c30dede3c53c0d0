import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  RedirectAction_RedirectResponseCode as Code,
  DirectResponseActionSchema,
  RouteAction_ClusterNotFoundResponseCode as NotFound,
  RedirectActionSchema,
  RouteActionSchema,
  type WeightedCluster_ClusterWeightSchema,
} from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import {
  changesHeaders,
  filterActionFields,
  headerFields,
  shareSession,
  sharesName,
  upstreamHeader,
} from '../filters/index.ts';
import { clusterName, durationOf, hashPolicy, invalidCluster } from '../resource/index.ts';
import { forwardPath, redirectPath, replacementOf } from './path-rewrite.ts';
import { retryPolicy } from './retry-policy.ts';
import { upgradeConfigs } from './upgrades.ts';

/** The action of a route, as Envoy's oneof. `host` is the virtual host's name when it is exact. */
export function translateAction(route: ir.Route, host: string) {
  const { action } = route.rule;
  switch (action.kind) {
    case 'respond':
      return { case: 'directResponse' as const, value: respond(action) };
    case 'redirect':
      return { case: 'redirect' as const, value: redirect(action, host) };
    case 'forward':
      return { case: 'route' as const, value: forward(route, action) };
  }
}

const respond = ({ status, answer }: ir.RespondAction) =>
  create(DirectResponseActionSchema, {
    status,
    ...(answer?.body !== undefined && { body: { specifier: { case: 'inlineString', value: answer.body } } }),
  });

/** Whether header changes of rule and backends are written into each share, for Envoy runs a share's before its route's. */
export const compilesHeadersIntoShares = ({ action }: ir.RouteRule): boolean =>
  action.kind === 'forward' && action.backends.some(({ filters }) => changesHeaders(filters));

const redirectCodes: Readonly<Record<number, Code>> = {
  301: Code.MOVED_PERMANENTLY,
  302: Code.FOUND,
  303: Code.SEE_OTHER,
  307: Code.TEMPORARY_REDIRECT,
  308: Code.PERMANENT_REDIRECT,
};

export const isWildcard = (host: string): boolean => host.startsWith('*');

/**
 * Whether Location would show the port that the client wrote into Host, though none is to be printed. With an exact host
 * Location names that host, and with a port of its own Envoy replaces what was there.
 */
export const leaksPort = ({ action }: ir.RouteRule, virtualHost: string): boolean =>
  action.kind === 'redirect' && isWildcard(virtualHost) && action.host === undefined && action.port === undefined;

function redirect({ scheme, host, port, path, stripQuery, statusCode }: ir.RedirectAction, virtualHost: string) {
  const hostRedirect = host ?? (isWildcard(virtualHost) ? '' : virtualHost);
  return create(RedirectActionSchema, {
    ...(scheme && { schemeRewriteSpecifier: { case: 'schemeRedirect' as const, value: scheme } }),
    hostRedirect,
    ...(port !== undefined && { portRedirect: port }),
    ...(path && { pathRewriteSpecifier: redirectPath(path) }),
    ...(stripQuery && { stripQuery }),
    responseCode: redirectCodes[statusCode] ?? Code.FOUND,
  });
}

function forward(route: ir.Route, action: ir.ForwardAction) {
  const { rule } = route;
  const { rewrite, requestTimeoutMs = 0, streamIdleTimeoutMs, maxStreamDurationMs, hash = [], filters } = rule;
  return create(RouteActionSchema, {
    clusterSpecifier: clusterSpecifier(rule, action),
    clusterNotFoundResponseCode:
      action.invalidStatus === 503 ? NotFound.SERVICE_UNAVAILABLE : NotFound.INTERNAL_SERVER_ERROR,
    // Always written: Envoy's default is 15 s, the Gateway API's is none.
    timeout: durationOf(requestTimeoutMs),
    ...(streamIdleTimeoutMs !== undefined && { idleTimeout: durationOf(streamIdleTimeoutMs) }),
    ...(maxStreamDurationMs !== undefined && {
      maxStreamDuration: { maxStreamDuration: durationOf(maxStreamDurationMs) },
    }),
    retryPolicy: retryPolicy(rule),
    ...(hash.length > 0 && { hashPolicy: hash.map(hashPolicy) }),
    ...filterActionFields(filters),
    ...upgradeConfigs(route),
    ...hostFields(rewrite),
    ...(rewrite?.forwardsHost && { appendXForwardedHost: true }),
    ...(rewrite?.path && forwardPath(rewrite.path)),
  });
}

function hostFields({ host, hostFrom }: ir.UrlRewrite = {}) {
  if (hostFrom?.kind === 'header')
    return { hostRewriteSpecifier: { case: 'hostRewriteHeader' as const, value: hostFrom.name } };
  if (hostFrom)
    return { hostRewriteSpecifier: { case: 'hostRewritePathRegex' as const, value: replacementOf(hostFrom) } };
  return host === undefined ? {} : { hostRewriteSpecifier: { case: 'hostRewriteLiteral' as const, value: host } };
}

function clusterSpecifier(rule: ir.RouteRule, { backends }: ir.ForwardAction) {
  const [only] = backends;
  if (backends.length === 1 && only?.backend !== undefined && !only.session && !compilesHeadersIntoShares(rule)) {
    return { case: 'cluster' as const, value: clusterName(only.backend) };
  }
  return {
    case: 'weightedClusters' as const,
    value: { clusters: backends.map((share) => weightedShare(rule, share, sharesName(backends, share))) },
  };
}

function weightedShare(
  rule: ir.RouteRule,
  share: ir.WeightedBackend,
  sharesSession: boolean,
): MessageInitShape<typeof WeightedCluster_ClusterWeightSchema> {
  const { responseHeadersToAdd = [], ...headers } = compilesHeadersIntoShares(rule)
    ? headerFields(rule.filters, share.filters)
    : {};
  return {
    name: share.backend === undefined ? invalidCluster : clusterName(share.backend),
    weight: share.weight,
    typedPerFilterConfig: shareSession(share, sharesSession),
    ...headers,
    responseHeadersToAdd: [...responseHeadersToAdd, ...upstreamHeader(share)],
  };
}
