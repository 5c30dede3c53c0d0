import type { IngressNginxModel } from '../../src/ingress/index.ts';
import type { PlacedLocation } from '../../src/ingress/model/locations.ts';
import { textOf } from '../../src/ingress/model/request-path.ts';

/** What the controller writes for a real nginx, as far as it is about paths, rewrites and redirects: what the model is held against. */

/** `locations` of one host; each passes requests on to a port of 127.0.0.1. `toTls` is what those do first that send clients to HTTPS. */
export function locationsText(
  model: IngressNginxModel,
  host: string,
  portOf: (location: PlacedLocation) => number,
  toTls = '',
): string {
  const server = model.servers.all.get(host);
  const all = server?.locations.all ?? [];
  return all
    .map((location, at) => {
      const { sslRedirect, forceSslRedirect } = location.rules;
      const isRedirected = forceSslRedirect || (sslRedirect && server?.hasCertificate);
      return locationText(location, at, portOf(location), isRedirected ? toTls : '');
    })
    .join('\n');
}

/** A location of expressions ignores case and is anchored at its start. */
function locationText(
  { form, path, rules, upstream }: PlacedLocation,
  at: number,
  port: number,
  toTls: string,
): string {
  const own = textOf(path);
  const head = form === 'regex' ? `~* "^${own}"` : form === 'exact' ? `= ${own}` : own;
  const rewrite =
    rules.rewriteTarget === undefined || rules.rewriteTarget === own
      ? ''
      : `rewrite "(?i)${own}" ${rules.rewriteTarget} break;`;
  const redirect = rules.redirect ? `return ${rules.redirect.code} ${rules.redirect.url};` : '';
  const root = rules.appRoot ? `if ($uri = /) { return 302 $scheme://$http_host${rules.appRoot}; }` : '';
  const pass = upstream === 'upstream-default-backend' ? `${redirect} ${toTls} return 404;` : `${redirect} ${toTls}`;
  return `${root}
    location ${head} {
      ${pass}
      ${rewrite}
      port_in_redirect off;
      proxy_set_header Host $http_host;
      proxy_http_version 1.1;
      proxy_set_header X-Location "${at}";
      proxy_pass http://127.0.0.1:${port};
    }`;
}

/** Servers of some hosts on `$PORT` and `$TLS`, with HSTS and redirects to HTTPS as the controller has them. */
export function serversText(
  model: IngressNginxModel,
  hosts: readonly string[],
  portOf: (location: PlacedLocation) => number,
): string {
  const transport = 'max-age=31536000; includeSubDomains';
  const common = `listen $PORT; listen $TLS;
  set $transport ""; if ($scheme = https) { set $transport "${transport}"; }
  add_header Strict-Transport-Security $transport always;`;
  // `$request_uri` has the query, of which one slash at the end is cut.
  const cut = 'if ($request_uri ~ "^(?<cut>.*?)/?$") { set $unused 1; }';
  const toTls = 'if ($scheme = http) { return 308 https://$host$cut; }';
  const servers = hosts.map(
    (host) => `server { ${common} server_name ${nameOf(host)}; ${cut} ${locationsText(model, host, portOf, toTls)} }`,
  );
  return [`server { ${common.replaceAll(/listen \S+(?=;)/g, '$& default_server')} return 404; }`, ...servers].join(
    '\n',
  );
}

/** A wildcard stands for one label. */
const nameOf = (host: string): string =>
  host.startsWith('*.') ? `~^[\\w-]+${host.slice(1).replaceAll('.', '\\.')}$` : host;
