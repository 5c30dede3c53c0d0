import type * as ir from '../../ir/index.ts';
import type { Scheme } from '../access/index.ts';
import type { SeenRequest } from './request.ts';
import { withQuery } from './request-view.ts';

/** The path after a rewrite, without query. Source: HTTPPathModifier. */
export function rewrittenPath(path: string, rewrite: ir.PathRewrite | undefined): string {
  if (!rewrite) return path;
  if (rewrite.kind === 'full') return rewrite.value;
  const rest = path.slice(rewrite.from.replace(/\/+$/, '').length);
  return `${rewrite.value.replace(/\/+$/, '')}${rest.startsWith('/') || rest === '' ? rest : `/${rest}`}` || '/';
}

/** Where a redirect on a virtual host sends the client: its Location header. */
export function locationOf(
  { scheme, host, port, path }: ir.RedirectAction,
  request: SeenRequest,
  { virtualHost, requestScheme }: { readonly virtualHost: string; readonly requestScheme: Scheme },
): string {
  const own = virtualHost.startsWith('*') ? request.writtenHost : virtualHost;
  const authority = `${host ?? own}${port === undefined ? '' : `:${port}`}`;
  return `${scheme ?? requestScheme}://${authority}${withQuery(rewrittenPath(request.path, path), request.query)}`;
}
