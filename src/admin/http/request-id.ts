import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';

const acceptable = /^[A-Za-z0-9._-]{1,128}$/;

/** Gives each request an id, the client's own when it is a harmless one: in `ctx.state.requestId` and the answer's X-Request-Id. */
export const requestId: Middleware = (ctx, next) => {
  const given = ctx.get('X-Request-Id');
  ctx.state.requestId = acceptable.test(given) ? given : randomUUID();
  ctx.set('X-Request-Id', ctx.state.requestId);
  return next();
};
