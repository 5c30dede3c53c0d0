import type { Context, Middleware } from 'koa';
import type { Logger } from '../../telemetry/index.ts';
import { HttpError } from '../http/index.ts';
import type { ResourceRef, WriteResult } from './resource-store.ts';

/** What a handler tells about its write, for the log. */
export interface WriteAudit {
  ref?: ResourceRef;
  operation?: WriteResult['operation'];
  dryRun?: boolean;
  force?: boolean;
}

/** The record of a request's write, which handlers fill in as they learn more. */
export const auditOf = (ctx: Context): WriteAudit => ctx.state.audit as WriteAudit;

/** One log line for each write: who, what, and what came of it, also when it was refused. No bodies, no credentials. */
export function audit(logger: Logger): Middleware {
  return async (ctx, next) => {
    const write: WriteAudit = {};
    ctx.state.audit = write;
    const tell = (result: string, status: number) => {
      const { ref, operation, dryRun, force } = write;
      logger.info(
        {
          audit: true,
          method: ctx.method,
          path: ctx.path,
          ...(ref && { kind: ref.kind.name, namespace: ref.namespace, name: ref.name }),
          operation,
          dryRun,
          force,
          result,
          status,
          peer: ctx.req.socket.remoteAddress,
          with_token: ctx.get('Authorization') !== '',
          request_id: ctx.state.requestId,
        },
        'admin write',
      );
    };
    try {
      await next();
      tell('done', ctx.status);
    } catch (error) {
      if (error instanceof HttpError) tell(error.code, error.status);
      else tell('internal_error', 500);
      throw error;
    }
  };
}
