/**
 * What went wrong with a call to a configured server, as a word that stays the same:
 *
 * | code | when |
 * |---|---|
 * | `blocked` | the address is one that is never called |
 * | `unreachable` | no connection, or it broke; TLS rejected |
 * | `timeout` | no answer in time |
 * | `aborted` | the caller's signal |
 * | `redirected` | the answer leads elsewhere, and is not followed |
 * | `too_large` | the answer is longer than is read |
 */
export type OutgoingErrorCode = 'blocked' | 'unreachable' | 'timeout' | 'aborted' | 'redirected' | 'too_large';

/** The one error of this folder. The message names the server and never a credential. */
export class OutgoingError extends Error {
  override readonly name = 'OutgoingError';
  readonly code: OutgoingErrorCode;
  /** Of `redirected`: where the answer leads. */
  readonly location: string | undefined;

  constructor(code: OutgoingErrorCode, message: string, cause?: unknown, location?: string) {
    super(message, { cause });
    this.code = code;
    this.location = location;
  }

  /** What a failed call to `server` means; `signal` is what it was made with. */
  static from(server: string, caught: unknown, signal: AbortSignal): OutgoingError {
    if (caught instanceof OutgoingError) return caught;
    if (signal.aborted) {
      const isLate = (signal.reason as Error | undefined)?.name === 'TimeoutError';
      return isLate
        ? new OutgoingError('timeout', `${server} did not answer in time`, caught)
        : new OutgoingError('aborted', `the call to ${server} was given up`, caught);
    }
    return new OutgoingError('unreachable', `${server} cannot be reached: ${whyOf(caught)}`, caught);
  }
}

/** Several addresses that fail together come as one error without words of its own. */
function whyOf(caught: unknown): string {
  if (caught instanceof AggregateError && caught.errors.length > 0) return whyOf(caught.errors[0]);
  const { code, message } = caught as NodeJS.ErrnoException;
  return message || code || String(caught);
}
