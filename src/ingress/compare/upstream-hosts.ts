import type { IngressNginxModel } from '../model/model.ts';
import { defaultUpstream } from '../model/upstreams.ts';
import type { HostsOfUpstream } from './read-access-log.ts';

/**
 * The host of a line of the controller's own log format, which has none: the one whose request for the path goes to the upstream of the line. Of
 * several the first by name; of none, none.
 */
export function upstreamHosts(model: IngressNginxModel | undefined): HostsOfUpstream {
  if (!model) return () => undefined;
  const hosts = hostsByUpstream(model);
  return (upstream, target) => {
    // Every host may have requests that no path takes.
    const candidates = upstream === defaultUpstream ? [] : (hosts.get(upstream) ?? []);
    const host = candidates.find((each) => leadsTo(model, each, target, upstream)) ?? candidates[0];
    if (host === undefined) return undefined;
    return { host, scheme: model.servers.all.get(host)?.hasCertificate ? 'https' : 'http' };
  };
}

function hostsByUpstream({ servers }: IngressNginxModel): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const { host, locations } of servers.all.values()) {
    if (host === '_' || host.startsWith('*')) continue;
    for (const upstream of new Set(locations.all.map((location) => location.upstream)))
      hosts.set(upstream, [...(hosts.get(upstream) ?? []), host]);
  }
  return hosts;
}

function leadsTo(model: IngressNginxModel, host: string, target: string, upstream: string): boolean {
  const { forwarded } = model.answer({ method: 'GET', scheme: 'https', host, target, headers: [] });
  return (forwarded?.backends ?? []).some(
    ({ namespace, service, port }) => `${namespace}-${service}-${port}` === upstream,
  );
}
