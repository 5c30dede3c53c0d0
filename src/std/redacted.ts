import { inspect } from 'node:util';

/** What stands where something secret was taken out. */
export const redactedText = '[redacted]';

/**
 * A value that never reaches a log line, an answer, an error or a golden. However it is printed or serialised it shows as
 * `[redacted]`; the only way to the value is `reveal()`.
 */
export class Redacted<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** The value itself, for the one place that compares or sends it. */
  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return redactedText;
  }

  toJSON(): string {
    return redactedText;
  }

  [inspect.custom](): string {
    return redactedText;
  }
}
