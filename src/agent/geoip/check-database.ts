import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { GeoDatabase } from './geo-databases.ts';
import { metadataMark, metadataTypes } from './placeholder.ts';
import { type MmdbValue, type Section, ValueReader, valueAt } from './values.ts';

/** The mark of the metadata is in the last bytes of a file. */
const metadataBytes = 128 * 1024;
/** So many addresses are looked at for one of which the database says something. */
const mostRecords = 512;
const mostNodes = 8192;
/** Zeros between the tree and the data. */
const separatorBytes = 16;

/** Several times the largest database that MaxMind sells. */
export const largestDatabase = 1024 ** 3;

/** What of a record must be there, or the database is of another sort. */
const wanted: Readonly<Record<GeoDatabase, { readonly path: readonly string[]; readonly what: string }>> = {
  location: { path: ['country', 'iso_code'], what: 'the country (country.iso_code)' },
  asn: { path: ['autonomous_system_number'], what: 'the autonomous system (autonomous_system_number)' },
};

/** Why Envoy could not use the file as such a database; undefined: it can. Throws where it cannot be read. */
export function databaseFault(path: string, database: GeoDatabase): string | undefined {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const layout = layoutOf(fileSection(file, 0, size), size);
    return typeof layout === 'string' ? layout : contentFault(file, layout, database);
  } catch (error) {
    if (error instanceof RangeError) return `is broken: ${error.message}`;
    throw error;
  } finally {
    closeSync(file);
  }
}

/** The bytes of a file from one place to another. */
const fileSection =
  (file: number, start: number, end: number): Section =>
  (at, length) => {
    if (at < 0 || start + at + length > end) throw new RangeError('something in it leads out of it');
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, start + at);
    return bytes;
  };

interface Layout {
  readonly nodes: number;
  readonly recordBits: number;
  readonly treeBytes: number;
  /** Where the data end. */
  readonly end: number;
}

function layoutOf(file: Section, size: number): Layout | string {
  const start = Math.max(0, size - metadataBytes);
  const tail = file(start, size - start);
  const mark = tail.lastIndexOf(metadataMark);
  if (mark < 0) return "is no database in MaxMind's format, or not all of one";
  const end = start + mark;
  const first = end + metadataMark.length;
  const reader = new ValueReader((at, length) => file(first + at, length));
  const metadata = reader.read(0);
  const odd = Object.entries(metadataTypes).find(([key, type]) => reader.entryTypes.get(key) !== type);
  if (odd) return `is broken: its metadata have no usable ${odd[0]}`;
  const numberAt = (key: string) => Number(valueAt(metadata, [key]));
  const version = numberAt('binary_format_major_version');
  if (version !== 2) return `has version ${version} of MaxMind's format, and Envoy reads version 2`;
  const [nodes, recordBits] = [numberAt('node_count'), numberAt('record_size')];
  const treeBytes = (nodes * recordBits) / 4;
  if (![4, 6].includes(numberAt('ip_version'))) return 'is broken: it is of no version of IP that there is';
  const isWhole = nodes > 0 && [24, 28, 32].includes(recordBits) && treeBytes + separatorBytes <= end;
  return isWhole ? { nodes, recordBits, treeBytes, end } : 'is broken: its tree is longer than the file';
}

/** Looks for one address of which the database says what it is for. */
function contentFault(file: number, layout: Layout, database: GeoDatabase): string | undefined {
  const { path, what } = wanted[database];
  const data = fileSection(file, layout.treeBytes + separatorBytes, layout.end);
  for (const place of dataPlaces(fileSection(file, 0, layout.treeBytes), layout))
    if (isThere(valueAt(new ValueReader(data).read(place), path))) return undefined;
  return `says ${what} of no address: it may be of another sort`;
}

const isThere = (value: MmdbValue): boolean => (typeof value === 'string' ? value !== '' : Number(value ?? 0) > 0);

/** Where data begin that addresses lead to, each once, those of the lowest addresses first. */
function* dataPlaces(tree: Section, { nodes, recordBits }: Layout): Generator<number> {
  const waiting = [0];
  const seen = new Set<number>();
  for (let visited = 0; visited < mostNodes && seen.size < mostRecords; visited += 1) {
    const node = waiting.pop();
    if (node === undefined) return;
    if (node < nodes) waiting.push(...recordsOf(tree, node, recordBits).toReversed());
    else if (node > nodes && !seen.has(node)) {
      seen.add(node);
      yield node - nodes - separatorBytes;
    }
  }
}

/** What follows a node for a bit of 0, and of 1. */
function recordsOf(tree: Section, node: number, recordBits: number): [number, number] {
  const bytes = tree((node * recordBits) / 4, recordBits / 4);
  if (recordBits === 24) return [bytes.readUIntBE(0, 3), bytes.readUIntBE(3, 3)];
  if (recordBits === 32) return [bytes.readUInt32BE(0), bytes.readUInt32BE(4)];
  const middle = bytes.readUInt8(3);
  return [(middle >> 4) * 2 ** 24 + bytes.readUIntBE(0, 3), (middle & 15) * 2 ** 24 + bytes.readUIntBE(4, 3)];
}
