/** What an address is that requests of others must not be led to. */
export type AddressKind = 'loopback' | 'unspecified' | 'link-local' | 'metadata' | 'multicast' | 'reserved' | 'private';

/** A range of addresses that no name written by a user may lead to. */
export interface ForbiddenRange {
  /** In CIDR notation. */
  readonly range: string;
  readonly kind: AddressKind;
  /** What it is, for messages: "127.0.0.1 is a …". */
  readonly name: string;
  readonly source: string;
}

const range = (cidr: string, kind: AddressKind, name: string, source: string): ForbiddenRange => ({
  range: cidr,
  kind,
  name,
  source,
});

/**
 * The one table of addresses that only their own machine, link or cloud should reach. IPv4 ranges count in every IPv6 form of them too
 * (`embedded-addresses.ts`).
 */
export const forbiddenRanges: readonly ForbiddenRange[] = [
  range('127.0.0.0/8', 'loopback', 'loopback address', 'RFC 1122, 3.2.1.3'),
  range('::1/128', 'loopback', 'loopback address', 'RFC 4291, 2.5.3'),
  // Linux takes 0.0.0.0 and :: for loopback.
  range('0.0.0.0/8', 'unspecified', 'address of "this host on this network"', 'RFC 1122, 3.2.1.3'),
  range('::/128', 'unspecified', 'unspecified address', 'RFC 4291, 2.5.2'),
  range('169.254.0.0/16', 'link-local', 'link-local address, as clouds have their metadata at', 'RFC 3927'),
  range('fe80::/10', 'link-local', 'link-local address', 'RFC 4291, 2.5.6'),
  range('100.100.100.200/32', 'metadata', 'metadata address of Alibaba Cloud', 'Alibaba Cloud, instance metadata'),
  range('168.63.129.16/32', 'metadata', 'address of Azure’s own services', 'Azure, IP address 168.63.129.16'),
  range('192.0.0.192/32', 'metadata', 'metadata address of Oracle Cloud Classic', 'Oracle Cloud, instance metadata'),
  range('fd00:ec2::/32', 'metadata', 'metadata address of AWS', 'AWS EC2, instance metadata; EKS Pod Identity'),
  range('fd20:ce::254/128', 'metadata', 'metadata address of Google Cloud', 'Google Cloud, metadata server'),
  range('fd00:42::42/128', 'metadata', 'metadata address of Scaleway', 'Scaleway, instance metadata'),
  range('224.0.0.0/4', 'multicast', 'multicast address', 'RFC 5771'),
  range('ff00::/8', 'multicast', 'multicast address', 'RFC 4291, 2.7'),
  range('255.255.255.255/32', 'reserved', 'broadcast address', 'RFC 919'),
  range('240.0.0.0/4', 'reserved', 'reserved address', 'RFC 1112, 4'),
];

/** Networks of one's own: what clients name must not be found there, unless that is wanted. */
export const privateRanges: readonly ForbiddenRange[] = [
  range('10.0.0.0/8', 'private', 'private address', 'RFC 1918'),
  range('172.16.0.0/12', 'private', 'private address', 'RFC 1918'),
  range('192.168.0.0/16', 'private', 'private address', 'RFC 1918'),
  range('100.64.0.0/10', 'private', 'shared address of carriers and clusters', 'RFC 6598'),
  range('192.0.0.0/24', 'private', 'address for protocols', 'RFC 6890'),
  range('198.18.0.0/15', 'private', 'address for benchmarks', 'RFC 2544'),
  range('fc00::/7', 'private', 'unique local address', 'RFC 4193'),
  range('fec0::/10', 'private', 'site-local address', 'RFC 3879'),
];

/** Names that lead to such an address by definition, with all below them. */
export const forbiddenNames: readonly { readonly name: string; readonly why: string; readonly source: string }[] = [
  { name: 'localhost', why: 'the machine itself', source: 'RFC 6761, 6.3' },
  { name: 'localhost.localdomain', why: 'the machine itself', source: '/etc/hosts of Linux distributions' },
  { name: 'localhost6', why: 'the machine itself', source: '/etc/hosts of Linux distributions' },
  { name: 'ip6-localhost', why: 'the machine itself', source: '/etc/hosts of Debian' },
  { name: 'ip6-loopback', why: 'the machine itself', source: '/etc/hosts of Debian' },
  { name: 'metadata.google.internal', why: 'a metadata service', source: 'Google Cloud, metadata server' },
  { name: 'metadata.goog', why: 'a metadata service', source: 'Google Cloud, metadata server' },
  { name: 'instance-data.ec2.internal', why: 'a metadata service', source: 'AWS EC2, instance metadata' },
];
