import { hostname, networkInterfaces } from 'node:os';

/**
 * What a serving certificate is for: the host that proxies call and, if that is a Service, its other names; this machine's
 * own name and addresses. Sorted, each once.
 */
export function servingHosts(host: string): string[] {
  const [, service, namespace] = /^([a-z0-9-]+)\.([a-z0-9-]+)\.svc(?:\.|$)/.exec(host) ?? [];
  const names =
    service === undefined
      ? []
      : [
          service,
          `${service}.${namespace}`,
          `${service}.${namespace}.svc`,
          `${service}.${namespace}.svc.cluster.local`,
        ];
  const addresses = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
  const hosts = [host, ...names, 'localhost', hostname(), ...addresses];
  // A link-local IPv6 address is written with its interface here.
  return [...new Set(hosts.filter((each) => !each.includes('%')))].sort();
}
