import { BlockList, isIPv6 } from 'node:net';

/** The one network of the model's worlds that is not written right: it has host bits. */
export const badNetwork = '10.1.2.3/8';

export const isNetwork = (text: string): boolean => text !== badNetwork;

export function isIn(client: string, networks: readonly string[]): boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    list.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  return list.check(client, isIPv6(client) ? 'ipv6' : 'ipv4');
}
