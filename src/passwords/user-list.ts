import { createHmac } from 'node:crypto';

/** A user's hash, or what is checked in its place for one that is not there. */
export interface FoundHash {
  readonly hash: string;
  readonly isKnown: boolean;
}

/** The users of one policy. Names are bytes, one a character (latin1), as requests have them. */
export class UserList {
  readonly #hashes: ReadonlyMap<string, string>;
  readonly #all: readonly string[];

  /** @param htpasswd lines of `USER:HASH`, in UTF-8, at least one */
  constructor(htpasswd: Uint8Array) {
    const lines = Buffer.from(htpasswd).toString('latin1').split('\n');
    this.#hashes = new Map(
      lines.flatMap((line) => {
        const colon = line.indexOf(':');
        return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1)] as const] : [];
      }),
    );
    this.#all = [...this.#hashes.values()];
  }

  has(user: string): boolean {
    return this.#hashes.has(user);
  }

  /** Of a user who is not there: always the same one, so that the time of a check does not say who is. Undefined: the list is empty. */
  find(user: string, key: Buffer): FoundHash | undefined {
    const known = this.#hashes.get(user);
    if (known !== undefined) return { hash: known, isKnown: true };
    const place = createHmac('sha256', key).update('user').update(user, 'latin1').digest().readUInt32BE();
    const hash = this.#all[place % this.#all.length];
    return hash === undefined ? undefined : { hash, isKnown: false };
  }
}
