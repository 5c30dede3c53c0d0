/**
 * What went wrong with one request, as a word that stays the same:
 *
 * | code | when |
 * |---|---|
 * | `unreachable` | no connection, or it broke; TLS rejected |
 * | `timeout` | no answer, or no sign of life on a watch, in time |
 * | `aborted` | the caller's signal |
 * | `unauthorized`, `forbidden` | 401, 403 |
 * | `not-found` | 404: no such object, or no such kind |
 * | `conflict`, `already-exists` | 409 by its reason |
 * | `expired` | 410: the resourceVersion is too old (or unknown to a restored API server); list again |
 * | `invalid` | 422 and 400 |
 * | `throttled` | 429; see `retryAfterMs` |
 * | `unavailable` | 5xx |
 * | `malformed` | an answer that is not what the API promises |
 * | `rejected` | any other status |
 */
export type KubeErrorCode =
  | 'unreachable'
  | 'timeout'
  | 'aborted'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'already-exists'
  | 'expired'
  | 'invalid'
  | 'throttled'
  | 'unavailable'
  | 'malformed'
  | 'rejected';

/** The parts of a Kubernetes `Status` object that are read. */
export interface StatusBody {
  readonly kind?: string;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly kind?: string;
    readonly name?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
  };
}

interface KubeErrorInit {
  readonly code: KubeErrorCode;
  readonly message: string;
  readonly status?: number | undefined;
  readonly reason?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly body?: StatusBody | undefined;
  readonly cause?: unknown;
}

/** The one error of this folder: a request to the API server that did not give what was asked for. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly code: KubeErrorCode;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** `reason` of the API server's Status, such as `AlreadyExists`; empty when it gave none. */
  readonly reason: string;
  /** How long the server asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The API server's Status; undefined when it gave none. */
  readonly body: StatusBody | undefined;

  constructor(init: KubeErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = init.code;
    this.status = init.status ?? 0;
    this.reason = init.reason ?? '';
    this.retryAfterMs = init.retryAfterMs;
    this.body = init.body;
  }

  /** The error for an answer of the API server, or for an ERROR event of a watch. `retryAfter` is the HTTP header. */
  static fromStatus(what: string, status: number, body: StatusBody | undefined, retryAfter?: string): KubeError {
    const reason = body?.reason ?? '';
    const seconds = body?.details?.retryAfterSeconds ?? Number(retryAfter);
    return new KubeError({
      code: codeOf(status, reason, body),
      status,
      reason,
      body,
      message: `${what}: ${body?.message ?? `HTTP ${status}`}`,
      retryAfterMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined,
    });
  }

  /** Any caught value as a KubeError: itself, or what a failed connection means. */
  static from(what: string, caught: unknown): KubeError {
    if (caught instanceof KubeError) return caught;
    const error = caught instanceof Error ? caught : new Error(String(caught));
    const code = error.name === 'AbortError' ? 'aborted' : 'unreachable';
    return new KubeError({ code, message: `${what}: ${describe(error)}`, cause: error });
  }
}

/** A connection attempt to several addresses fails with an AggregateError, whose own message is empty. */
function describe(error: Error): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map((inner) => (inner instanceof Error ? inner.message : String(inner))).join('; ');
  }
  return error.message;
}

function codeOf(status: number, reason: string, body: StatusBody | undefined): KubeErrorCode {
  // An API server restored from a backup answers 504 to resourceVersions of its lost future; only a new list helps.
  const tooLarge = body?.details?.causes?.some((cause) => cause.reason === 'ResourceVersionTooLarge') ?? false;
  if (tooLarge || status === 410 || reason === 'Expired' || reason === 'Gone') return 'expired';
  switch (status) {
    case 400:
    case 422:
      return 'invalid';
    case 401:
      return 'unauthorized';
    case 403:
      return 'forbidden';
    case 404:
      return 'not-found';
    case 409:
      return reason === 'AlreadyExists' ? 'already-exists' : 'conflict';
    case 429:
      return 'throttled';
    default:
      return status >= 500 ? 'unavailable' : 'rejected';
  }
}
