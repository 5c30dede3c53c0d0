import { inspect } from 'node:util';

/**
 * Bytes that must never reach a log line, an admin answer, an error or a golden. However it is printed or serialised it
 * shows as `[redacted]`; the only way to the bytes is `reveal()`.
 */
export class Sensitive {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The bytes themselves, for the one place that sends them to a proxy. */
  reveal(): Uint8Array {
    return this.#bytes;
  }

  toString(): string {
    return '[redacted]';
  }

  toJSON(): string {
    return '[redacted]';
  }

  [inspect.custom](): string {
    return '[redacted]';
  }
}
