import { OutgoingError } from '../outgoing/index.ts';

/** Why a module could not be pulled, as a status says it. The message has nothing in it that the registry chose, beyond short quotes. */
export class PullFault extends Error {
  override readonly name = 'PullFault';

  static from(caught: unknown): PullFault {
    if (caught instanceof PullFault) return caught;
    const message =
      caught instanceof OutgoingError ? caught.message : `it cannot be read: ${String(caught).slice(0, 200)}`;
    return new PullFault(message, { cause: caught });
  }
}
