import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Blobs } from './registry-client.ts';

/** What a draft is called until it is whole. */
const draftMark = '.draft';

export interface ImageCacheOptions {
  /** It is made when something is kept. */
  readonly directory: string;
  /** Of what could not be kept or read. Nothing depends on it: the registry is asked then. */
  readonly onFailed: (error: unknown) => void;
}

/**
 * Keeps what images consist of in files, so that a control plane that starts needs no registry for what it had before. Each image has a folder of its
 * own, by imageKey: what one namespace was given by a registry is none of another's. Digests are compared at each read, so what
 * others write into the directory changes no module.
 */
export class ImageCache {
  readonly #options: ImageCacheOptions;

  constructor(options: ImageCacheOptions) {
    this.#options = options;
  }

  /** Manifest and module of one image. */
  of(key: string): Blobs {
    const folder = this.#folderOf(key);
    return {
      find: (digest) => this.#attempt(() => readFile(join(folder, fileOf(digest)))),
      keep: async (digest, bytes) => {
        await this.#attempt(() => write(folder, fileOf(digest), bytes));
      },
    };
  }

  /** Nothing names the image any more. */
  async drop(key: string): Promise<void> {
    await this.#attempt(() => rm(this.#folderOf(key), { recursive: true, force: true }));
  }

  /** Drops all images but these. */
  async keepOnly(keys: Iterable<string>): Promise<void> {
    const kept = new Set([...keys].map(nameOf));
    const found = (await this.#attempt(() => readdir(this.#options.directory))) ?? [];
    for (const name of found.filter((each) => /^[0-9a-f]{64}$/.test(each) && !kept.has(each)))
      await this.#attempt(() => rm(join(this.#options.directory, name), { recursive: true, force: true }));
  }

  #folderOf(key: string): string {
    return join(this.#options.directory, nameOf(key));
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#options.onFailed(error);
      return undefined;
    }
  }
}

const nameOf = (key: string): string => createHash('sha256').update(key).digest('hex');

const fileOf = (digest: string): string => digest.replace(':', '-');

/** A reader finds all of it or nothing. */
async function write(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `${name}${draftMark}`);
  await writeFile(draft, bytes, { mode: 0o600 });
  await rename(draft, join(folder, name));
}
