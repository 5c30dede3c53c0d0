import type { EnvoyResource } from '../translate/index.ts';

/*
 * Discovery responses, put together by hand from bytes that are encoded already. A resource is encoded once by the
 * translator; here it only gets its head (name, version, type, lengths), which is made once too and shared by all
 * streams. Field numbers are those of envoy/service/discovery/v3/discovery.proto.
 */

/** The part of a response before a resource's body. The body follows it, being the last field of the last field. */
interface Heads {
  delta?: Uint8Array;
  sotw?: Uint8Array;
}

const heads = new WeakMap<EnvoyResource, Heads>();

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
export function encodeDeltaResponse(content: DeltaContent): Buffer {
  const parts: Uint8Array[] = [stringField(1, content.systemVersion)];
  for (const resource of content.upserts) parts.push(deltaHead(resource), resource.body);
  for (const name of content.empty) parts.push(bytesField(2, [stringField(3, name), stringField(4, name)]));
  parts.push(stringField(4, content.typeUrl), stringField(5, content.nonce));
  for (const name of content.removed) parts.push(stringField(6, name));
  return Buffer.concat(parts);
}

/** What a state-of-the-world response carries. */
export interface SotwContent {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly version: string;
  readonly resources: Iterable<EnvoyResource>;
}

/** `DiscoveryResponse`, encoded. */
export function encodeSotwResponse(content: SotwContent): Buffer {
  const parts: Uint8Array[] = [stringField(1, content.version)];
  for (const resource of content.resources) parts.push(sotwHead(resource), resource.body);
  parts.push(stringField(4, content.typeUrl), stringField(5, content.nonce));
  return Buffer.concat(parts);
}

/** How many bytes a resource takes in a delta response. */
export const deltaSize = (resource: EnvoyResource): number => deltaHead(resource).length + resource.body.length;

function deltaHead(resource: EnvoyResource): Uint8Array {
  const known = headsOf(resource);
  known.delta ??= toKeep(makeDeltaHead(resource));
  return known.delta;
}

// DeltaDiscoveryResponse.resources = 2 {Resource.name = 3, Resource.version = 1, Resource.resource = 2 {Any}}.
function makeDeltaHead(resource: EnvoyResource): Uint8Array {
  const any = anyHead(resource);
  const fields = Buffer.concat([
    stringField(3, resource.name),
    stringField(1, resource.version),
    lengthPrefix(2, any.length + resource.body.length),
    any,
  ]);
  return Buffer.concat([lengthPrefix(2, fields.length + resource.body.length), fields]);
}

// DiscoveryResponse.resources = 2 {Any}.
function sotwHead(resource: EnvoyResource): Uint8Array {
  const known = headsOf(resource);
  if (known.sotw === undefined) {
    const any = anyHead(resource);
    known.sotw = toKeep(Buffer.concat([lengthPrefix(2, any.length + resource.body.length), any]));
  }
  return known.sotw;
}

// Any.type_url = 1, and the tag and length of Any.value = 2.
const anyHead = (resource: EnvoyResource): Uint8Array =>
  Buffer.concat([stringField(1, resource.typeUrl), lengthPrefix(2, resource.body.length)]);

/** A copy with memory of its own: a small Buffer is a piece of a pool of 64 KiB, and would keep all of that for as long as it lives. */
const toKeep = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes);

function headsOf(resource: EnvoyResource): Heads {
  const known = heads.get(resource);
  if (known !== undefined) return known;
  const fresh: Heads = {};
  heads.set(resource, fresh);
  return fresh;
}

/** A string field; nothing when the string is empty, as proto3 has it. */
function stringField(field: number, text: string): Uint8Array {
  return text === '' ? Buffer.alloc(0) : bytesField(field, [Buffer.from(text)]);
}

function bytesField(field: number, parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([lengthPrefix(field, length), ...parts]);
}

/** Tag (wire type 2) and length. */
function lengthPrefix(field: number, length: number): Uint8Array {
  const bytes = [(field << 3) | 2];
  let rest = length;
  while (rest > 127) {
    bytes.push((rest & 127) | 128);
    rest >>>= 7;
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
