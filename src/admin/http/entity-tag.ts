import type { Context, Middleware } from 'koa';
import { isJsonValue, jsonBody } from './json-body.ts';

/**
 * X-Snapshot-Id on every answer, and an ETag made of the snapshot id and the answer's own bytes: node states and
 * conditions change without the snapshot. `If-None-Match` with the same tag gets 304 and no body. A tag that was set already stays.
 */
export function entityTag(snapshotId: () => string | undefined): Middleware {
  return async (ctx, next) => {
    const id = snapshotId();
    if (id !== undefined) ctx.set('X-Snapshot-Id', id);
    await next();
    if (ctx.status !== 200 || !isJsonValue(ctx.body)) return;
    const isKnown = ctx.res.hasHeader('ETag');
    const { bytes, digest } = await jsonBody(ctx.body, { withDigest: !isKnown });
    ctx.type = 'application/json';
    ctx.body = bytes;
    if (!isKnown) setTag(ctx, `${id ?? 'none'}-${digest}`);
  };
}

/** Sets a tag known before the body is made. Whether the client has that already: the answer is then 304 and done. */
export function setTag(ctx: Context, tag: string): boolean {
  ctx.set('ETag', `"${tag}"`);
  if (!hasTag(ctx.get('If-None-Match'), tag)) return false;
  ctx.status = 304;
  return true;
}

// Not Koa's `fresh`: that one ignores the tag when a request says `Cache-Control: no-cache`, which fetch adds by itself
// to every request with If-None-Match. Source: RFC 9110, section 13.1.2.
const hasTag = (header: string, tag: string): boolean =>
  header.split(',').some((entry) => {
    const candidate = entry.trim();
    return candidate === '*' || candidate.replace(/^W\//, '') === `"${tag}"`;
  });
