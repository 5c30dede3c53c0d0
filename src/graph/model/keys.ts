/** Keys that only the graph knows: what makes each stands beside what takes it apart. */
import {
  isRouteKind,
  type KindName,
  keyOf,
  kinds,
  parseObjectKey,
  type RouteKindName,
} from '../../gateway-api/index.ts';
import type { Key } from '../../std/index.ts';
import { flatten } from '../../std/memory/index.ts';
import type { ListenerOwner } from './listener-owner.ts';
import type { ObjectReference } from './object-reference.ts';
import type { RouteObject } from './route-object.ts';

/** `HTTPRoute NAMESPACE/NAME`: identifies a route among all kinds. */
export type RouteKey = Key<'route'>;

export const routeKey = (kind: RouteKindName, key: string): RouteKey => flatten([kind, key], ' ') as RouteKey;

/** The kind of a routeKey, and the object's own key. */
export function parseRouteKey(key: string): { readonly kind: RouteKindName; readonly key: string } {
  const space = key.indexOf(' ');
  return { kind: key.slice(0, space) as RouteKindName, key: key.slice(space + 1) };
}

export function routeReference(key: string): ObjectReference {
  const { kind, key: objectKey } = parseRouteKey(key);
  return { kind, ...parseObjectKey(objectKey) };
}

/** `httproute/NAMESPACE/NAME`: how a route is called in the IR and in Envoy. */
export const routeSource = (route: RouteObject): string => flatten([route.kind.toLowerCase(), keyOf(route)], '/');

const kindsBySource: ReadonlyMap<string, RouteKindName> = new Map(
  Object.keys(kinds)
    .filter(isRouteKind)
    .map((kind) => [kind.toLowerCase(), kind]),
);

/** The routeKey of a routeSource; undefined for what is none. */
export function routeKeyOfSource(source: string): RouteKey | undefined {
  const slash = source.indexOf('/');
  const kind = kindsBySource.get(source.slice(0, slash));
  return kind && routeKey(kind, source.slice(slash + 1));
}

/** `GATEWAY LISTENER`, each with its namespace: where a route is attached. */
export type AttachmentKey = Key<'attachment'>;

/** `listener` as listenerId makes it. */
export const attachmentKey = (gateway: string, listener: string): AttachmentKey =>
  `${gateway} ${listener}` as AttachmentKey;

/** Keys of the Gateway, and of the ListenerSet when the listener is of one. */
export function parseAttachmentKey(key: string): { readonly gateway: string; readonly listenerSet?: string } {
  const space = key.indexOf(' ');
  const lastSlash = key.lastIndexOf('/');
  const gateway = key.slice(0, space);
  return lastSlash > space ? { gateway, listenerSet: key.slice(space + 1, lastSlash) } : { gateway };
}

/** The listener's name, and what declares it. */
export function listenerOfAttachment(key: string): { readonly name: string; readonly owner: ListenerOwner } {
  const { gateway, listenerSet } = parseAttachmentKey(key);
  const name = key.slice(Math.max(key.lastIndexOf(' '), key.lastIndexOf('/')) + 1);
  const kind = listenerSet === undefined ? 'Gateway' : 'ListenerSet';
  return { name, owner: { kind, ...parseObjectKey(listenerSet ?? gateway) } };
}

/** What a backend belongs to: `NAMESPACE/NAME` of a Service, `KIND NAMESPACE/NAME` of anything else. */
export type BackendOwner = Key<'backend-owner'>;

export const backendOwner = (kind: KindName, key: string): BackendOwner =>
  (kind === 'Service' ? key : `${kind} ${key}`) as BackendOwner;

/** The kind and key of a backendOwner. The name may be any text: definitions hold no pattern for the names that references have. */
export function parseBackendOwner(owner: string): { readonly kind: KindName; readonly key: string } {
  const space = owner.indexOf(' ');
  return space < 0 || owner.indexOf('/') < space
    ? { kind: 'Service', key: owner }
    : { kind: owner.slice(0, space) as KindName, key: owner.slice(space + 1) };
}
