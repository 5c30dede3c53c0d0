import { isIP } from 'node:net';
import type { EgressOptions } from '../../agent/index.ts';
import { type Config, ConfigError, type ListenAddress } from '../../config/index.ts';

/** Where names of users may lead, as a data plane is configured. Throws ConfigError for a name server that is no address. */
export const egressOf = ({
  backends: { allowedAddresses, clusterDomain },
  dataplane: { controlPlaneHosts, nameServers },
}: Config): EgressOptions => ({
  allowedAddresses,
  clusterDomain,
  ...(controlPlaneHosts && { controlPlaneHosts }),
  ...(nameServers && { nameServers: nameServers.map(serverOf) }),
});

function serverOf({ host = '', port }: ListenAddress): { readonly address: string; readonly port: number } {
  if (isIP(host) !== 0) return { address: host, port };
  throw new ConfigError(`dataplane.nameServers: ${host} is a name: write the address of the DNS server`);
}
