import { namesSentFor } from '../../contracts/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';
import { sentFor } from './sent-for.ts';

/*
 * Discovery responses, put together by hand from bytes that are encoded already: a resource is encoded once by the translator, and here only
 * gets what stands before it (name, version, type, lengths). Nothing of that is kept, for it is made faster than it is found. Field
 * numbers are those of envoy/service/discovery/v3/discovery.proto.
 */

/** What a delta response carries. `removed` are names. */
export interface DeltaContent {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly systemVersion: string;
  readonly upserts: readonly EnvoyResource[];
  readonly removed: readonly string[];
  /** Names that get a Resource without a body (TypeTraits.absentAsEmpty). */
  readonly empty: readonly string[];
}

/** `DeltaDiscoveryResponse`, encoded. */
export function encodeDeltaResponse({ empty, ...content }: DeltaContent): Buffer {
  const upserts = content.upserts.flatMap(sentFor);
  const removed = content.removed.flatMap(namesSentFor);
  const out = new Output(
    sizeOfString(content.systemVersion) +
      sum(content.upserts, deltaSize) +
      sum(empty, (name) => sizeOfField(sizeOfEmpty(name))) +
      sizeOfString(content.typeUrl) +
      sizeOfString(content.nonce) +
      sum(removed, sizeOfString),
  );
  out.string(1, content.systemVersion);
  for (const resource of upserts) writeDelta(out, resource);
  for (const name of empty) {
    out.head(2, sizeOfEmpty(name));
    out.string(3, name);
    out.string(4, name);
  }
  out.string(4, content.typeUrl);
  out.string(5, content.nonce);
  for (const name of removed) out.string(6, name);
  return out.buffer;
}

/** What a state-of-the-world response carries. */
export interface SotwContent {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly version: string;
  readonly resources: Iterable<EnvoyResource>;
}

/** `DiscoveryResponse`, encoded. */
export function encodeSotwResponse({ typeUrl, nonce, version, resources }: SotwContent): Buffer {
  const all = [...resources].flatMap(sentFor);
  const out = new Output(
    sizeOfString(version) +
      sum(all, (resource) => sizeOfField(sizeOfAny(resource))) +
      sizeOfString(typeUrl) +
      sizeOfString(nonce),
  );
  out.string(1, version);
  // DiscoveryResponse.resources = 2 {Any}.
  for (const resource of all) writeAny(out, 2, resource);
  out.string(4, typeUrl);
  out.string(5, nonce);
  return out.buffer;
}

/** How many bytes a resource takes in a delta response, with its pieces. */
export const deltaSize = (resource: EnvoyResource): number =>
  sum(sentFor(resource), (each) => sizeOfField(sizeOfDelta(each)));

// DeltaDiscoveryResponse.resources = 2 {Resource.name = 3, Resource.version = 1, Resource.resource = 2 {Any}}.
const sizeOfDelta = (resource: EnvoyResource): number =>
  sizeOfString(resource.name) + sizeOfString(resource.version) + sizeOfField(sizeOfAny(resource));

function writeDelta(out: Output, resource: EnvoyResource): void {
  out.head(2, sizeOfDelta(resource));
  out.string(3, resource.name);
  out.string(1, resource.version);
  writeAny(out, 2, resource);
}

// Any.type_url = 1, Any.value = 2.
const sizeOfAny = ({ typeUrl, body }: EnvoyResource): number => sizeOfString(typeUrl) + sizeOfField(body.length);

function writeAny(out: Output, field: number, resource: EnvoyResource): void {
  out.head(field, sizeOfAny(resource));
  out.string(1, resource.typeUrl);
  out.head(2, resource.body.length);
  out.bytes(resource.body);
}

// Resource.name = 3, Resource.aliases = 4.
const sizeOfEmpty = (name: string): number => 2 * sizeOfString(name);

const sum = <T>(all: readonly T[], sizeOf: (one: T) => number): number =>
  all.reduce((total, one) => total + sizeOf(one), 0);

/** Of a field with a length, as all of these are. */
const sizeOfField = (length: number): number => 1 + sizeOfVarint(length) + length;

/** Nothing when the string is empty, as proto3 has it. */
const sizeOfString = (text: string): number => (text === '' ? 0 : sizeOfField(Buffer.byteLength(text)));

function sizeOfVarint(value: number): number {
  let size = 1;
  for (let rest = value; rest > 127; rest >>>= 7) size += 1;
  return size;
}

/** As many bytes as were asked for, filled from the first to the last. */
class Output {
  readonly buffer: Buffer;
  #at = 0;

  constructor(size: number) {
    this.buffer = Buffer.allocUnsafe(size);
  }

  /** Tag (wire type 2) and length. */
  head(field: number, length: number): void {
    this.buffer[this.#at++] = (field << 3) | 2;
    let rest = length;
    for (; rest > 127; rest >>>= 7) this.buffer[this.#at++] = (rest & 127) | 128;
    this.buffer[this.#at++] = rest;
  }

  string(field: number, text: string): void {
    if (text === '') return;
    this.head(field, Buffer.byteLength(text));
    this.#at += this.buffer.write(text, this.#at);
  }

  /** Bytes, as EnvoyResource.body has them. */
  bytes(text: string): void {
    this.#at += this.buffer.write(text, this.#at, 'latin1');
  }
}
