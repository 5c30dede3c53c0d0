import type { Map as ImmutableMap } from 'immutable';
import * as ir from '../../ir/index.ts';

/** What a snapshot is made of. */
export type Fragment = 'listener' | 'table' | 'virtualHost' | 'stream' | 'secret' | 'backend' | 'endpoints';

/** Tagged with its place, so that the same fragment in two places counts twice. */
export const placedDigest = (kind: Fragment, place: string, fragment: object): ir.Digest =>
  ir.digestOfText(`${kind} ${place} ${ir.formatDigest(ir.digestOf(fragment))}`);

/** Stands for a whole gateway in the digest of the snapshot. */
export const gatewayDigest = ({ key, digest }: ir.Fleet): ir.Digest =>
  ir.digestOfText(`gateway ${key} ${ir.formatDigest(digest)}`);

/** With the value under the key; without the key when it is undefined. */
export const put = <T>(map: ImmutableMap<string, T>, key: string, value: T | undefined): ImmutableMap<string, T> =>
  value === undefined ? map.delete(key) : map.set(key, value);

/** Whether two versions of a fragment mean the same. */
export function sameFragment(before: object | undefined, after: object | undefined): boolean {
  if (before === after) return true;
  return before !== undefined && after !== undefined && ir.digestOf(before) === ir.digestOf(after);
}
