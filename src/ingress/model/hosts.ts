import { catchAll, type Server, type Servers } from './servers.ts';

/** The host of a request as servers are compared with it: without port and trailing dot, in lower case. Undefined: it is malformed. */
export function readHost(host: string): string | undefined {
  const { name } = /^(?<name>\[[0-9a-f:.]+\]|[^\s:/\\\0[\]]+?)\.?(?::\d*)?$/i.exec(host)?.groups ?? {};
  return name === undefined || name === '' || name.includes('..') ? undefined : name.toLowerCase();
}

/** The server of a host: by its name or alias, else by a wildcard of one label, else the one for all others. */
export function serverOf({ all, aliases, patterns }: Servers, host: string): Server {
  const exact = all.get(host) ?? all.get(aliases.get(host) ?? '');
  if (exact && exact.host !== catchAll) return exact;
  const [, first = '', rest = ''] = /^([^.]+)\.(.+)$/.exec(host) ?? [];
  const wildcard = /^[\w-]+$/.test(first) ? all.get(`*.${rest}`) : undefined;
  if (wildcard) return wildcard;
  const byPattern = patterns.find(({ regex }) => Array.isArray(regex.match(host)));
  return all.get(byPattern?.host ?? catchAll) as Server;
}

/** Whether a certificate is set up for the host: of its own server, else of the wildcard above it. */
export function hasCertificate({ all }: Servers, host: string): boolean {
  const own = [host, host.replace(/^[^.]+\./, '*.')].map((name) => all.get(name));
  return own.some((server) => server?.host !== catchAll && server?.hasCertificate);
}
