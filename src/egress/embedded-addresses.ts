import { isIPv4 } from 'node:net';

const mapped = '::ffff:';
const nat64Prefix = '64:ff9b::';

/** An IPv4 address that an IPv6 address stands for. */
export interface EmbeddedAddress {
  readonly address: string;
  /** How it is embedded: for messages. */
  readonly form: string;
  /** The address may as well be another one that only looks like this. */
  readonly uncertain?: true;
}

interface Form {
  readonly form: string;
  /** The address begins with these bytes. */
  readonly prefix: readonly number[];
  /** Which bytes are those of the IPv4 address. */
  readonly at: readonly [number, number, number, number];
  /** Their bits are turned round. */
  readonly inverted?: true;
  readonly uncertain?: true;
}

const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);
const last = [12, 13, 14, 15] as const;
const nat64 = [0x00, 0x64, 0xff, 0x9b];
const localNat64 = [...nat64, 0x00, 0x01];

/** Every standard way to write an IPv4 address as one of IPv6. */
export const embeddings: readonly Form[] = [
  { form: 'IPv4-mapped, RFC 4291', prefix: [...zeros(10), 0xff, 0xff], at: last },
  { form: 'IPv4-compatible, RFC 4291', prefix: zeros(12), at: last },
  { form: 'IPv4-translated, RFC 7915', prefix: [...zeros(8), 0xff, 0xff, 0, 0], at: last },
  { form: 'NAT64, RFC 6052', prefix: [...nat64, ...zeros(8)], at: last },
  { form: '6to4, RFC 3056', prefix: [0x20, 0x02], at: [2, 3, 4, 5] },
  { form: 'Teredo server, RFC 4380', prefix: [0x20, 0x01, 0, 0], at: [4, 5, 6, 7] },
  { form: 'Teredo client, RFC 4380', prefix: [0x20, 0x01, 0, 0], at: last, inverted: true },
  // Which length a network has chosen for its own prefix cannot be seen. Source: RFC 6052, 2.2.
  { form: 'local-use NAT64, RFC 8215', prefix: localNat64, at: last, uncertain: true },
  { form: 'local-use NAT64, RFC 8215', prefix: localNat64, at: [6, 7, 9, 10], uncertain: true },
  { form: 'local-use NAT64, RFC 8215', prefix: localNat64, at: [7, 9, 10, 11], uncertain: true },
  { form: 'local-use NAT64, RFC 8215', prefix: localNat64, at: [9, 10, 11, 12], uncertain: true },
];

/** The IPv4 addresses that an IPv6 address stands for; none for one of IPv4. */
export function embeddedAddresses(address: string): EmbeddedAddress[] {
  if (isIPv4(address)) return [];
  const bytes = ipv6Bytes(address);
  // `::` and `::1` are no IPv4 addresses. Source: RFC 4291, 2.5.5.1.
  if (bytes.subarray(0, 15).every((byte) => byte === 0) && (bytes[15] ?? 0) <= 1) return [];
  return embeddings
    .filter(({ prefix }) => prefix.every((byte, index) => bytes[index] === byte))
    .map(({ form, at, inverted, uncertain }) => ({
      address: at.map((index) => (inverted ? 255 - (bytes[index] ?? 0) : bytes[index])).join('.'),
      form,
      ...(uncertain && { uncertain }),
    }));
}

/** A range, and for one of IPv4 the ranges of IPv6 that Linux, or the network's NAT64, makes connections to it from. */
export function addressFormsOf(range: string): string[] {
  const [address = '', length = '32'] = range.split('/');
  if (!isIPv4(address)) return [range];
  return [range, ...[mapped, nat64Prefix].map((prefix) => `${prefix}${address}/${Number(length) + 96}`)];
}

/** The 16 bytes of an IPv6 address, which may end in the form `a.b.c.d`. */
function ipv6Bytes(address: string): Uint8Array {
  // The standard parser writes all forms in one: hexadecimal groups, with one run of zeros left out at most.
  const { hostname } = new URL(`http://[${withoutZone(address)}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const groups = tail === undefined ? before : [...before, ...zeros(8 - before.length - after.length), ...after];
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 255]));
}

/** `fe80::1%eth0` is `fe80::1`. */
export const withoutZone = (address: string): string => address.replace(/%.*$/, '');

const groupsOf = (text: string): number[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
