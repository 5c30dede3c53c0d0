import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MARK = '.inputs';

/** A hash of every file below some folders, and of some words. */
export function hashOf(folders: readonly string[], words: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(words));
  for (const folder of folders)
    for (const file of filesBelow(folder)) hash.update(file).update(readFileSync(join(folder, file)));
  return hash.digest('hex');
}

/** Whether a generated folder was made from inputs with this hash. */
export function isCurrent(folder: string, hash: string): boolean {
  const mark = join(folder, MARK);
  return existsSync(mark) && readFileSync(mark, 'utf8') === hash;
}

/** Notes the hash of the inputs that a folder was made from. */
export function markCurrent(folder: string, hash: string): void {
  writeFileSync(join(folder, MARK), hash);
}

/** The first file that is not the same in two generated folders; their marks may differ. */
export function findDifference(folder: string, other: string): string | undefined {
  if (!existsSync(folder)) return folder;
  const files = new Set([...filesBelow(folder), ...filesBelow(other)]);
  files.delete(MARK);
  return [...files].find((file) => contentOf(join(folder, file)) !== contentOf(join(other, file)));
}

function contentOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Paths relative to the folder, sorted. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
