import { BlockList, isIP } from 'node:net';
import type * as ir from '../../ir/index.ts';

export const networkText = ({ address, prefixLength }: ir.Cidr): string => `${address}/${prefixLength}`;

/** The first of the networks that has the address. */
export const networkOf = (address: string, networks: readonly ir.Cidr[]): ir.Cidr | undefined =>
  networks.find((network) => has(network, address));

function has({ address: network, prefixLength }: ir.Cidr, address: string): boolean {
  const family = isIP(network);
  if (family === 0 || isIP(address) !== family) return false;
  const list = new BlockList();
  const name = family === 4 ? 'ipv4' : 'ipv6';
  list.addSubnet(network, prefixLength, name);
  return list.check(address, name);
}
