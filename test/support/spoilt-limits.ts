import * as ir from '../../src/ir/index.ts';

/** A bucket by this header is spoilt. */
export const poisonedKey = 'x-poisoned-key';

/** Without a name of its header, which Envoy does not take. */
export const spoilLimits = <L extends { readonly buckets: readonly ir.LimitBucket[] }>(limits: L): L => ({
  ...limits,
  buckets: limits.buckets.map((bucket) =>
    bucket.key.some((key) => key.kind === 'header' && key.name === poisonedKey)
      ? disguised({ ...bucket, key: [{ kind: 'header', name: '' }] }, bucket)
      : bucket,
  ),
});

/** What is spoilt keeps the digest by which the graph knows it. */
export function disguised<T extends object>(spoilt: T, original: object): T {
  ir.rememberDigest(spoilt, ir.digestOf(original));
  return spoilt;
}
