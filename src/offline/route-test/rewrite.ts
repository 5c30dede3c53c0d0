import type * as ir from '../../ir/index.ts';
import type { Scheme } from '../access/index.ts';
import { replaceAll } from './replace-all.ts';
import type { SeenRequest } from './request.ts';
import { withQuery } from './request-view.ts';

/** The path after a rewrite, without query. Undefined: only the proxy can say. Source: HTTPPathModifier. */
export function rewrittenPath(path: string, rewrite: ir.PathRewrite | undefined): string | undefined {
  if (!rewrite) return path;
  if (rewrite.kind === 'full') return rewrite.value;
  if (rewrite.kind === 'regex') return replaceAll(path, rewrite);
  const rest = path.slice(rewrite.from.replace(/\/+$/, '').length);
  return `${rewrite.value.replace(/\/+$/, '')}${rest.startsWith('/') || rest === '' ? rest : `/${rest}`}` || '/';
}

/** The Host that a rewrite sets, as far as the client's request decides it: not by a header, which others write. */
export function rewrittenHost(path: string, { host, hostFrom }: ir.UrlRewrite = {}): string | undefined {
  if (!hostFrom) return host;
  return hostFrom.kind === 'path' ? replaceAll(path, hostFrom) : undefined;
}

/** Where a redirect on a virtual host sends the client: its Location header. */
export function locationOf(
  { scheme, host, port, path, stripQuery }: ir.RedirectAction,
  request: SeenRequest,
  { virtualHost, requestScheme }: { readonly virtualHost: string; readonly requestScheme: Scheme },
): string {
  const own = virtualHost.startsWith('*') ? request.writtenHost : virtualHost;
  const authority = `${host ?? own}${port === undefined ? '' : `:${port}`}`;
  const query = stripQuery ? undefined : request.query;
  return `${scheme ?? requestScheme}://${authority}${withQuery(rewrittenPath(request.path, path) ?? request.path, query)}`;
}
