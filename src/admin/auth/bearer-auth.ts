import { createHash, timingSafeEqual } from 'node:crypto';
import type { Middleware } from 'koa';
import { HttpError } from '../http/index.ts';
import type { TokenSource } from './token-source.ts';

/** Who may come in. */
export interface Tokens {
  /** For everything. */
  readonly full: TokenSource;
  /** For reading. */
  readonly readOnly: TokenSource;
}

const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Questions that do not fit into a query. A chat is none: a model's answers are paid for. */
export const readingPosts: ReadonlySet<string> = new Set([
  '/v1/route-test',
  '/v1/validate',
  '/v1/diff',
  '/v1/metrics/query',
  '/v1/metrics/query_range',
  '/mcp',
]);

/**
 * The contract's `bearer-when-configured`: open without a token, 401 for everything but `openPaths` with one. The read-only token
 * gets 403 for what may change something. `ctx.state.readOnly` says which one it was.
 */
export function bearerAuth({ full, readOnly }: Tokens, openPaths: ReadonlySet<string>): Middleware {
  return async (ctx, next) => {
    if (openPaths.has(ctx.path)) return next();
    const [expected, reading] = [await full(), await readOnly()];
    if (expected === undefined) return next();
    const given = tokenOf(ctx.get('Authorization'));
    // Both are compared, whatever the first says, so that the time tells nothing about which one was close.
    const [isFull, isReading] = [
      isSame(given, expected.reveal()),
      reading !== undefined && isSame(given, reading.reveal()),
    ];
    if (!isFull && !isReading) throw unauthorized('the bearer token is wrong');
    if (!isFull && !isReadingOnly(ctx)) {
      throw new HttpError('token_read_only', `${ctx.method} needs the full token; this one is for reading`);
    }
    ctx.state.readOnly = !isFull;
    return next();
  };
}

/** Whether a request changes nothing, whatever it asks. */
export const isReadingOnly = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
  readingMethods.has(method) || (method === 'POST' && readingPosts.has(path));

function tokenOf(header: string): string {
  const given = /^Bearer +(?<token>\S+) *$/i.exec(header)?.groups?.token;
  if (given === undefined) throw unauthorized('a bearer token is required');
  return given;
}

// Digests have one length, so the comparison tells nothing about where, or how far, a guess was right.
const isSame = (given: string, expected: string): boolean => timingSafeEqual(digest(given), digest(expected));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const unauthorized = (message: string): HttpError =>
  new HttpError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
