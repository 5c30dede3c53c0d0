import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context, Middleware } from 'koa';
import { isJsonValue, jsonBody } from './json-body.ts';

const pack = promisify(gzip);

/** Below this a packed answer saves no packet. Bytes. */
const leastBytes = 2_048;
/** Most of the gain at a third of the time that the default level takes. */
const level = 4;
/** Packing takes threads that file reads and name lookups need too: what exceeds this goes out as it is. */
const mostAtOnce = 2;

/** Packs large answers in JSON for clients that accept gzip. Streams are left alone. */
export function compressed(): Middleware {
  let running = 0;
  return async (ctx, next) => {
    await next();
    if (isJsonValue(ctx.body)) await toBytes(ctx);
    const { body } = ctx;
    if (!Buffer.isBuffer(body) || body.length < leastBytes || !ctx.type.endsWith('json')) return;
    ctx.vary('Accept-Encoding');
    if (ctx.method === 'HEAD' || running >= mostAtOnce || ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') return;
    running += 1;
    try {
      ctx.body = await pack(body, { level });
    } finally {
      running -= 1;
    }
    ctx.set('Content-Encoding', 'gzip');
    weaken(ctx);
  };
}

/** In steps, which Koa itself would not do. */
async function toBytes(ctx: Context): Promise<void> {
  const type = ctx.response.get('Content-Type') || 'application/json';
  const { bytes } = await jsonBody(ctx.body, { withDigest: false });
  ctx.body = bytes;
  ctx.set('Content-Type', type);
}

/** A strong tag says that the bytes are the same. Source: RFC 9110, section 8.8.3.3. */
function weaken(ctx: Context): void {
  // Koa gives undefined for a header that is not there, whatever its types say.
  const tag = ctx.res.getHeader('ETag');
  if (typeof tag === 'string' && !tag.startsWith('W/')) ctx.set('ETag', `W/${tag}`);
}
