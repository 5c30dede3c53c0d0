import type * as ir from '../../ir/index.ts';

/** What a policy has as one filter. */
export interface FilterContent {
  readonly kind: 'traffic' | 'limit';
  /** Of traffic ir.trafficKey, of a limit the id of the bucket. */
  readonly key: string;
  /** What users call it. */
  readonly name: string;
  /** While proxies reject it, requests that it is for are answered 503: it protects what is behind it. */
  readonly closes?: true;
  readonly digest: () => ir.Digest;
}
