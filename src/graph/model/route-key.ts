import { isRouteKind, keyOf, kinds, type ObjectByKind, type RouteKindName, splitKey } from '../../gateway-api/index.ts';
import { flatten } from '../../std/memory/index.ts';
import type { ObjectReference } from './object-reference.ts';

/** A route of whatever kind. */
export type RouteObject = ObjectByKind[RouteKindName];

/** A route of requests: it chooses by what is in them. The others are routes of connections or datagrams. */
export type HttpRouteObject = ObjectByKind['HTTPRoute' | 'GRPCRoute'];

/** `HTTPRoute NAMESPACE/NAME`: what tells routes of all kinds apart. */
export const routeKey = (kind: RouteKindName, key: string): string => flatten([kind, key], ' ');

/** The kind of a routeKey, and the object's own key. */
export function splitRouteKey(key: string): { readonly kind: RouteKindName; readonly key: string } {
  const space = key.indexOf(' ');
  return { kind: key.slice(0, space) as RouteKindName, key: key.slice(space + 1) };
}

export function routeReference(key: string): ObjectReference {
  const { kind, key: objectKey } = splitRouteKey(key);
  return { kind, ...splitKey(objectKey) };
}

/** `httproute/NAMESPACE/NAME`: how a route is called in the IR and in Envoy. */
export const routeSource = (route: RouteObject): string => flatten([route.kind.toLowerCase(), keyOf(route)], '/');

const kindsBySource: ReadonlyMap<string, RouteKindName> = new Map(
  Object.keys(kinds)
    .filter(isRouteKind)
    .map((kind) => [kind.toLowerCase(), kind]),
);

/** The routeKey of a routeSource; undefined for what is none. */
export function routeKeyOfSource(source: string): string | undefined {
  const slash = source.indexOf('/');
  const kind = kindsBySource.get(source.slice(0, slash));
  return kind && routeKey(kind, source.slice(slash + 1));
}
