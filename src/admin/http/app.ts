import type { Router } from '@koa/router';
import Koa, { type Middleware } from 'koa';
import type { Logger } from '../../telemetry/index.ts';
import { errors } from './errors.ts';
import { type ObserveOptions, observe } from './observe.ts';
import { requestId } from './request-id.ts';
import { securityHeaders } from './security-headers.ts';
import { unmatched } from './unmatched.ts';

/**
 * A Koa app that answers what `router` knows, with what every admin listener of ours does around it. `guards` let a
 * request through or throw. The order matters: what is outside sees the answer that `errors` made of anything thrown
 * inside.
 */
export function createHttpApp(options: ObserveOptions, router: Router, guards: readonly Middleware[] = []): Koa {
  const app = new Koa();
  app.on('error', (error: NodeJS.ErrnoException) => logBrokenAnswer(error, options.logger));
  // The router's own type asks for a context that only the router makes, which it does when it is called.
  const routes = router.routes() as Middleware;
  for (const middleware of [
    requestId,
    securityHeaders,
    observe(options),
    errors(options.logger),
    ...guards,
    routes,
    unmatched,
  ]) {
    app.use(middleware);
  }
  return app;
}

// Whatever reaches Koa itself happened while an answer was on its way; mostly the client's doing, and so nothing that a log fills with.
function logBrokenAnswer(err: NodeJS.ErrnoException, logger: Logger): void {
  if (isOfClient(err)) logger.debug({ code: err.code, reason: err.message }, 'answer could not be sent');
  else logger.error({ err }, 'answer could not be sent');
}

/** The client left, sent a part of its request and no more, or what is no HTTP. */
const isOfClient = ({ code = '' }: NodeJS.ErrnoException): boolean =>
  ['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_HTTP_REQUEST_TIMEOUT', 'ERR_STREAM_PREMATURE_CLOSE'].includes(code) ||
  code.startsWith('HPE_');
