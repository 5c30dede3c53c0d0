import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { OutgoingError } from './outgoing-error.ts';

export interface AddressGuardOptions {
  /** Whether servers on this machine may be called. */
  readonly allowLoopback: boolean;
}

/**
 * Decides which addresses may be called. Whoever may configure a server must not get at what only this machine can reach: metadata
 * services of clouds, its own link, and, unless allowed, itself.
 */
export class AddressGuard {
  readonly #never = neverCalled();
  readonly #loopback = loopback();
  readonly #allowLoopback: boolean;

  constructor({ allowLoopback }: AddressGuardOptions) {
    this.#allowLoopback = allowLoopback;
  }

  /** Why an IP address is not called; undefined: it may be. */
  faultOf(address: string): string | undefined {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (this.#never.check(address, family))
      return `${address} is an address that is never called (link-local, metadata, multicast or unspecified)`;
    if (this.#allowLoopback || !this.#loopback.check(address, family)) return undefined;
    return `${address} is this machine itself, which is called only with outgoing.allowLoopback: true`;
  }

  /** Throws a `blocked` OutgoingError for a URL whose host is written as such an address. Names are looked at when they are resolved. */
  check(url: URL): void {
    const host = hostOf(url);
    const fault = isIP(host) === 0 ? undefined : this.faultOf(host);
    if (fault !== undefined) throw new OutgoingError('blocked', fault);
  }

  /**
   * Resolves a name for one connection. The addresses that were looked at are the ones that are connected to, so a name that changes
   * meanwhile gains nothing; one bad address among several is enough to refuse.
   */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const fault = addresses.map(({ address }) => this.faultOf(address)).find((each) => each !== undefined);
      if (fault !== undefined) return callback(new OutgoingError('blocked', `${hostname}: ${fault}`), '');
      const [first] = addresses;
      if (options.all) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family);
    });
  };
}

/** Without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

function neverCalled(): BlockList {
  const list = new BlockList();
  list.addSubnet('0.0.0.0', 8, 'ipv4');
  list.addSubnet('169.254.0.0', 16, 'ipv4');
  list.addSubnet('224.0.0.0', 4, 'ipv4');
  list.addSubnet('240.0.0.0', 4, 'ipv4');
  // Metadata services outside of the link-local range.
  list.addAddress('100.100.100.200', 'ipv4');
  list.addAddress('192.0.0.192', 'ipv4');
  list.addAddress('168.63.129.16', 'ipv4');
  list.addAddress('fd00:ec2::254', 'ipv6');
  list.addAddress('fd20:ce::254', 'ipv6');
  list.addAddress('::', 'ipv6');
  list.addSubnet('fe80::', 10, 'ipv6');
  list.addSubnet('ff00::', 8, 'ipv6');
  // IPv4 addresses in other clothes: NAT64 and 6to4 of the link-local range, and IPv4-compatible ones.
  list.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');
  list.addSubnet('2002:a9fe::', 32, 'ipv6');
  list.addSubnet('::a9fe:0', 112, 'ipv6');
  return list;
}

function loopback(): BlockList {
  const list = new BlockList();
  list.addSubnet('127.0.0.0', 8, 'ipv4');
  list.addAddress('::1', 'ipv6');
  list.addSubnet('64:ff9b::7f00:0', 104, 'ipv6');
  list.addSubnet('2002:7f00::', 24, 'ipv6');
  list.addSubnet('::7f00:0', 104, 'ipv6');
  return list;
}
