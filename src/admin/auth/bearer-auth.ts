import { createHash, timingSafeEqual } from 'node:crypto';
import type { Middleware } from 'koa';
import { HttpError } from '../http/index.ts';
import type { TokenSource } from './token-source.ts';

/** The contract's `bearer-when-configured`: open without a token, 401 for everything but `openPaths` with one. */
export function bearerAuth(token: TokenSource, openPaths: ReadonlySet<string>): Middleware {
  return async (ctx, next) => {
    if (!openPaths.has(ctx.path)) {
      const expected = await token();
      if (expected !== undefined) check(ctx.get('Authorization'), expected.reveal());
    }
    return next();
  };
}

function check(header: string, expected: string): void {
  const given = /^Bearer +(?<token>\S+) *$/i.exec(header)?.groups?.token;
  if (given === undefined) throw unauthorized('a bearer token is required');
  if (!isSame(given, expected)) throw unauthorized('the bearer token is wrong');
}

// Digests have one length, so the comparison tells nothing about where, or how far, a guess was right.
const isSame = (given: string, expected: string): boolean => timingSafeEqual(digest(given), digest(expected));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const unauthorized = (message: string): HttpError =>
  new HttpError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
