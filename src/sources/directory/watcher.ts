import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import type { Watched } from './tree.ts';

export interface WatcherHandlers {
  /**
   * Something happened at this path; undefined when it is not known where. `structure` when something came, went or was replaced there, and
   * not only its content changed.
   */
  changed(path: string | undefined, structure: boolean): void;
  /** A directory cannot be watched, such as when the system's limit is reached. */
  failed(directory: string, error: NodeJS.ErrnoException): void;
}

/**
 * Watches single directories, not trees: a recursive watch follows no links and does not notice when a directory is replaced by another
 * of the same name. The tree is scanned again instead, and `update` gets the result.
 */
export class DirectoryWatcher {
  readonly #handlers: WatcherHandlers;
  readonly #watchers = new Map<
    string,
    { readonly watcher: FSWatcher; readonly ino: bigint; names: Watched['names'] }
  >();

  constructor(handlers: WatcherHandlers) {
    this.#handlers = handlers;
  }

  /** Watches exactly these directories. True when one is new, so that it may have changed unseen before. */
  update(wanted: ReadonlyMap<string, Watched>): boolean {
    for (const [path, { watcher, ino }] of this.#watchers) {
      if (wanted.get(path)?.ino === ino) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
    let added = false;
    for (const [path, { ino, names }] of wanted) {
      const known = this.#watchers.get(path);
      if (known) known.names = names;
      else added = this.#watch(path, ino, names) || added;
    }
    return added;
  }

  has(directory: string): boolean {
    return this.#watchers.has(directory);
  }

  close(): void {
    for (const { watcher } of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watch(path: string, ino: bigint, names: Watched['names']): boolean {
    try {
      const watcher = watch(path, { persistent: true }, (type, name) => this.#event(path, name, type === 'rename'));
      const failed = (error: NodeJS.ErrnoException) => {
        watcher.close();
        if (this.#watchers.get(path)?.watcher === watcher) this.#watchers.delete(path);
        this.#handlers.failed(path, error);
      };
      watcher.on('error', failed);
      this.#watchers.set(path, { watcher, ino, names });
      return true;
    } catch (error) {
      // Gone since it was seen: that is a change, and no fault.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') this.#handlers.changed(undefined, true);
      else this.#handlers.failed(path, error as NodeJS.ErrnoException);
      return false;
    }
  }

  #event(directory: string, name: string | null, structure: boolean): void {
    const names = this.#watchers.get(directory)?.names;
    if (name === null) this.#handlers.changed(undefined, structure);
    // Names in a directory that is only watched for a link in it mean nothing by themselves: look at everything.
    else if (names === 'all') this.#handlers.changed(join(directory, name), structure);
    else if (names?.has(name)) this.#handlers.changed(undefined, structure);
  }
}
