import type { Context, Middleware } from 'koa';
import { HttpError, setTag } from '../http/index.ts';
import { type PageFile, type PageFiles, readPageFiles } from './page-files.ts';

/**
 * What a browser may do with the page: run and style it with files of its own origin, and ask that origin. No inline code, no other site.
 * Source: Content Security Policy Level 3; Trusted Types.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** An asset's name has a hash of its content. */
const forAYear = 'public, max-age=31536000, immutable';

export interface ServePageOptions {
  /** The built page; none: there is no page. Read at the first request, so that it costs a start nothing. */
  readonly folder: string | undefined;
  /** Rejects requests by names that other sites can point here. */
  readonly hostGuard: Middleware;
}

/**
 * Answers `/`, `/index.html` and `/assets/…` from memory, to clients without a token too: the page holds nothing of the cluster. Everything
 * else goes on to the API.
 */
export function servePage({ folder, hostGuard }: ServePageOptions): Middleware {
  let files: Promise<PageFiles> | undefined;
  return async (ctx, next) => {
    if (folder === undefined || !isOfPage(ctx.path)) return await next();
    files ??= readPageFiles(folder);
    await hostGuard(ctx, () => answer(ctx, files as Promise<PageFiles>, next));
  };
}

const isOfPage = (path: string): boolean => path === '/' || path === '/index.html' || path.startsWith('/assets/');

async function answer(ctx: Context, files: Promise<PageFiles>, next: () => Promise<void>): Promise<void> {
  const isDocument = !ctx.path.startsWith('/assets/');
  ctx._matchedRoute = isDocument ? '/' : '/assets/:name';
  const file = (await files).get(isDocument ? '/index.html' : ctx.path);
  if (file === undefined) return await next();
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD')
    throw new HttpError('method_not_allowed', `${ctx.path} takes GET, HEAD, not ${ctx.method}`, {
      headers: { Allow: 'GET, HEAD' },
    });
  send(ctx, file, isDocument);
}

function send(ctx: Context, { type, tag, bodies }: PageFile, isDocument: boolean): void {
  ctx.vary('Accept-Encoding');
  ctx.set('Cache-Control', isDocument ? 'no-cache' : forAYear);
  ctx.set('Content-Security-Policy', policy);
  const accepted = ctx.acceptsEncodings('br', 'gzip', 'identity');
  const encoding = accepted === 'br' || accepted === 'gzip' ? accepted : 'identity';
  const packed = encoding === 'identity' ? undefined : bodies[encoding];
  // Each packing is a representation of its own. Source: RFC 9110, section 8.8.3.3.
  if (setTag(ctx, packed === undefined ? tag : `${tag}-${encoding}`)) return;
  if (packed !== undefined) ctx.set('Content-Encoding', encoding);
  ctx.type = type;
  ctx.body = packed ?? bodies.identity;
}
