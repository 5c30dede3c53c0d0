import type { Middleware } from 'koa';
import { HttpError } from '../http/index.ts';

/**
 * Keeps pages of other sites from writing through a visitor's browser: a write that a browser says comes from elsewhere gets a 403, unless
 * its origin is among `allowedOrigins`. What is no browser sends no Origin and is not concerned.
 */
export function browserGuard(allowedOrigins: readonly string[] = []): Middleware {
  return (ctx, next) => {
    const origin = ctx.get('Origin');
    const site = ctx.get('Sec-Fetch-Site');
    if ((origin === '' && site === '') || allowedOrigins.includes(origin)) return next();
    const sameSite = site === '' || site === 'same-origin' || site === 'none';
    const sameOrigin = origin === '' || hostOf(origin) === ctx.host.toLowerCase();
    if (sameSite && sameOrigin) return next();
    throw new HttpError('origin_foreign', `writes are not taken from pages of ${origin || 'another site'}`);
  };
}

const hostOf = (origin: string): string | undefined =>
  URL.canParse(origin) ? new URL(origin).host.toLowerCase() : undefined;
