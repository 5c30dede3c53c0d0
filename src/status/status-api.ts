import type { KindName, KubernetesObject } from '../gateway-api/index.ts';

/** What became of a write. `conflict`: the object is newer than the version we wrote against. */
export type WriteOutcome =
  | { readonly result: 'written'; readonly object: KubernetesObject }
  | { readonly result: 'conflict' }
  | { readonly result: 'gone' }
  | { readonly result: 'invalid'; readonly message: string };

/** The little that the writer needs of an API server. Faults of the world (network, 5xx, 403) reject. */
export interface StatusApi {
  /** The object as the API server has it now; undefined when it does not exist. */
  read(kind: KindName, key: string, signal: AbortSignal): Promise<KubernetesObject | undefined>;
  /**
   * Merges `status` into the object's status subresource, if the object still has this resource version. Lists are
   * replaced whole, as a JSON merge patch does (RFC 7386).
   */
  patchStatus(
    kind: KindName,
    key: string,
    status: object,
    resourceVersion: string,
    signal: AbortSignal,
  ): Promise<WriteOutcome>;
}
