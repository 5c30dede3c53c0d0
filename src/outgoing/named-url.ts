import { type HostRules, isClusterName, plainName } from '../egress/index.ts';

/** A URL that a server's answer names, or what is wrong with it, as the end of a sentence. */
type NamedUrl = { readonly url: URL } | { readonly fault: string; readonly isBlocked: boolean };

/** It is https, has no credentials, and leads to no Service of the cluster but to the server's own. `text` may be relative to `server`. */
export function namedUrl(server: URL, text: string, { clusterDomain }: Pick<HostRules, 'clusterDomain'>): NamedUrl {
  const quoted = JSON.stringify(text.slice(0, 200));
  const url = URL.canParse(text, server.href) ? new URL(text, server) : undefined;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
    return { fault: `${quoted}, which is no https URL`, isBlocked: false };
  const isOwn = url.hostname === server.hostname;
  if (!isOwn && isClusterName(plainName(url.hostname), clusterDomain))
    return { fault: `${quoted}, a name of the cluster`, isBlocked: true };
  return { url };
}
