import type { Middleware } from 'koa';
import type { Logger } from '../../telemetry/index.ts';
import { errorBody, HttpError } from './http-error.ts';

/** Turns what is thrown below into the one JSON error shape. Only the message of an HttpError reaches the client. */
export function errors(logger: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = thrown instanceof HttpError ? thrown : unexpected(thrown, ctx.state.requestId, logger);
      ctx.status = error.status;
      ctx.set(error.headers);
      ctx.body = errorBody(error);
    }
  };
}

function unexpected(thrown: unknown, requestId: string, logger: Logger): HttpError {
  const err = thrown instanceof Error ? thrown : new Error('something that is no Error was thrown', { cause: thrown });
  logger.error({ err, request_id: requestId }, 'admin request failed');
  return new HttpError('internal_error', `internal error; the log has it under request id ${requestId}`);
}
