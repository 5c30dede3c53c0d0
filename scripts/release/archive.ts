import { createHash } from 'node:crypto';
import { createReadStream, type ReadStream } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { create } from 'tar';

/** The time that every entry of an archive has: the same sources make the same bytes. */
const mtime = new Date(0);

/** All files and folders below a folder, in the order of their names. */
async function entriesOf(directory: string): Promise<readonly string[]> {
  const found: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    for (const name of (await readdir(folder)).sort()) {
      const path = join(folder, name);
      found.push(relative(directory, path));
      if ((await lstat(path)).isDirectory()) await walk(path);
    }
  };
  await walk(directory);
  return found;
}

export interface ArchiveOptions {
  /** A folder within the archive that everything is in. */
  readonly prefix?: string;
  readonly isCompressed?: boolean;
}

/** Writes an archive of what is below a folder. Owners, times and the order of entries depend on nothing but the content. */
export async function archive(
  directory: string,
  file: string,
  { prefix, isCompressed = false }: ArchiveOptions,
): Promise<void> {
  const entries = await entriesOf(directory);
  const options = {
    cwd: directory,
    file,
    portable: true,
    mtime,
    noDirRecurse: true,
    ...(prefix !== undefined && { prefix }),
    ...(isCompressed && { gzip: { level: 6 } }),
  };
  await create(options, [...entries]);
}

/** Paths of all files below a folder, in the order of their names. */
export const filesBelow = async (directory: string): Promise<readonly string[]> =>
  (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();

/** `sha256:` is left to the caller. */
export async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  const stream: ReadStream = createReadStream(file);
  for await (const chunk of stream) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
