import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SettingsError, type SettingsStore } from './settings-store.ts';

/** Settings as files of a directory that only their owner may read, for a control plane without a cluster. */
export class FileSettings implements SettingsStore {
  readonly place: string;

  constructor(directory: string) {
    this.place = directory;
  }

  async read(name: string): Promise<unknown> {
    const path = this.#path(name);
    try {
      return JSON.parse(await readFile(path, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      const advice = error instanceof SyntaxError ? 'remove the file, and set it again' : 'give this user the right to';
      throw new SettingsError('unavailable', `${path} cannot be read: ${(error as Error).message}; ${advice}`, error);
    }
  }

  async write(name: string, value: object): Promise<void> {
    const path = this.#path(name);
    const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      await mkdir(this.place, { recursive: true, mode: 0o700 });
      await writeDraft(draft, `${JSON.stringify(value, null, 2)}\n`);
      await rename(draft, path);
      await using directory = await open(this.place, 'r');
      await directory.sync();
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {});
      throw new SettingsError('unavailable', `${path} cannot be written: ${(error as Error).message}`, error);
    }
  }

  #path(name: string): string {
    return join(this.place, `${name}.json`);
  }
}

async function writeDraft(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(text);
  await file.sync();
  // The umask may have taken bits away, never added some; a file system may do as it likes.
  await chmod(path, 0o600);
}
