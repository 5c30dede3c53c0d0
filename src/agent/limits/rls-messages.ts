import { fromJson, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { StructSchema } from '@bufbuild/protobuf/wkt';
import { takeLimits } from '../../contracts/index.ts';
import { messagesIn, readFields } from '../../envoy/wire/index.ts';

/** One entry of `envoy.extensions.common.ratelimit.v3.RateLimitDescriptor`. */
export interface DescriptorEntry {
  readonly key: string;
  readonly value: string;
}

/** What of `envoy.service.ratelimit.v3.RateLimitRequest` is needed. */
export interface LimitQuestion {
  readonly domain: string;
  readonly descriptors: readonly LimitDescriptor[];
}

export interface LimitDescriptor {
  readonly entries: readonly DescriptorEntry[];
  /** How many requests this one counts for. */
  readonly cost: number;
}

export type Header = readonly [name: string, value: string];

/** What of `envoy.service.ratelimit.v3.RateLimitResponse` is said. */
export interface LimitAnswer {
  readonly isOver: boolean;
  readonly requestHeaders: readonly Header[];
  readonly responseHeaders: readonly Header[];
  readonly body?: string;
  /** Metadata of the request in Envoy, for what asks about its response. */
  readonly metadata?: Readonly<Record<string, string>>;
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();

/** Throws when the bytes are no message. */
export function readQuestion(bytes: Uint8Array): LimitQuestion {
  let domain = '';
  const descriptors: LimitDescriptor[] = [];
  readFields(bytes, (no, _wireType, reader) => {
    if (no === 1) domain = reader.string();
    else if (no === 2) descriptors.push(readDescriptor(reader.bytes()));
    else return false;
    return true;
  });
  return { domain, descriptors };
}

function readDescriptor(bytes: Uint8Array): LimitDescriptor {
  let cost = 1;
  const hits = messagesIn(bytes, 3).at(-1);
  if (hits) {
    // Its value is left out where it is 0.
    cost = 0;
    readFields(hits, (no, _wireType, reader) => {
      if (no !== 1) return false;
      cost = Math.min(Number(reader.uint64()), takeLimits.tokens);
      return true;
    });
  }
  return { entries: messagesIn(bytes, 1).map(readEntry), cost };
}

function readEntry(bytes: Uint8Array): DescriptorEntry {
  const part = (no: number): string => {
    const found = messagesIn(bytes, no).at(-1);
    return found ? text(found) : '';
  };
  return { key: part(1), value: part(2) };
}

const [ok, overLimit] = [1, 2];

/** Of most requests. */
const plainOk = Buffer.from([1 << 3, ok]);

export function writeAnswer({ isOver, requestHeaders, responseHeaders, body, metadata }: LimitAnswer): Buffer {
  if (!isOver && requestHeaders.length === 0 && responseHeaders.length === 0 && !metadata) return plainOk;
  const writer = new BinaryWriter().tag(1, 0).int32(isOver ? overLimit : ok);
  for (const [no, headers] of [
    [3, responseHeaders],
    [4, requestHeaders],
  ] as const)
    for (const [key, value] of headers)
      writer.tag(no, 2).bytes(new BinaryWriter().tag(1, 2).string(key).tag(2, 2).string(value).finish());
  if (body !== undefined) writer.tag(5, 2).string(body);
  if (metadata) writer.tag(6, 2).bytes(toBinary(StructSchema, fromJson(StructSchema, { ...metadata })));
  return Buffer.from(writer.finish());
}
