import { hasCertificate, readHost, serverOf } from '../model/hosts.ts';
import { catchAll, type Servers } from '../model/servers.ts';
import type { HostFacts } from './explanations.ts';

/** What explanations need to know of a host. */
export function hostFacts(servers: Servers, written: string): HostFacts {
  const host = readHost(written) ?? '';
  const isUnknown = serverOf(servers, host).host === catchAll;
  const above = host.split('.').map((_, at, labels) => `*.${labels.slice(at + 1).join('.')}`);
  return {
    isDeepBelowWildcard: isUnknown && above.some((wildcard) => servers.all.has(wildcard)),
    lacksCertificate: !hasCertificate(servers, host),
  };
}

/** Where no Ingress is known. */
export const noFacts: HostFacts = { isDeepBelowWildcard: false, lacksCertificate: false };
