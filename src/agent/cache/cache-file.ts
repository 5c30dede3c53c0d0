import { constants } from 'node:fs';
import { chmod, type FileHandle, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newSeal, type Seal, sealOf } from './seal.ts';

/** Records read from a file, or why they are not taken. */
export type Reading = { readonly records: readonly Buffer[]; readonly cut: boolean } | { readonly fault: string };

/** No record is as long as this; a length above it is no length. */
const longestRecord = 0x7fff_ffff;

/**
 * A file of sealed records that only this user may read. It is replaced as a whole by a rename, and else only grows: a change costs
 * its own size, and what a crash or a full disk leaves unfinished at the end is left out by the next reader.
 */
export class CacheFile {
  readonly path: string;
  readonly #key: Buffer | undefined;
  #seal: Seal | undefined;
  #handle: FileHandle | undefined;
  #records = 0;
  #bytes = 0;

  constructor(path: string, key: Buffer | undefined) {
    this.path = path;
    this.#key = key;
  }

  /** Of the file as it was written here; 0 before that. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The next record can be put behind the others. False: the file has to be replaced. */
  get appendable(): boolean {
    return this.#handle !== undefined;
  }

  /** The file that an agent before this one left; undefined: there is none. Never rejects. */
  async read(): Promise<Reading | undefined> {
    let bytes: Buffer;
    try {
      bytes = await readFile(this.path);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return code === 'ENOENT' ? undefined : { fault: `it cannot be read: ${message}` };
    }
    const end = bytes.subarray(0, 200).indexOf('\n');
    const seal = sealOf(bytes.toString('latin1', 0, Math.max(0, end)), this.#key);
    if (typeof seal === 'string') return { fault: seal };
    return readRecords(bytes.subarray(end + 1), seal);
  }

  /** Puts a file with this one record in the place of the former. Rejects, and leaves that as it is, when it cannot be written. */
  async replace(record: Uint8Array): Promise<void> {
    await this.close();
    const folder = dirname(this.path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const temporary = `${this.path}.new`;
    const seal = newSeal(this.#key);
    const bytes = Buffer.concat([Buffer.from(`${seal.header}\n`), framed(seal.close(record, 0))]);
    try {
      await writeDown(temporary, bytes);
      await rename(temporary, this.path);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
    await syncFolder(folder);
    this.#handle = await open(this.path, constants.O_WRONLY | constants.O_APPEND);
    this.#seal = seal;
    this.#records = 1;
    this.#bytes = bytes.length;
  }

  /** Rejects when it cannot be written to its end; the file has to be replaced then. */
  async append(record: Uint8Array): Promise<void> {
    if (!this.#handle || !this.#seal) throw new Error('nothing was written yet');
    const bytes = framed(this.#seal.close(record, this.#records));
    try {
      await this.#handle.writeFile(bytes);
      await this.#handle.datasync();
    } catch (error) {
      await this.close();
      throw error;
    }
    this.#records += 1;
    this.#bytes += bytes.length;
  }

  /** The file has been removed or replaced by another process, or its folder has. */
  async lost(): Promise<boolean> {
    if (!this.#handle) return false;
    const [ours, there] = await Promise.all([this.#handle.stat(), stat(this.path).catch(() => undefined)]);
    return there?.ino !== ours.ino || there.dev !== ours.dev;
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.path, { force: true });
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch(() => undefined);
  }
}

async function writeDown(path: string, bytes: Buffer): Promise<void> {
  await rm(path, { force: true });
  const handle = await open(path, 'wx', 0o600);
  try {
    // The mode of `open` is cut by the umask, never widened; this makes it the same everywhere.
    await chmod(path, 0o600);
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A rename is on disk when the folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function framed(sealed: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(sealed.length);
  return Buffer.concat([length, sealed]);
}

function readRecords(bytes: Buffer, seal: Seal): Reading {
  const records: Buffer[] = [];
  let at = 0;
  while (at + 4 <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    if (length > longestRecord || at + 4 + length > bytes.length) break;
    const record = seal.open(bytes.subarray(at + 4, at + 4 + length), records.length);
    if (!record) break;
    records.push(record);
    at += 4 + length;
  }
  if (records.length === 0) return { fault: 'it is damaged, or was written with another key' };
  return { records, cut: at < bytes.length };
}
