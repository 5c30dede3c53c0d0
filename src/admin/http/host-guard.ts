import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Middleware } from 'koa';
import { HttpError } from './http-error.ts';

export interface HostGuardOptions {
  /** Names that are ours beside addresses, `localhost` and names of Services. */
  readonly allowed?: readonly string[] | undefined;
  /** Paths of probes, whose Host is never looked at. */
  readonly openPaths?: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/**
 * Rejects requests of browsers that came by a name which only looks like ours. A page of another site can have its own name lead here (DNS
 * rebinding), and would then read and write as if it were ours. Addresses, `localhost`, names without a dot and names of a cluster's
 * Services are not available to another site. It stands behind what asks for tokens: a request that showed one (`ctx.state.readOnly` says
 * which) is no such page's, and may come by any name. Several Host headers are rejected in any case. Source: RFC 9112, section 3.2.
 */
export function hostGuard({ allowed = [], openPaths = none }: HostGuardOptions = {}): Middleware {
  const names = new Set(allowed.map((name) => name.toLowerCase()));
  return (ctx, next) => {
    if (openPaths.has(ctx.path)) return next();
    const hosts = hostsOf(ctx.req);
    if ((ctx.req.headersDistinct.host?.length ?? 0) > 1)
      throw new HttpError('host_repeated', 'the request has several Host headers');
    const foreign = hosts.find((host) => !isOurs(host) && !names.has(host));
    if (foreign === undefined || ctx.state.readOnly !== undefined) return next();
    throw new HttpError(
      'host_foreign',
      `the Host ${JSON.stringify(foreign.slice(0, 255))} is not one that this API goes by without a token`,
    );
  };
}

/** What the request calls us: in its Host header, and in a target that is a whole URL. */
function hostsOf({ headers: { host = '' }, url = '' }: IncomingMessage): readonly string[] {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?([^/?#]*)/i.exec(url)?.[1];
  return authority === undefined ? [nameIn(host)] : [nameIn(host), nameIn(authority)];
}

/** Without port and brackets, in lower case. */
const nameIn = (host: string): string =>
  host
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
