import type * as ir from '../../ir/index.ts';

/** What a policy has as one filter, or as one patch, or demands of requests to listeners. */
export interface FilterContent {
  readonly kind: 'traffic' | 'limit' | 'patch' | 'access';
  /** Of traffic ir.trafficKey, of a limit the id of the bucket, of a patch its id, of access ir.ListenerAccess.source. */
  readonly key: string;
  /** What users call it. */
  readonly name: string;
  /** While proxies reject it, requests that it is for are answered so: it protects what is behind it. */
  readonly closedWith?: 500 | 503;
  /** Undefined: whatever its content is. What access demands of a table is put together from policies, and these do not know it. */
  readonly digest?: () => ir.Digest;
}
