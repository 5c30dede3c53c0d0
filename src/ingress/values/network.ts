import { isIPv4 } from 'node:net';

/** A network without host bits: nginx takes `10.0.0.1/8`, AccessPolicies reject it. The text must be a network. */
export function withoutHostBits(text: string): string {
  const { address = '', length } = /^(?<address>[^/]*)(?:\/(?<length>\d+))?$/.exec(text)?.groups ?? {};
  if (length === undefined) return text;
  const [size, base] = isIPv4(address) ? [32, 256n] : [128, 65_536n];
  const words = isIPv4(address) ? address.split('.').map((part) => BigInt(part)) : wordsOf(address);
  const whole = words.reduce((sum, word) => sum * base + word, 0n);
  const bits = BigInt(size - Number(length));
  const masked = (whole >> bits) << bits;
  if (masked === whole) return text;
  return `${isIPv4(address) ? dotted(masked) : colons(masked)}/${length}`;
}

/** The eight words of an IPv6 address. */
function wordsOf(address: string): readonly bigint[] {
  const [head = '', tail] = address
    .replace(/:(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => ipv4Words(parts))
    .split('::');
  const read = (text: string) => (text === '' ? [] : text.split(':').map((word) => BigInt(`0x${word}`)));
  const [left, right] = [read(head), read(tail ?? '')];
  return tail === undefined ? left : [...left, ...Array<bigint>(8 - left.length - right.length).fill(0n), ...right];
}

function ipv4Words(parts: readonly string[]): string {
  const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number);
  return `:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

const dotted = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');

const colons = (value: bigint): string =>
  [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n]
    .map((shift) => ((value >> shift) & 65_535n).toString(16))
    .join(':')
    .replace(/(?:(?:^|:)0){2,}(?::|$)/, '::');
