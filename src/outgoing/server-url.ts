/** A URL of a server to call, or why a text is none. */
export type ServerUrl =
  | { readonly url: URL; readonly fault?: undefined }
  | { readonly url?: undefined; readonly fault: string };

/** Reads the address of a server: http or https, without credentials, query and fragment. */
export function readServerUrl(text: string): ServerUrl {
  if (!URL.canParse(text)) return { fault: 'is no URL: write it like http://prometheus.monitoring.svc:9090' };
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { fault: `has the scheme ${url.protocol.slice(0, -1)}: only http and https are called` };
  if (url.username !== '' || url.password !== '')
    return { fault: 'has credentials in it: they have a field of their own' };
  if (url.search !== '' || url.hash !== '') return { fault: 'has a query or a fragment: leave it out' };
  return { url };
}

/** `path` below the server's own path. */
export function below(server: URL, path: string): URL {
  const url = new URL(server);
  url.pathname = `${server.pathname.replace(/\/+$/, '')}${path}`;
  return url;
}
