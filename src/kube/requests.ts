import type { Kind } from '../gateway-api/index.ts';

// What requests name, and how.

/** Where the API server keeps a kind: every `Kind` is one, and so is any `{group, version, plural}`. */
export type ResourceType = Pick<Kind, 'group' | 'version' | 'plural'> & { readonly name?: string };

/** One object of a type. The namespace is left out for cluster-scoped ones. */
export interface ObjectRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** For one answer; 30 s unless given. */
  readonly timeoutMs?: number;
}

export interface ListOptions extends CallOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Objects per page. */
  readonly limit?: number;
  readonly continue?: string | undefined;
}

/** One page of a list; `continue` names the next one and is empty on the last. Items have no `apiVersion` and `kind` of their own. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  readonly continue: string;
}

export interface WatchOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Empty: what there is comes first, as `ADDED`. */
  readonly resourceVersion: string;
  /** After this the server ends the watch. */
  readonly timeoutSeconds: number;
  /** A watch on which nothing at all came for this long is given up. Where its connection answers pings, see `silenceMs`. */
  readonly idleMs: number;
  /** The server is known to send bookmarks, so silence is a fault whatever the connection says. */
  readonly sendsBookmarks?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** The server accepted the watch. */
  readonly onOpen?: () => void;
}

/** How long a watch may be silent whose connection answers pings. An API server sends no bookmarks of a kind that has not changed since it started. */
export const silenceMs = ({ sendsBookmarks, idleMs, timeoutSeconds }: WatchOptions): number =>
  sendsBookmarks ? idleMs : Math.max(idleMs, (timeoutSeconds + 30) * 1000);

export interface StatusPatch {
  /** The write is rejected (`conflict`) when the object is no longer at this version. */
  readonly resourceVersion?: string;
  readonly status: unknown;
}

export interface DeleteOptions extends CallOptions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
}

/** Path of a type, or of one object of it. */
export function resourcePath(type: ResourceType, namespace?: string, name?: string, subresource?: string): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = namespace === undefined || namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const object =
    name === undefined ? '' : `/${encodeURIComponent(name)}${subresource === undefined ? '' : `/${subresource}`}`;
  return `${root}${scope}/${type.plural}${object}`;
}
