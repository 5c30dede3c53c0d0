import * as ir from '../../ir/index.ts';
import { isUnbelieved } from '../access/index.ts';
import { editedHeaders } from './edited-headers.ts';
import { normalizePath } from './normalize-path.ts';
import type { Rejected, SeenRequest, TestRequest } from './request.ts';

/** How Envoy, as we configure it, reads a request; or what it answers right away. */
export function requestView(
  { method, host: given, path, headers: sent, from }: TestRequest,
  client: ir.ClientSettings = {},
): SeenRequest | Rejected {
  const { underscores = 'Reject', trailingDot = 'Strip', path: settings, healthPath, requestHeaders } = client;
  const host = trailingDot === 'Strip' ? withoutTrailingDot(given) : given;
  const named = sent.filter(([name]) => !ir.isOwnHeader(name) && !isUnbelieved(name, from, client));
  const read = underscores === 'Drop' ? named.filter(([name]) => !name.includes('_')) : named;
  const pseudo = { ':method': method, ':authority': given, ':path': path };
  const headers = requestHeaders ? editedHeaders(read, requestHeaders, pseudo) : read;
  const fault = faultOf(path, underscores === 'Reject' ? read : []);
  if (fault !== undefined) return { status: 400, reason: fault };
  const normalized = normalizePath(path, settings);
  if (normalized.rejected)
    return { status: 400, reason: 'the path has escaped slashes, which the listener takes none of' };
  const isGrpc = /^application\/grpc(\+|$)/.test(headerValues(headers, 'content-type')[0] ?? '');
  if (normalized.redirected && isGrpc)
    return { status: 400, reason: 'the path has escaped slashes, and clients of gRPC follow no redirects' };
  if (normalized.redirected) {
    const location = withQuery(normalized.path, normalized.query);
    const reason = 'the path has escaped slashes: the client is sent to the path with them unescaped';
    return { status: 307, reason, location };
  }
  if (healthPath !== undefined && withQuery(normalized.path, normalized.query) === healthPath)
    return { status: 200, reason: 'the listener answers checks of its load balancer at this path' };
  // Hosts are looked at where routes are.
  const badHost = hostFault(host);
  if (badHost !== undefined) return { status: 400, reason: badHost };
  const parameters = queryParameters(normalized.query);
  return {
    method,
    host: withoutPort(host).toLowerCase(),
    writtenHost: withoutPort(host),
    isGrpc,
    path: normalized.path,
    ...(normalized.query !== undefined && { query: normalized.query }),
    header: (name) => headerValues(name === 'host' ? [['host', host]] : headers, name),
    queryParam: (name) => [parameters.get(name) ?? []].flat(),
  };
}

export const withQuery = (path: string, query: string | undefined): string =>
  query === undefined ? path : `${path}?${query}`;

/** The name of a Host header, in lower case, without its port and without a dot at its end: what TLS handshakes have. */
export const hostNameOf = (host: string): string => withoutPort(withoutTrailingDot(host)).toLowerCase();

/** As Envoy's `strip_trailing_host_dot` does: it looks at the last dot, and whether a port follows. */
const withoutTrailingDot = (host: string): string => host.replace(/\.(?=$|:[^.]*$)/, '');

const oneHost = new RegExp(`^${ir.hostForm}$`);

const hostFault = (host: string): string | undefined =>
  oneHost.test(host) ? undefined : `Host is not the name or the address of one host: ${JSON.stringify(host)}`;

const withoutPort = (host: string): string => host.replace(/(?<=[^:]|\]):\d*$/, '');

function faultOf(path: string, headers: TestRequest['headers']): string | undefined {
  if (path.includes('#')) return 'the path has a fragment (#)';
  const odd = headers.find(([name]) => name.includes('_'));
  return odd && `the name of header ${odd[0]} has an underscore`;
}

const headerValues = (headers: TestRequest['headers'], name: string): string[] =>
  headers.flatMap(([each, value]) => (each === name ? [value] : []));

/** First values, not decoded. */
function queryParameters(query = ''): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of query.split('&').filter(Boolean)) {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    if (!parameters.has(name)) parameters.set(name, value);
  }
  return parameters;
}
