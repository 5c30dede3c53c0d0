import { rm, stat } from 'node:fs/promises';

/** The path of a unix socket that another process may remove, or put another file into. */
export class SocketPath {
  readonly path: string;
  #bound: string | undefined;
  #binding: Promise<void> | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** Calls `bind` unless a client still finds what was bound here. Calls during a run share it. Rejects when `bind` does. */
  ensure(bind: () => Promise<void>): Promise<void> {
    this.#binding ??= this.#unlessHeld(bind).finally(() => {
      this.#binding = undefined;
    });
    return this.#binding;
  }

  async #unlessHeld(bind: () => Promise<void>): Promise<void> {
    const isHeld = this.#bound !== undefined && (await markOf(this.path)) === this.#bound;
    if (!isHeld) await bind();
  }

  /** Removes whatever is there, so that it can be bound. Rejects when it cannot be removed. */
  async clear(): Promise<void> {
    this.#bound = undefined;
    await rm(this.path, { force: true });
  }

  /** It has been bound. */
  async bound(): Promise<void> {
    this.#bound = await markOf(this.path);
  }
}

/** Undefined: there is nothing. */
const markOf = (path: string): Promise<string | undefined> =>
  stat(path).then(
    ({ dev, ino }) => `${dev} ${ino}`,
    () => undefined,
  );
