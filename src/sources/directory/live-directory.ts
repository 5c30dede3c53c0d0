import type { Kind, KubernetesObject } from '../../gateway-api/index.ts';
import { type ObjectStore, storeId } from './object-store.ts';
import { scanTree } from './tree.ts';
import type { ObjectId } from './validate/index.ts';

/** A running source's objects and files. It changes no file: it is how a writer sees what it writes to, and that it arrived. */
export class LiveDirectory {
  /** The directory, or the one file, that is read. */
  readonly root: string;
  readonly #store: ObjectStore;
  readonly #absorb: (paths: readonly string[]) => Promise<void>;

  constructor(root: string, store: ObjectStore, absorb: (paths: readonly string[]) => Promise<void>) {
    this.root = root;
    this.#store = store;
    this.#absorb = absorb;
  }

  list(kind: Kind): readonly KubernetesObject[] {
    return this.#store.list(kind);
  }

  find(kind: Kind, id: ObjectId): KubernetesObject | undefined {
    return this.#store.find(storeId(kind, id));
  }

  /** Paths of the files that are known to have the object, the one that counts first. */
  filesOf(kind: Kind, id: ObjectId): readonly string[] {
    return this.#store.filesOf(storeId(kind, id));
  }

  /** Paths of all manifest files there are now. Rejects with the file system's error when the root cannot be read. */
  async files(): Promise<readonly string[]> {
    return (await scanTree(this.root)).files;
  }

  /** A valid object as it would be reported if a file had it. */
  preview(kind: Kind, object: KubernetesObject, now: Date): KubernetesObject {
    return this.#store.preview(kind, object, now);
  }

  /** Resolves when the source's listener knows the present content of these files. */
  absorb(paths: readonly string[]): Promise<void> {
    return this.#absorb(paths);
  }
}
