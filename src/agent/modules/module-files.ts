import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { moduleFile } from '../../contracts/index.ts';
import { readFields } from '../../envoy/wire/index.ts';
import { type ModuleKeeper, resourceBody, type WireResource } from '../relay/index.ts';

/** Modules as files, by what they are, for Envoy to read while it takes what names them. They are short, and few: writing them holds up nothing. */
export class ModuleFiles implements ModuleKeeper {
  /** Name of the resource → SHA-256 of the code. */
  readonly #digests = new Map<string, string>();
  #folder: string | undefined;

  /** `folder`: the one that Envoy is started in. What an agent before has left there is removed. */
  open(folder: string): void {
    this.#folder = folder;
    rmSync(this.#directory(), { recursive: true, force: true });
  }

  take(resources: readonly WireResource[], removed: readonly string[]): void {
    for (const resource of resources) {
      const code = codeOf(resource);
      const digest = createHash('sha256').update(code).digest('hex');
      this.#write(digest, code);
      const before = this.#digests.get(resource.name);
      this.#digests.set(resource.name, digest);
      if (before !== undefined && before !== digest) this.#remove(before);
    }
    for (const name of removed) {
      const digest = this.#digests.get(name);
      this.#digests.delete(name);
      if (digest !== undefined) this.#remove(digest);
    }
  }

  /** Envoy never sees a part of it. */
  #write(digest: string, code: Uint8Array): void {
    const path = this.#path(digest);
    const partial = `${path}.part`;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(partial, code, { mode: 0o600 });
    renameSync(partial, path);
  }

  /** Another resource may have the same code. */
  #remove(digest: string): void {
    if (![...this.#digests.values()].includes(digest)) rmSync(this.#path(digest), { force: true });
  }

  #directory(): string {
    return dirname(this.#path(''));
  }

  #path(digest: string): string {
    if (this.#folder === undefined) throw new Error('there is no folder for modules yet');
    return join(this.#folder, moduleFile(digest));
  }
}

/** `gatewright.v1.WasmModule.code`. */
function codeOf(resource: WireResource): Uint8Array {
  let code = new Uint8Array();
  readFields(resourceBody(resource) ?? code, (no, _wireType, reader) => {
    if (no !== 1) return false;
    code = Uint8Array.from(reader.bytes());
    return true;
  });
  return code;
}
