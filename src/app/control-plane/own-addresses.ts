import { networkInterfaces } from 'node:os';
import { objectKey } from '../../gateway-api/index.ts';
import type { Core } from './core.ts';

/** Of this machine, and of the control plane's own Services: a policy must not lead to its ports. */
export function ownAddresses({ graph }: Core, hosts: readonly string[]): ReadonlyMap<string, string> {
  const interfaces = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const services = hosts.flatMap((host) => {
    const [name = '', namespace = ''] = host.split('.');
    return graph.find('Service', objectKey(namespace, name))?.spec.clusterIP ?? [];
  });
  const all = [...interfaces.map(({ address }) => address), ...services];
  return new Map(all.map((address) => [address, 'an address of the control plane']));
}
