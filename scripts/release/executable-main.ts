/**
 * What a single-file executable begins with: it unpacks the program that it holds, once for each version and user, and runs it. Modules, threads and pages
 * of the program are files, as in every other form of it.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { getAssetKeys, getRawAsset } from 'node:sea';
import { pathToFileURL } from 'node:url';

/** The version and the digest of the program. Written in when this is built. */
declare const PROGRAM: string;

const othersMayWrite = 0o022;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function unpackInto(folder: string): void {
  for (const path of getAssetKeys()) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, new Uint8Array(getRawAsset(path)), { mode: 0o600 });
  }
}

/** It is code that is about to run. */
function demandOwn(folder: string): void {
  const { uid, mode } = lstatSync(folder);
  if (uid === process.getuid?.() && (mode & othersMayWrite) === 0) return;
  throw new Error('it belongs to another user, or others may write to it; remove it');
}

/** The folder of the program, which another process may be making at the same time. */
function unpacked(programs: string): string {
  const folder = join(programs, PROGRAM);
  mkdirSync(programs, { recursive: true, mode: 0o700 });
  demandOwn(programs);
  if (!existsSync(folder)) {
    const made = `${folder}.${randomUUID()}`;
    try {
      unpackInto(made);
      renameSync(made, folder);
    } catch (error) {
      rmSync(made, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
  }
  demandOwn(folder);
  return folder;
}

/** Where nothing can be kept, as in a container whose file system is read-only, the program is unpacked for this run alone. */
function unpackedForOnce(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-program-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  unpackInto(folder);
  return folder;
}

function folderOfProgram(): string {
  const { XDG_CACHE_HOME: given = '' } = process.env;
  const programs = join(isAbsolute(given) ? given : join(homedir(), '.cache'), 'gatewright', 'program');
  try {
    return unpacked(programs);
  } catch (kept) {
    const isReadOnly = ['EROFS', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR'].includes(
      (kept as NodeJS.ErrnoException).code ?? '',
    );
    if (!isReadOnly) throw new Error(`${programs}: ${messageOf(kept)}`);
    return unpackedForOnce();
  }
}

try {
  const program = join(folderOfProgram(), 'bin/gatewright.js');
  process.argv[1] = program;
  void import(pathToFileURL(program).href);
} catch (error) {
  console.error(
    `gatewright: the program cannot be unpacked: ${messageOf(error)}. Set XDG_CACHE_HOME to a folder of yours with 30 MB`,
  );
  process.exitCode = 1;
}
