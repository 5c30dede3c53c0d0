import { unavailablePlace } from '../../contracts/index.ts';
import type { GeoDatabase } from './geo-databases.ts';

/*
 * MaxMind's format, as https://maxmind.github.io/MaxMind-DB/ has it: a tree over the bits of addresses, 16 bytes of zero, data, and metadata behind a mark. A value
 * begins with a byte of its type and size.
 */

type Value = string | number | readonly Value[] | Uint | { readonly [key: string]: Value };

const content: Readonly<Record<GeoDatabase, Value>> = {
  location: { country: { iso_code: unavailablePlace } },
  asn: { autonomous_system_number: unavailablePlace },
};

/** A database that says of every address that it cannot be known: Envoy ends where a file is missing or broken. */
export function placeholder(database: GeoDatabase): Uint8Array {
  // One node: whatever the first bit is, the first data follow. A record counts from the end of the tree.
  const record = Buffer.from([0, 0, 1 + separator.length]);
  const metadata = encoded({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: new Uint(metadataTypes.build_epoch, 1),
    database_type: `Gatewright-${database}`,
    description: { en: 'nothing known' },
    ip_version: 6,
    languages: ['en'],
    node_count: new Uint(metadataTypes.node_count, 1),
    record_size: 24,
  });
  return Buffer.concat([record, record, separator, encoded(content[database]), metadataMark, metadata]);
}

/** Envoy takes no database whose metadata lack one of these, or have another type for it. */
export const metadataTypes = {
  binary_format_major_version: 5,
  binary_format_minor_version: 5,
  build_epoch: 9,
  database_type: 2,
  description: 7,
  ip_version: 5,
  languages: 11,
  node_count: 6,
  record_size: 5,
} as const;

export const metadataMark = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')]);

const separator = Buffer.alloc(16);

/** A number of another type than those of 16 bits. */
class Uint {
  readonly type: number;
  readonly value: number;

  constructor(type: number, value: number) {
    this.type = type;
    this.value = value;
  }
}

/** No text or map here has more than 28 bytes or entries. */
function encoded(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.concat([Buffer.from([(2 << 5) | value.length]), Buffer.from(value)]);
  if (typeof value === 'number') return Buffer.from([(5 << 5) | 2, value >> 8, value & 255]);
  if (value instanceof Uint) return Buffer.concat([head(value.type, 1), Buffer.from([value.value])]);
  if (Array.isArray(value)) return Buffer.concat([head(11, value.length), ...value.map(encoded)]);
  const entries = Object.entries(value);
  return Buffer.concat([head(7, entries.length), ...entries.flatMap(([key, each]) => [encoded(key), encoded(each)])]);
}

/** Types above 7 are in a second byte. */
const head = (type: number, size: number): Buffer => Buffer.from(type > 7 ? [size, type - 7] : [(type << 5) | size]);
