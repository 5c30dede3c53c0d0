import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { moduleFileKey } from '../contracts/index.ts';
import type { ModuleCode } from '../ir/index.ts';
import type { Clock } from '../std/queue/index.ts';
import { PullFault } from './pull-fault.ts';

export interface ModuleFilesOptions {
  /** Undefined: there are none. */
  readonly directory: string | undefined;
  readonly maxBytes: number;
  /** Checks; rejects with PullFault. */
  readonly read: (bytes: Uint8Array) => Promise<ModuleCode>;
  readonly clock: Clock;
  /** What there is by moduleFileKey: a module, why there is none as the end of a sentence, or nothing any more. */
  readonly onResult: (key: string, file: string, result: ModuleCode | PullFault | undefined) => void;
}

const againMs = 5000;

/** Reads files of a directory that policies name, and looks again and again whether they are others: some directories are mounted and announce nothing. */
export class ModuleFiles {
  readonly #options: ModuleFilesOptions;
  readonly #fileByPolicy = new Map<string, string>();
  /** By file: what it was when it was read. */
  readonly #marks = new Map<string, string>();
  #looking: Promise<void> | undefined;
  #isStopped = false;
  #cancel: (() => void) | undefined;

  constructor(options: ModuleFilesOptions) {
    this.#options = options;
  }

  /** What a policy wants; undefined: none, or it is gone. `policy`: its key. */
  want(policy: string, file: string | undefined): void {
    const before = this.#fileByPolicy.get(policy);
    if (file === before) return;
    if (file === undefined) this.#fileByPolicy.delete(policy);
    else this.#fileByPolicy.set(policy, file);
    if (before !== undefined && !this.#isWanted(before)) {
      this.#marks.delete(before);
      this.#options.onResult(moduleFileKey(before), before, undefined);
    }
    if (file !== undefined) void this.look();
  }

  /** Resolves when each file that is wanted now was looked at. */
  async look(): Promise<void> {
    // One that is under way may have passed by what is new.
    await this.#looking;
    this.#looking ??= this.#lookAtAll().finally(() => {
      this.#looking = undefined;
      this.#lookLater();
    });
    await this.#looking;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  #isWanted(file: string): boolean {
    return [...this.#fileByPolicy.values()].includes(file);
  }

  #lookLater(): void {
    this.#cancel?.();
    if (this.#isStopped || this.#fileByPolicy.size === 0) return;
    this.#cancel = this.#options.clock.after(againMs, () => void this.look());
  }

  async #lookAtAll(): Promise<void> {
    for (const file of new Set(this.#fileByPolicy.values())) {
      const { mark, result } = await this.#read(file);
      if (result === undefined || this.#isStopped || !this.#isWanted(file)) continue;
      this.#marks.set(file, mark);
      this.#options.onResult(moduleFileKey(file), file, result);
    }
  }

  /** Without a result: it is the one that was read already. */
  async #read(file: string): Promise<{ readonly mark: string; readonly result?: ModuleCode | PullFault }> {
    const { directory, maxBytes, read } = this.#options;
    let mark = 'missing';
    try {
      if (directory === undefined)
        throw new PullFault('is not available: the operator has set no extensions.wasmDirectory');
      const path = join(directory, file);
      const { ino, mtimeMs, size } = await stat(path);
      mark = `${ino} ${mtimeMs} ${size}`;
      if (mark === this.#marks.get(file)) return { mark };
      if (size > maxBytes) throw new PullFault(`is ${size} bytes long, and ${maxBytes} are allowed`);
      return { mark, result: await read(await readFile(path)) };
    } catch (caught) {
      if (mark === this.#marks.get(file)) return { mark };
      return { mark, result: faultOf(caught) };
    }
  }
}

function faultOf(caught: unknown): PullFault {
  if (caught instanceof PullFault) return caught;
  const { code = 'unknown error' } = caught as NodeJS.ErrnoException;
  return new PullFault(code === 'ENOENT' ? 'does not exist' : `cannot be read: ${code}`, { cause: caught });
}
