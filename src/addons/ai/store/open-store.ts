import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { SqliteStore } from './sqlite-store.ts';

/** Why a store was begun again, and where the former file is. */
export type OnDamaged = (file: string, error: Error) => void;

/** SQLITE_CORRUPT and SQLITE_NOTADB, see https://www.sqlite.org/rescode.html. */
const damaged: ReadonlySet<number> = new Set([11, 26]);

export const isDamage = (error: unknown): error is Error =>
  error instanceof Error && damaged.has(Number((error as Error & { readonly errcode?: number }).errcode) & 0xff);

/** Opens the file, or makes it. One that is damaged is put aside: what it has cannot be relied on, and it would stop all that comes after. */
export function openStore(file: string | undefined, onDamaged: OnDamaged): SqliteStore {
  if (file === undefined) return new SqliteStore(file);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    return new SqliteStore(file);
  } catch (error) {
    if (!isDamage(error)) throw error;
    putAside(file, error, onDamaged);
    return new SqliteStore(file);
  }
}

/** Nothing may have the file open. */
export function putAside(file: string, error: Error, onDamaged: OnDamaged): void {
  const aside = `${file}.damaged-${new Date().toISOString().replaceAll(':', '')}`;
  // The log of changes belongs to it, and must not be read into the next one.
  for (const suffix of ['', '-wal', '-shm']) if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix);
  onDamaged(aside, error);
}
