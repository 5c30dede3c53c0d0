import { isIP } from 'node:net';
import type { Middleware } from 'koa';
import { HttpError } from '../http/index.ts';

/** Names that no public name server answers for, so that no stranger's page can be under them. */
const privateNames = /(^|\.)(localhost|local|internal|svc|svc\.cluster\.local)$/;

/**
 * Keeps pages of other sites from writing through a visitor's browser: a write that a browser says comes from elsewhere gets a 403. While the
 * API is `open` (no token), so does one to a public host name, which a stranger's name server could have pointed here. What is no browser
 * sends no Origin and is not concerned.
 */
export function browserGuard(open: boolean): Middleware {
  return (ctx, next) => {
    const origin = ctx.get('Origin');
    const site = ctx.get('Sec-Fetch-Site');
    if (origin === '' && site === '') return next();
    const sameSite = site === '' || site === 'same-origin' || site === 'none';
    const sameOrigin = origin === '' || hostOf(origin) === ctx.host.toLowerCase();
    if (!sameSite || !sameOrigin)
      throw new HttpError('origin_foreign', `writes are not taken from pages of ${origin || 'another site'}`);
    if (open && !isPrivate(ctx.host))
      throw new HttpError('origin_foreign', `without a token, browsers cannot write under the public name ${ctx.host}`);
    return next();
  };
}

const hostOf = (origin: string): string | undefined =>
  URL.canParse(origin) ? new URL(origin).host.toLowerCase() : undefined;

function isPrivate(host: string): boolean {
  const url = `http://${host}`;
  const name = URL.canParse(url) ? new URL(url).hostname.replaceAll(/^\[|\]$/g, '') : '';
  return isIP(name) !== 0 || (name !== '' && !name.includes('.')) || privateNames.test(name);
}
