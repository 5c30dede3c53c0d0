import type { ObjectKey } from '../../gateway-api/index.ts';
import { certificateOf, isForHost } from '../world/host-certificate.ts';
import type { World } from '../world/world.ts';
import type { Servers } from './servers.ts';

/**
 * The Secret whose certificate clients see that ask for a name by SNI; undefined: the default certificate. A server of that name decides, even if it
 * has no certificate; else the wildcard one label above. Source: `certificate.lua` and `configureCertificates` of ingress-nginx 1.15.1.
 */
export function certificateFor(servers: Servers, name: string, { secrets }: World): ObjectKey | undefined {
  const host = name.replace(/\.$/, '').toLowerCase();
  const server = servers.all.get(host);
  if (server !== undefined && server.wwwOf === undefined) return server.shown;
  const behind = server?.wwwOf ?? servers.aliases.get(host);
  if (behind === undefined) return servers.all.get(host.replace(/^[^.]+\./, '*.'))?.shown;
  const shown = servers.all.get(behind)?.shown;
  return shown !== undefined && isForHost(certificateOf(secrets.get(shown)), host) ? shown : undefined;
}
