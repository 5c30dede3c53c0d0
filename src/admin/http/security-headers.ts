import type { Middleware } from 'koa';
import helmet from 'koa-helmet';

const headers = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] },
  },
  // The admin API speaks plain HTTP; a proxy before it that adds TLS decides about this.
  strictTransportSecurity: false,
  crossOriginEmbedderPolicy: true,
});

/** What a browser may do with an answer: nothing, not even keep it. */
export const securityHeaders: Middleware = (ctx, next) => {
  ctx.set('Cache-Control', 'no-store');
  return headers(ctx, next);
};
