import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether a listen address with this host is reached from this machine only; without a host it is every address. */
export function isLoopback(host: string | undefined): boolean {
  if (host === undefined) return false;
  const version = isIP(host);
  return version === 0 ? host === 'localhost' : loopback.check(host, version === 6 ? 'ipv6' : 'ipv4');
}

/** A host to call in order to reach, from this machine, what listens on `host`. */
export function hostFromHere(host: string | undefined): string {
  if (host === undefined || host === '0.0.0.0') return '127.0.0.1';
  return /^[0:]+$/.test(host) ? '::1' : host;
}
