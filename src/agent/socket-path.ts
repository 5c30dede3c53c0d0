import { rm, stat } from 'node:fs/promises';

/** The path of a unix socket that another process may remove, or put another file into. */
export class SocketPath {
  readonly path: string;
  #bound: string | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** What was bound here is still what a client finds. */
  async holds(): Promise<boolean> {
    return this.#bound !== undefined && (await markOf(this.path)) === this.#bound;
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
