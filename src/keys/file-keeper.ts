import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { keyOf } from '../gateway-api/index.ts';
import { isKeysName } from '../key-sets/index.ts';
import type { KeysConfigMap, KeysKeeper } from './keeper.ts';

export interface FileKeeperOptions {
  readonly path: string;
  /** Called for each that is kept, changed or forgotten; `undefined`: forgotten. */
  readonly onChange: (object: KeysConfigMap, isKept: boolean) => void;
}

/** A file of a control plane without a cluster. What cannot be read of it counts as not there: it is fetched again. */
export class FileKeeper implements KeysKeeper {
  readonly #options: FileKeeperOptions;
  readonly #objects = new Map<string, KeysConfigMap>();
  #written: Promise<void> = Promise.resolve();

  constructor(options: FileKeeperOptions) {
    this.#options = options;
  }

  /** Reports what was kept before. */
  load(): void {
    for (const object of objectsIn(this.#options.path)) {
      this.#objects.set(object.metadata.name, object);
      this.#options.onChange(object, true);
    }
  }

  save(object: KeysConfigMap): Promise<void> {
    this.#objects.set(object.metadata.name, object);
    this.#options.onChange(object, true);
    return this.#write();
  }

  remove(name: string): Promise<void> {
    const object = this.#objects.get(name);
    if (!object) return Promise.resolve();
    this.#objects.delete(name);
    this.#options.onChange(object, false);
    return this.#write();
  }

  /** One after the other, so that the last one is the newest. */
  #write(): Promise<void> {
    const written = this.#written.then(() => replaceFile(this.#options.path, [...this.#objects.values()]));
    this.#written = written.catch(() => {});
    return written;
  }
}

async function replaceFile(path: string, objects: readonly KeysConfigMap[]): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(draft, `${JSON.stringify(objects, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

function objectsIn(path: string): KeysConfigMap[] {
  try {
    const all: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Array.isArray(all) ? all.filter(isKept) : [];
  } catch {
    return [];
  }
}

const isKept = (value: unknown): value is KeysConfigMap => {
  const object = value as Partial<KeysConfigMap> | null;
  return (
    typeof object?.metadata?.name === 'string' &&
    isKeysName(object.metadata.name) &&
    keyOf(object as KeysConfigMap) !== ''
  );
};
