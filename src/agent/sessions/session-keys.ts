import { randomBytes } from 'node:crypto';
import { ConfigError, findSessionKey, readSessionKey } from '../../config/index.ts';
import type { Logger } from '../../telemetry/index.ts';

/** Paths of the files that hold keys. */
export interface SessionKeyFiles {
  /** Without one, a key is made up. */
  readonly current?: string | undefined;
  /** The key before, whose tokens are still taken; a file that is not there is none. */
  readonly previous?: string | undefined;
}

export interface SessionKeysOptions {
  readonly files: SessionKeyFiles;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** The keys of one moment. */
export interface KeyRing {
  /** Another one whenever a key is another. */
  readonly generation: number;
  /** New tokens are made with the first; those of the others are taken. */
  readonly keys: readonly [Buffer, ...Buffer[]];
}

/** How old what was read may be. Secrets that are mounted change by themselves, and not every file system reports it. */
const freshMs = 1000;

/**
 * The keys for sticky sessions. Files are read again when a key is asked for and a second has gone by, so a new key needs no restart; one that
 * cannot be used is logged, and the former stays. The constructor throws ConfigError for a file that cannot be used. When there is none, it is a
 * warning once a session needs a key, and before that no more than a note: most data planes have no sticky sessions.
 */
export class SessionKeys {
  readonly #options: SessionKeysOptions;
  #ring: KeyRing;
  #readAt: number;
  #complaint: string | undefined;
  #hasWarned = false;

  constructor(options: SessionKeysOptions) {
    this.#options = options;
    const { files, logger, now } = options;
    if (files.current === undefined) logger.info(ephemeralWarning);
    this.#ring = { generation: 1, keys: files.current === undefined ? [randomBytes(32)] : readKeys(files) };
    this.#readAt = now().getTime();
  }

  current(): KeyRing {
    const { files, logger, now } = this.#options;
    if (files.current === undefined && !this.#hasWarned) logger.warn(ephemeralWarning);
    this.#hasWarned = true;
    const at = now().getTime();
    if (files.current !== undefined && Math.abs(at - this.#readAt) >= freshMs) {
      this.#readAt = at;
      this.#reread();
    }
    return this.#ring;
  }

  #reread(): void {
    try {
      const keys = readKeys(this.#options.files);
      this.#complaint = undefined;
      if (sameKeys(keys, this.#ring.keys)) return;
      this.#ring = { generation: this.#ring.generation + 1, keys };
      this.#options.logger.info({ keys: keys.length }, 'the key for session persistence has changed');
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      if (error.message === this.#complaint) return;
      this.#complaint = error.message;
      this.#options.logger.error(`${error.message}; the key that was read before stays in use`);
    }
  }
}

const ephemeralWarning =
  'no secret key for session persistence is configured: the key is auto-generated and not shared across replicas or restarts; set session_persistence.secret_key_file (sharedSecretFile) to a file with at least 32 random bytes';

function readKeys({ current, previous }: SessionKeyFiles): [Buffer, ...Buffer[]] {
  const key = readSessionKey(current as string);
  const former = previous === undefined ? undefined : findSessionKey(previous);
  return former && !former.equals(key) ? [key, former] : [key];
}

const sameKeys = (some: readonly Buffer[], others: readonly Buffer[]): boolean =>
  some.length === others.length && some.every((key, index) => key.equals(others[index] as Buffer));
