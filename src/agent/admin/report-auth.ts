import type { Middleware } from 'koa';
import { bearerOf, HttpError, isSameToken, type TokenSource } from '../../admin/http/index.ts';
import type { SecretText } from '../../config/index.ts';

export interface ReportAuthOptions {
  /** What the control plane was sent on its stream. */
  readonly own: SecretText;
  /** What others may show; each gives undefined where there is none. */
  readonly tokens: readonly TokenSource[];
  readonly openPaths: ReadonlySet<string>;
}

/**
 * Lets the control plane of this agent read its reports, and those whom the configuration gives a token: 401 for all others. The port is open to the
 * network, and to the very proxy, which may be led to it by what tenants write.
 */
export function reportAuth({ own, tokens, openPaths }: ReportAuthOptions): Middleware {
  return async (ctx, next) => {
    if (openPaths.has(ctx.path)) return next();
    const given = bearerOf(ctx.get('Authorization'));
    if (given === undefined) throw unauthorized('reports of an agent need a bearer token');
    const configured = await Promise.all(tokens.map((token) => token()));
    // All are compared, even after a match, so that the time does not show which one was close.
    const matches = [own, ...configured].map((known) => known !== undefined && isSameToken(given, known.reveal()));
    if (!matches.includes(true)) throw unauthorized('the bearer token is wrong');
    ctx.state.readOnly = true;
    return next();
  };
}

const advice = 'ask the control plane for them (/v1/dataplanes), or send a token of dataplane.adminAuth';

const unauthorized = (what: string): HttpError =>
  new HttpError('unauthorized', `${what}: ${advice}`, { headers: { 'WWW-Authenticate': 'Bearer' } });
