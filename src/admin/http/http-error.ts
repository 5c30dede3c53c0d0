import { type ErrorCodeName, errorCodes } from './error-codes.ts';

/** One cause of an error: where, and what. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

export interface HttpErrorOptions {
  readonly details?: readonly ErrorDetail[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is wrong may be quoted, and as long as its sender liked. */
export const longestText = 1_000;

const cut = (text: string): string => (text.length > longestText ? `${text.slice(0, longestText)}…` : text);

/** A request that is answered with an error. The message is for the client; the status follows from the code. */
export class HttpError extends Error {
  readonly code: ErrorCodeName;
  readonly status: number;
  readonly details: readonly ErrorDetail[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCodeName, message: string, { details = [], headers = {} }: HttpErrorOptions = {}) {
    super(cut(message));
    this.name = 'HttpError';
    this.code = code;
    this.status = errorCodes[code].status;
    this.details = details.map((detail) => ({ path: cut(detail.path), message: cut(detail.message) }));
    this.headers = headers;
  }
}

/** The body of every error answer. `details` is there only when there are some. */
export interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly details?: readonly ErrorDetail[] };
}

export const errorBody = ({ code, message, details }: HttpError): ErrorBody => ({
  error: { code, message, ...(details.length > 0 && { details }) },
});
