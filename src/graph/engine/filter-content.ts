import type * as ir from '../../ir/index.ts';

/** What a policy has as one filter, or as one patch. */
export interface FilterContent {
  readonly kind: 'traffic' | 'limit' | 'patch';
  /** Of traffic ir.trafficKey, of a limit the id of the bucket, of a patch its id. */
  readonly key: string;
  /** What users call it. */
  readonly name: string;
  /** While proxies reject it, requests that it is for are answered 503: it protects what is behind it. */
  readonly closes?: true;
  readonly digest: () => ir.Digest;
}
