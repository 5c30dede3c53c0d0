import { readFile } from 'node:fs/promises';
import type { LiveDirectory } from '../../../sources/index.ts';
import type { ResourceRef } from '../resource-store.ts';
import { objectsIn, type Place, TextError } from './document-text.ts';

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
export async function findObject(live: LiveDirectory, ref: ResourceRef): Promise<readonly FileWithObject[]> {
  const known = new Set(live.filesOf(ref.kind, ref));
  const found: FileWithObject[] = [];
  for (const path of await live.files()) {
    const text = await readText(path);
    // Parsing is most of the work; a file that does not even have the name in it seldom has the object.
    if (!known.has(path) && !text.includes(ref.name)) continue;
    const file = look(path, text, ref, known.has(path));
    if (file) found.push(file);
  }
  return found;
}

/** The text of a file; empty when it is gone. */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function look(path: string, text: string, ref: ResourceRef, known: boolean): FileWithObject | undefined {
  try {
    const matches = objectsIn(text).filter(({ value }) => isObjectOf(ref, value));
    const [first] = matches;
    return first && { path, text, places: matches.map(({ place }) => place), value: first.value };
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    if (known) throw new TextError(`${path}: ${error.message}`);
    return undefined;
  }
}

function isObjectOf({ kind, namespace, name }: ResourceRef, value: unknown): boolean {
  const {
    apiVersion,
    kind: kindName,
    metadata,
  } = (value ?? {}) as {
    readonly apiVersion?: unknown;
    readonly kind?: unknown;
    readonly metadata?: { readonly name?: unknown; readonly namespace?: unknown };
  };
  const [group] = String(apiVersion).split('/');
  if (kindName !== kind.name || group !== kind.group || metadata?.name !== name) return false;
  return namespace === undefined || (metadata.namespace ?? 'default') === namespace;
}
