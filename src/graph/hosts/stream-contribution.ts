import { compareSpecificity } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import { compareText } from '../model/index.ts';

/** What one route contributes to one host of one stream table. */
export interface StreamContribution {
  /** `KIND/NAMESPACE/NAME` of the route. */
  readonly source: string;
  /** ir.Gateway.key of the proxies. */
  readonly gateway: string;
  /** Key of the Gateway that it came through. */
  readonly parent: string;
  readonly table: string;
  /** The intersection of the listener's and the route's hostname. */
  readonly host: string;
  /** The route's own hostname; `*` when it has none. Decides between routes with the same intersection. */
  readonly original: string;
  /** Creation time of the route; the oldest one is served. */
  readonly created: string;
  readonly shares: readonly ir.StreamShare[];
  /** What policies of the route demand of its clients. */
  readonly access?: ir.RouteAccess;
}

/** Identifies what one route contributes anywhere. */
export const streamPlace = ({ gateway, table, host, source, original }: StreamContribution): string =>
  `${gateway} ${table} ${host} ${source} ${original}`;

/**
 * Negative when `a` is served rather than `b`, where both are for one host: connections cannot be shared out between
 * routes. Total. Source: Gateway API, "Conflicts" of the API design guide; GatewayRouteHostnameIntersectionPrecedence.
 */
export const compareStreams = (a: StreamContribution, b: StreamContribution): number =>
  compareSpecificity(a.original, b.original) || compareText(a.created, b.created) || compareText(a.source, b.source);
