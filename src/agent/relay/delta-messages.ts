import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { readFields } from '../../envoy/wire/index.ts';

/**
 * The two messages of delta xDS (`envoy.service.discovery.v3.DeltaDiscoveryRequest` and `…Response`), taken apart only as
 * deep as a relay must look: a resource keeps the bytes it came in, and is never decoded or encoded again.
 */

/** One entry of `DeltaDiscoveryResponse.resources`. */
export interface WireResource {
  readonly name: string;
  readonly version: string;
  /** The encoded `Resource` message as it came; a copy of its own, so that it does not keep the whole answer in memory. */
  readonly bytes: Uint8Array;
}

export interface DeltaResponse {
  readonly typeUrl: string;
  readonly nonce: string;
  /** `system_version_info`: what the sender calls the state that the answer belongs to. */
  readonly systemVersion: string;
  readonly resources: readonly WireResource[];
  readonly removed: readonly string[];
}

/** Why Envoy rejected an answer: `google.rpc.Status` without its details. */
export interface RejectionStatus {
  readonly code: number;
  readonly message: string;
}

export interface DeltaRequest {
  readonly typeUrl: string;
  /** The encoded `envoy.config.core.v3.Node`; on the first message of a stream. */
  readonly node?: Uint8Array;
  readonly subscribe: readonly string[];
  readonly unsubscribe: readonly string[];
  /** Name → version of what the sender has already; on the first message of a type on a stream. */
  readonly initialVersions: ReadonlyMap<string, string>;
  /** The answer this acknowledges or rejects; empty when it does neither. */
  readonly nonce: string;
  readonly error?: RejectionStatus;
}

const noVersions: ReadonlyMap<string, string> = new Map();

/** A request with what is not given left empty. */
export function deltaRequest(parts: Partial<DeltaRequest> & { readonly typeUrl: string }): DeltaRequest {
  return { subscribe: [], unsubscribe: [], initialVersions: noVersions, nonce: '', ...parts };
}

/** The encoded `Resource` message; its bytes are copied. Throws when they are no protobuf message. */
export function readResource(view: Uint8Array): WireResource {
  let name = '';
  let version = '';
  readFields(view, (no, _wireType, reader) => {
    if (no === 1) version = reader.string();
    else if (no === 3) name = reader.string();
    else return false;
    return true;
  });
  return { name, version, bytes: Uint8Array.from(view) };
}

/** A resource of this type around an encoded message. */
export function encodeResource(
  typeUrl: string,
  { name, version }: Pick<WireResource, 'name' | 'version'>,
  body: Uint8Array,
): WireResource {
  const writer = new BinaryWriter();
  writeText(writer, 3, name);
  writeText(writer, 1, version);
  writer.tag(2, 2).fork();
  writeText(writer, 1, typeUrl);
  writer.tag(2, 2).bytes(body).join();
  return { name, version, bytes: writer.finish() };
}

/** Throws when the bytes are no protobuf message. */
export function decodeDeltaResponse(bytes: Uint8Array): DeltaResponse {
  const resources: WireResource[] = [];
  const removed: string[] = [];
  let systemVersion = '';
  let typeUrl = '';
  let nonce = '';
  readFields(bytes, (no, _wireType, reader) => {
    if (no === 1) systemVersion = reader.string();
    else if (no === 2) resources.push(readResource(reader.bytes()));
    else if (no === 4) typeUrl = reader.string();
    else if (no === 5) nonce = reader.string();
    else if (no === 6) removed.push(reader.string());
    else return false;
    return true;
  });
  return { typeUrl, nonce, systemVersion, resources, removed };
}

/** Header and tail of every resource are written here; its bytes are copied as they are. */
export function encodeDeltaResponse(response: DeltaResponse): Buffer {
  const writer = new BinaryWriter();
  writeText(writer, 1, response.systemVersion);
  for (const resource of response.resources) writer.tag(2, 2).bytes(resource.bytes);
  writeText(writer, 4, response.typeUrl);
  writeText(writer, 5, response.nonce);
  for (const name of response.removed) writer.tag(6, 2).string(name);
  return asBuffer(writer.finish());
}

function readVersion(bytes: Uint8Array, into: Map<string, string>): void {
  let name = '';
  let version = '';
  readFields(bytes, (no, _wireType, reader) => {
    if (no === 1) name = reader.string();
    else if (no === 2) version = reader.string();
    else return false;
    return true;
  });
  into.set(name, version);
}

function readStatus(bytes: Uint8Array): RejectionStatus {
  let code = 0;
  let message = '';
  readFields(bytes, (no, _wireType, reader) => {
    if (no === 1) code = reader.int32();
    else if (no === 2) message = reader.string();
    else return false;
    return true;
  });
  return { code, message };
}

/** Throws when the bytes are no protobuf message. */
export function decodeDeltaRequest(bytes: Uint8Array): DeltaRequest {
  const subscribe: string[] = [];
  const unsubscribe: string[] = [];
  const initialVersions = new Map<string, string>();
  let node: Uint8Array | undefined;
  let typeUrl = '';
  let nonce = '';
  let error: RejectionStatus | undefined;
  readFields(bytes, (no, _wireType, reader) => {
    if (no === 1) node = Uint8Array.from(reader.bytes());
    else if (no === 2) typeUrl = reader.string();
    else if (no === 3) subscribe.push(reader.string());
    else if (no === 4) unsubscribe.push(reader.string());
    else if (no === 5) readVersion(reader.bytes(), initialVersions);
    else if (no === 6) nonce = reader.string();
    else if (no === 7) error = readStatus(reader.bytes());
    else return false;
    return true;
  });
  return { typeUrl, subscribe, unsubscribe, initialVersions, nonce, ...(node && { node }), ...(error && { error }) };
}

export function encodeDeltaRequest(request: DeltaRequest): Buffer {
  const writer = new BinaryWriter();
  if (request.node) writer.tag(1, 2).bytes(request.node);
  writeText(writer, 2, request.typeUrl);
  for (const name of request.subscribe) writer.tag(3, 2).string(name);
  for (const name of request.unsubscribe) writer.tag(4, 2).string(name);
  for (const [name, version] of request.initialVersions) {
    writer.tag(5, 2).fork();
    writeText(writer, 1, name);
    writeText(writer, 2, version);
    writer.join();
  }
  writeText(writer, 6, request.nonce);
  if (request.error) {
    writer.tag(7, 2).fork();
    if (request.error.code !== 0) writer.tag(1, 0).int32(request.error.code);
    writeText(writer, 2, request.error.message);
    writer.join();
  }
  return asBuffer(writer.finish());
}

/** proto3 leaves empty text out. */
function writeText(writer: BinaryWriter, field: number, text: string): void {
  if (text !== '') writer.tag(field, 2).string(text);
}

/** grpc-js wants a Buffer; this is a view, not a copy. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The message inside `Resource.resource` (an `Any`), still encoded; undefined when the resource carries none. */
export function resourceBody(resource: WireResource): Uint8Array | undefined {
  let body: Uint8Array | undefined;
  readFields(resource.bytes, (no, _wireType, reader) => {
    if (no !== 2) return false;
    readFields(reader.bytes(), (anyNo, _anyWireType, any) => {
      if (anyNo !== 2) return false;
      body = any.bytes();
      return true;
    });
    return true;
  });
  return body;
}
