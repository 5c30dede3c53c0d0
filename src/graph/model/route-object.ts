import type { ObjectByKind, RouteKindName } from '../../gateway-api/index.ts';

/** A route of whatever kind. */
export type RouteObject = ObjectByKind[RouteKindName];

/** A route of requests: it chooses by what is in them. The others are routes of connections or datagrams. */
export type HttpRouteObject = ObjectByKind['HTTPRoute' | 'GRPCRoute'];
