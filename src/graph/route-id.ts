import { splitKey } from '../gateway-api/index.ts';
import type { RouteObject } from './route.ts';
import type { ObjectReference } from './view.ts';

/** Tells routes of all kinds apart: `KIND NAMESPACE/NAME`. */
export const routeId = (kind: RouteObject['kind'], key: string): string => `${kind} ${key}`;

export function splitRouteId(id: string): { readonly kind: RouteObject['kind']; readonly key: string } {
  const space = id.indexOf(' ');
  return { kind: id.slice(0, space) as RouteObject['kind'], key: id.slice(space + 1) };
}

export function referenceOfRoute(id: string): ObjectReference {
  const { kind, key } = splitRouteId(id);
  return { kind, ...splitKey(key) };
}
