import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { ResourceRef } from '../resource-store.ts';

// What file systems take is 255 bytes; a draft beside it needs some, too.
const longest = 200;

/**
 * The name of the file for an object that has none yet: `httproute.default.shop.yaml`. It cannot be a path, for the names in it are those of
 * objects; one that would be too long for file systems ends in a hash.
 */
export function fileNameOf({ kind, namespace, name }: ResourceRef): string {
  const stem = [kind.name.toLowerCase(), namespace, name].filter((part) => part !== undefined).join('.');
  if (stem.length <= longest) return `${stem}.yaml`;
  const hash = createHash('sha256').update(stem).digest('hex').slice(0, 16);
  return `${stem.slice(0, longest - 17)}-${hash}.yaml`;
}

/** Whether a file is one that was made for this object. */
export const isOwnFile = (path: string, ref: ResourceRef): boolean => basename(path) === fileNameOf(ref);
