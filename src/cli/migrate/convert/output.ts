import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CliIo } from '../../kit/io.ts';

/**
 * The list of what a conversion wrote, with digests: by it the next one knows its own files. Its name has no ending, because `kubectl apply
 * --recursive` takes every JSON file for an object.
 */
const listFile = '.gatewright-migrate';

type Digests = Readonly<Record<string, string>>;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Writes files; none, with exit code 1 and the reason, if the directory holds what no conversion wrote. */
export async function writeUnlessStrange(
  files: ReadonlyMap<string, string>,
  { out, force }: { readonly out: string; readonly force?: boolean },
  io: CliIo,
): Promise<boolean> {
  const strange = force ? [] : await strangeFiles(out, files.keys());
  if (strange.length === 0) {
    await writeFiles(out, files);
    return true;
  }
  for (const file of strange)
    io.writeError(`gatewright: ${file} was not written by a conversion, or was changed since\n`);
  io.writeError('gatewright: nothing was written; name another directory with --out, or say --force\n');
  io.setExitCode(1);
  return false;
}

/** Files of a directory that no conversion wrote, or that were changed since; none if it does not exist. */
async function strangeFiles(directory: string, coming: Iterable<string>): Promise<readonly string[]> {
  const present = await filesOf(directory);
  const digests = await digestsOf(directory);
  const wanted = new Set(coming);
  const strange: string[] = [];
  for (const file of present) {
    if (file === listFile) continue;
    const known = Object.hasOwn(digests, file) ? digests[file] : undefined;
    // Other people's files stay, unless they are in the place of ours.
    if (known === undefined && !wanted.has(file) && !/\.(ya?ml|json)$/.test(file)) continue;
    if (known === undefined || known !== digestOf(await readFile(join(directory, file), 'utf8')))
      strange.push(join(directory, file));
  }
  return strange;
}

/** Writes files, and removes those that an earlier conversion wrote and this one does not. */
async function writeFiles(directory: string, files: ReadonlyMap<string, string>): Promise<void> {
  const before = await digestsOf(directory);
  for (const file of Object.keys(before))
    if (!files.has(file) && isInside(file)) await rm(join(directory, file), { force: true });
  for (const [file, text] of files) {
    await mkdir(dirname(join(directory, file)), { recursive: true });
    await writeFile(join(directory, file), text);
  }
  const digests = Object.fromEntries([...files].map(([file, text]) => [file, digestOf(text)]));
  await writeFile(join(directory, listFile), `${JSON.stringify(digests, null, 2)}\n`);
}

/** The list may have been changed by others: nothing outside of the directory is removed. */
const isInside = (file: string): boolean => /^(?:[a-z0-9][-a-z0-9.]*\/)?[_a-z0-9][-a-z0-9.]*$/.test(file);

async function digestsOf(directory: string): Promise<Digests> {
  try {
    const read: unknown = JSON.parse(await readFile(join(directory, listFile), 'utf8'));
    return typeof read === 'object' && read !== null ? (read as Digests) : {};
  } catch {
    return {};
  }
}

async function filesOf(directory: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(directory, '.').length + 1));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
