import type { Middleware } from 'koa';
import type { Logger } from '../../telemetry/index.ts';
import type { AnsweredRequest } from './metrics.ts';

export interface ObserveOptions {
  /** Which app speaks, such as `layout1`. */
  readonly app: string;
  readonly logger: Logger;
  readonly onRequest?: (request: AnsweredRequest) => void;
}

/** Reports each answered request, by the pattern of its path, to the metrics, and to the log at level debug. */
export function observe({ app, logger, onRequest }: ObserveOptions): Middleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    await next();
    const seconds = (performance.now() - startedAt) / 1000;
    const route = typeof ctx._matchedRoute === 'string' ? ctx._matchedRoute : 'unmatched';
    const { method, path, status } = ctx;
    const requestId = ctx.state.requestId as string;
    const traceparent = ctx.get('traceparent') || undefined;
    onRequest?.({ app, method, route, status, seconds, path, requestId, traceparent });
    logger.debug({ app, method, path, status, seconds, request_id: requestId }, 'admin request');
  };
}
