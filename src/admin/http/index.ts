/** What every HTTP listener of ours does: tokens, Host, errors in one shape, request ids, security headers, lists, tags, opening and closing. */

export { createHttpApp } from './app.ts';
export { bearerOf, isSameToken } from './bearer.ts';
export { compressed } from './compressed.ts';
export { cors } from './cors.ts';
export { entityTag, setTag } from './entity-tag.ts';
export { type ErrorCodeName, errorCodes } from './error-codes.ts';
export { hostGuard } from './host-guard.ts';
export { type ErrorBody, type ErrorDetail, errorBody, HttpError } from './http-error.ts';
export { LazyList } from './json-body.ts';
export { type ListSpec, listPage, readListQuery } from './list.ts';
export { type HttpListener, listen } from './listen.ts';
export { type AnsweredRequest, adminMetrics } from './metrics.ts';
export type { ObserveOptions } from './observe.ts';
export { flag, invalidQuery, oneOf, readQuery, whole } from './query.ts';
export { rateLimit } from './rate-limit.ts';
export { redacted, redactedJson } from './redacted.ts';
export { createTokenSource, type TokenSource } from './token-source.ts';
