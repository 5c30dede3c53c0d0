import type { KeysFailure } from '../key-sets/index.ts';
import { OutgoingError } from '../outgoing/index.ts';

/** Why keys could not be fetched, as a status says it. The message has nothing in it that the server chose, beyond short quotes. */
export class FetchFault extends Error {
  override readonly name = 'FetchFault';
  readonly reason: KeysFailure['reason'];
  /** For metrics: a word of a short list. */
  readonly outcome: 'blocked' | 'unreachable' | 'timeout' | 'too_large' | 'invalid';

  constructor(
    message: string,
    {
      reason = 'KeysNotFetched',
      outcome = 'invalid',
      cause,
    }: { reason?: KeysFailure['reason']; outcome?: FetchFault['outcome']; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.reason = reason;
    this.outcome = outcome;
  }

  static from(caught: unknown): FetchFault {
    if (caught instanceof FetchFault) return caught;
    if (!(caught instanceof OutgoingError)) return new FetchFault(String(caught), { cause: caught });
    const { code, message } = caught;
    const outcome = code === 'redirected' ? 'invalid' : code === 'aborted' ? 'timeout' : code;
    return new FetchFault(message, { outcome, cause: caught });
  }
}
