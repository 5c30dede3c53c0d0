import type { Middleware } from 'koa';

/** What a page may use and see beside what every page may. */
const methods = 'GET, HEAD, POST, PUT, DELETE';
const requestHeaders = 'Authorization, Content-Type, If-None-Match, Last-Event-ID, Prefer, X-Request-Id';
const shownHeaders = 'ETag, Link, Preference-Applied, Retry-After, Warning, X-Request-Id, X-Snapshot-Id, X-Total-Count';
const preflightSeconds = '600';

/**
 * Lets pages of these origins use the API (CORS), errors included, and says nothing to any other. Preflights are answered here, for
 * they carry no token. Cookies are never asked for: there are none. Source: Fetch, section 3.3.
 */
export function cors(allowedOrigins: readonly string[]): Middleware {
  const allowed = new Set(allowedOrigins);
  return async (ctx, next) => {
    ctx.vary('Origin');
    const origin = ctx.get('Origin');
    if (!allowed.has(origin)) return await next();
    ctx.set('Access-Control-Allow-Origin', origin);
    ctx.set('Access-Control-Expose-Headers', shownHeaders);
    if (ctx.method !== 'OPTIONS' || ctx.get('Access-Control-Request-Method') === '') return await next();
    ctx.set('Access-Control-Allow-Methods', methods);
    ctx.set('Access-Control-Allow-Headers', requestHeaders);
    ctx.set('Access-Control-Max-Age', preflightSeconds);
    ctx.status = 204;
  };
}
