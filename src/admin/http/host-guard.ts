import { isIP } from 'node:net';
import type { Middleware } from 'koa';
import { HttpError } from './http-error.ts';

/**
 * For an API that is open to whoever reaches it: refuses requests of browsers that came by a name which only looks like ours. A page
 * of another site can have its own name lead here (DNS rebinding), and would then read and write as if it were ours. Addresses,
 * `localhost`, names without a dot and names of a cluster's Services cannot be had by another site; `allowed` are more.
 */
export function hostGuard({ allowed = [] }: { readonly allowed?: readonly string[] } = {}): Middleware {
  return (ctx, next) => {
    const host = hostOf(ctx.get('Host'));
    if (isOurs(host) || allowed.includes(host)) return next();
    throw new HttpError(
      'host_foreign',
      `the Host ${JSON.stringify(host)} is not one that this API goes by without a token`,
    );
  };
}

/** Without port and brackets, in lower case. */
const hostOf = (header: string): string =>
  header
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();

const isOurs = (host: string): boolean =>
  host === '' ||
  isIP(host) !== 0 ||
  !host.includes('.') ||
  host.endsWith('.localhost') ||
  host.endsWith('.svc') ||
  host.endsWith('.cluster.local');
