import { BlockList, isIP } from 'node:net';
import type * as ir from '../../ir/index.ts';

/** At most so many networks in one policy: each of them is in every scope that the policy is for. */
export const maxNetworks = 1024;

type ReadCidr = { readonly cidr: ir.Cidr } | { readonly fault: string };

/** Reads a network, or an address, which is a network of its own. Proxies take some of what is wrong here, and mean another network by it. */
export function readCidr(text: string): ReadCidr {
  const [address = '', length, ...rest] = text.split('/');
  const family = isIP(address);
  if (
    family === 0 ||
    rest.length > 0 ||
    address.includes('%') ||
    (length !== undefined && !/^[0-9]{1,3}$/.test(length))
  )
    return { fault: `${JSON.stringify(text)} is not a network: write one such as 10.0.0.0/8 or 2001:db8::/32` };
  const bits = family === 4 ? 32 : 128;
  const prefixLength = length === undefined ? bits : Number(length);
  if (prefixLength > bits) return { fault: `${text} has a prefix of ${prefixLength} bits: IPv${family} has ${bits}` };
  const network = networkOf(address, family, prefixLength);
  if (!isSameAddress(address, network, family))
    return { fault: `${text} has host bits set: the network would be ${network}/${prefixLength}` };
  return { cidr: { address: network, prefixLength } };
}

/** What is wrong with some networks, by the field that they are in. */
export const cidrFaults = (field: string, texts: readonly string[] = []): string[] =>
  texts.flatMap((text, index) => {
    const read = readCidr(text);
    return 'fault' in read ? [`${field}[${index}]: ${read.fault}`] : [];
  });

/** Networks without fault. */
export const cidrsOf = (texts: readonly string[]): ir.Cidr[] =>
  texts.flatMap((text) => {
    const read = readCidr(text);
    return 'cidr' in read ? [read.cidr] : [];
  });

function networkOf(address: string, family: number, prefixLength: number): string {
  const bytes = family === 4 ? bytesOf4(address) : bytesOf6(address);
  const masked = bytes.map((byte, index) => byte & maskOf(prefixLength - index * 8));
  if (family === 4) return masked.join('.');
  const groups = Array.from(
    { length: 8 },
    (_, index) => ((masked[index * 2] ?? 0) << 8) | (masked[index * 2 + 1] ?? 0),
  );
  // The URL parser writes an address in its canonical form (RFC 5952).
  return new URL(`http://[${groups.map((group) => group.toString(16)).join(':')}]`).hostname.slice(1, -1);
}

const maskOf = (bits: number): number => (0xff << (8 - Math.max(0, Math.min(8, bits)))) & 0xff;

const bytesOf4 = (address: string): number[] => address.split('.').map(Number);

function bytesOf6(address: string): number[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

function isSameAddress(one: string, other: string, family: number): boolean {
  const list = new BlockList();
  list.addAddress(other, family === 4 ? 'ipv4' : 'ipv6');
  return list.check(one, family === 4 ? 'ipv4' : 'ipv6');
}
