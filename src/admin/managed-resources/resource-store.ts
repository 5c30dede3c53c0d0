import type { Kind, KubernetesObject } from '../../gateway-api/index.ts';

/** Names one managed resource. */
export interface ResourceRef {
  readonly kind: Kind;
  /** Undefined for cluster-scoped kinds. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/** A resource as it is kept. */
export interface StoredResource {
  readonly kind: Kind;
  readonly object: KubernetesObject;
  /** Whether some of it was written through the admin API. */
  readonly managed: boolean;
}

/** What a write did, or would have done. */
export interface WriteResult {
  readonly operation: 'created' | 'updated' | 'unchanged' | 'deleted';
  readonly before?: StoredResource | undefined;
  /** What there is now; after a deletion, what was deleted. */
  readonly after: StoredResource;
}

/** One object of a managed kind as a client sent it, with its namespace filled in. */
export interface Manifest {
  readonly ref: ResourceRef;
  /** The version in its apiVersion. */
  readonly version: string;
  readonly object: KubernetesObject;
}

export interface WriteOptions {
  /** Everything but the write itself. */
  readonly dryRun: boolean;
}

/**
 * Where managed resources are kept: a cluster or a directory. A write resolves when it is durable. What cannot be done is an HttpError that
 * says why; `status` and what only a server sets in `metadata` of a manifest are not written.
 */
export interface ResourceStore {
  /** Who has the statuses: the store itself, or only the graph. */
  readonly statuses: 'stored' | 'computed';
  /** Path of the directory; undefined: a cluster. */
  readonly directory?: string | undefined;
  /** Names of the kinds that can be written now; all of them when left out. */
  readonly writableKinds?: () => ReadonlySet<string>;
  /** What to do about the others. */
  readonly writeAdvice?: string;
  list(filter: Partial<ResourceRef>): Promise<readonly StoredResource[]>;
  find(ref: ResourceRef): Promise<StoredResource | undefined>;
  /** Creates or updates. With `force` it takes over fields of other managers, where there is such a thing. */
  apply(manifest: Manifest, options: WriteOptions & { readonly force: boolean }): Promise<WriteResult>;
  /** Replaces the whole object; a 404 when there is none, a 409 when the manifest's resourceVersion is not current. */
  replace(manifest: Manifest, options: WriteOptions): Promise<WriteResult>;
  remove(ref: ResourceRef, options: WriteOptions): Promise<WriteResult>;
}
