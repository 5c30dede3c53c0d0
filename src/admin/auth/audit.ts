import type { Context, Middleware } from 'koa';
import type { Logger } from '../../telemetry/index.ts';
import { HttpError } from '../http/index.ts';
import type { ResourceRef, WriteResult } from '../managed-resources/resource-store.ts';
import { callerOf } from './bearer-auth.ts';
import type { Person } from './kubernetes/person.ts';

/** What a handler reports of its write, for the log. */
export interface WriteAudit {
  ref?: ResourceRef;
  operation?: WriteResult['operation'];
  dryRun?: boolean;
  force?: boolean;
}

/** The record of a request's write, which handlers fill in as they learn more. */
export const auditOf = (ctx: Context): WriteAudit => ctx.state.audit as WriteAudit;

/** One log line for each write: who, what, and what came of it, also when it was rejected. No bodies, no credentials. */
export function audit(logger: Logger): Middleware {
  return async (ctx, next) => {
    ctx.state.audit = {} satisfies WriteAudit;
    try {
      await next();
      logRequest(logger, ctx, 'done', ctx.status);
    } catch (error) {
      reportRejected(logger, ctx, error);
      throw error;
    }
  };
}

/** A log line for each write that gets no further than the door: without a token, with the wrong one, too often, under a foreign name. */
export function auditRejections(logger: Logger, isReading: (request: Context) => boolean): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const gotIn = ctx.state.audit !== undefined || !(error instanceof HttpError) || !doorCodes.has(error.code);
      if (!gotIn && !isReading(ctx)) reportRejected(logger, ctx, error);
      throw error;
    }
  };
}

const doorCodes: ReadonlySet<string> = new Set([
  'unauthorized',
  'token_read_only',
  'access_denied',
  'identity_unavailable',
  'host_foreign',
  'rate_limited',
]);

const reportRejected = (logger: Logger, ctx: Context, error: unknown): void =>
  error instanceof HttpError
    ? logRequest(logger, ctx, error.code, error.status)
    : logRequest(logger, ctx, 'internal_error', 500);

/** Names of people come from elsewhere, and may be of any length. */
const longestUser = 256;

/** Also one who was sent away for want of rights. */
const personOf = (ctx: Context): Person | undefined => ctx.state.person as Person | undefined;

function logRequest(logger: Logger, ctx: Context, result: string, status: number): void {
  const { ref, operation, dryRun, force } = (ctx.state.audit ?? {}) as WriteAudit;
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
      by: callerOf(ctx)?.by,
      user: personOf(ctx)?.username.slice(0, longestUser),
      request_id: ctx.state.requestId,
    },
    'admin write',
  );
}
