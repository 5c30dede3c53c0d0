import { readFile } from 'node:fs/promises';
import { type LiveDirectory, type ManifestReader, type Place, TextError } from '../../../sources/index.ts';
import type { ResourceRef } from '../resource-store.ts';

/** A file that has the object, right or wrong. */
export interface FileWithObject {
  readonly path: string;
  /** What the file holds. */
  readonly text: string;
  /** At least one; the first counts. */
  readonly places: readonly Place[];
  /** What is written at the first place. */
  readonly value: unknown;
}

/**
 * The files that have an object now, the one that counts first. Reads what is on the disk rather than what is live, for a file may hold a version
 * that is not valid, or was written a moment ago. Throws TextError when a file that is known to have the object is no YAML now.
 */
export async function findObject(
  live: LiveDirectory,
  ref: ResourceRef,
  reader: ManifestReader,
): Promise<readonly FileWithObject[]> {
  const known = new Set(live.filesOf(ref.kind, ref));
  const found: FileWithObject[] = [];
  for (const path of await live.files()) {
    const text = await readText(path);
    // Parsing is most of the work; a file that does not even have the name in it rarely has the object.
    if (!known.has(path) && !hasName(text, ref.name)) continue;
    const file = await look(path, text, ref, { known: known.has(path), reader });
    if (file) found.push(file);
  }
  return found;
}

/** Whether the name is in the text by itself: `r1` is not in `r12` and `pair-r1`. */
function hasName(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1))
    if (!isOfName(text[at - 1]) && !isOfName(text[at + name.length])) return true;
  return false;
}

// RFC 1123, as names of objects are.
const isOfName = (character: string | undefined): boolean => character !== undefined && /[a-z0-9.-]/.test(character);

/** The text of a file; empty when it is gone. */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

async function look(
  path: string,
  text: string,
  { kind, namespace, name }: ResourceRef,
  { known, reader }: { readonly known: boolean; readonly reader: ManifestReader },
): Promise<FileWithObject | undefined> {
  try {
    const found = await reader.find(text, { group: kind.group, kindName: kind.name, namespace, name });
    return found && { path, text, ...found };
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    if (known) throw new TextError(`${path}: ${error.message}`);
    return undefined;
  }
}
