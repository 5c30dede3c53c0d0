import { isIPv4 } from 'node:net';

/** Values of a database: numbers are unsigned, of 32 bits. */
export type MmdbData = string | number | boolean | Buffer | readonly MmdbData[] | { readonly [key: string]: MmdbData };

type Node = [Branch, Branch];
type Branch = Node | { readonly data: MmdbData } | undefined;

interface MmdbOptions {
  readonly type?: string;
  readonly recordBits?: 24 | 28 | 32;
}

/** A database in MaxMind's format that says of networks, written as CIDRs, what is given; a longer prefix goes before a shorter one if it comes later. */
export function mmdb(
  networks: Readonly<Record<string, MmdbData>>,
  { type = 'Test-City', recordBits = 28 }: MmdbOptions = {},
): Buffer {
  const root: Node = [undefined, undefined];
  for (const [network, data] of Object.entries(networks)) put(root, bitsOf(network), { data });
  const nodes = listed(root);
  const places = new Map<Branch, number>();
  const data: Buffer[] = [];
  let size = 0;
  const numberOf = (branch: Branch): number => {
    if (branch === undefined) return nodes.length;
    if (Array.isArray(branch)) return nodes.indexOf(branch);
    const known = places.get(branch);
    if (known !== undefined) return known;
    const bytes = encode((branch as { readonly data: MmdbData }).data);
    const place = nodes.length + 16 + size;
    places.set(branch, place);
    data.push(bytes);
    size += bytes.length;
    return place;
  };
  const tree = nodes.map((node) => records(numberOf(node[0]), numberOf(node[1]), recordBits));
  const metadata = encode({
    binary_format_major_version: sized(5, 2, 2),
    binary_format_minor_version: sized(5, 2, 0),
    build_epoch: sized(9, 8, 1),
    database_type: type,
    description: { en: 'Of a test' },
    ip_version: sized(5, 2, 6),
    languages: ['en'],
    node_count: nodes.length,
    record_size: sized(5, 2, recordBits),
  });
  const mark = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')]);
  return Buffer.concat([...tree, Buffer.alloc(16), ...data, mark, metadata]);
}

/** Of a network; those of IPv4 are below `::/96`. */
function bitsOf(network: string): readonly number[] {
  const [address = '', length] = network.split('/');
  const isShort = isIPv4(address);
  const groups = isShort ? [] : groupsOf(address);
  const bytes = isShort
    ? [...Array<number>(12).fill(0), ...address.split('.').map(Number)]
    : groups.flatMap((group) => [group >> 8, group & 255]);
  const bits = bytes.flatMap((byte) => Array.from({ length: 8 }, (_, at) => (byte >> (7 - at)) & 1));
  return bits.slice(0, Number(length ?? (isShort ? 32 : 128)) + (isShort ? 96 : 0));
}

function groupsOf(address: string): number[] {
  const [before = '', after] = address.split('::');
  const numbers = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const [head, tail] = [numbers(before), numbers(after ?? '')];
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

function put(root: Node, bits: readonly number[], leaf: Branch): void {
  let node = root;
  for (const bit of bits.slice(0, -1)) {
    const next = node[bit as 0 | 1];
    const below: Node = Array.isArray(next) ? next : [next, next];
    node[bit as 0 | 1] = below;
    node = below;
  }
  node[bits.at(-1) as 0 | 1] = leaf;
}

/** The root first. */
const listed = (node: Node): Node[] => [
  node,
  ...node.flatMap((branch) => (Array.isArray(branch) ? listed(branch) : [])),
];

function records(left: number, right: number, bits: 24 | 28 | 32): Buffer {
  if (bits === 28)
    return Buffer.concat([
      uint(left & 0xffffff, 3),
      Buffer.from([((left >> 24) << 4) | (right >> 24)]),
      uint(right & 0xffffff, 3),
    ]);
  return Buffer.concat([uint(left, bits / 8), uint(right, bits / 8)]);
}

function uint(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  if (bytes > 0) buffer.writeUIntBE(value, 0, Math.min(bytes, 6));
  return buffer;
}

/** An encoded number of another type. */
const sized = (type: number, bytes: number, value: number): Buffer =>
  Buffer.concat([head(type, bytes), uint(0, bytes - 2), uint(value, 2)]);

/** Texts, lists and maps are short here. `Buffer`: what is encoded already. */
function encode(value: MmdbData): Buffer {
  if (typeof value === 'string') return Buffer.concat([head(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return value;
  if (typeof value === 'number') return Buffer.concat([head(6, 4), uint(value, 4)]);
  if (typeof value === 'boolean') return head(14, value ? 1 : 0);
  if (Array.isArray(value)) return Buffer.concat([head(11, value.length), ...value.map(encode)]);
  const entries = Object.entries(value as { readonly [key: string]: MmdbData });
  return Buffer.concat([head(7, entries.length), ...entries.flatMap(([key, each]) => [encode(key), encode(each)])]);
}

/** Types above 7 are in a second byte. */
const head = (type: number, size: number): Buffer =>
  Buffer.from([
    ((type > 7 ? 0 : type) << 5) | Math.min(size, 29),
    ...(type > 7 ? [type - 7] : []),
    ...(size < 29 ? [] : [size - 29]),
  ]);
