import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { messagesIn } from '../../envoy/wire/index.ts';
import type { RequestHeaders } from './under-way.ts';

/** What of `envoy.service.ext_proc.v3.ProcessingRequest` is needed. */
export type Processed =
  | { readonly kind: 'request'; readonly headers: RequestHeaders }
  /** Of an answer, which waits for a word. */
  | { readonly kind: 'trailers' }
  | { readonly kind: 'other' };

const fields = { requestHeaders: 2, responseTrailers: 7 } as const;

/** Throws when the bytes are no message. */
export function readProcessed(bytes: Uint8Array): Processed {
  const [request] = messagesIn(bytes, fields.requestHeaders);
  if (request) return { kind: 'request', headers: headersIn(request) };
  return { kind: messagesIn(bytes, fields.responseTrailers).length > 0 ? 'trailers' : 'other' };
}

const text = (bytes: Uint8Array | undefined): string =>
  bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1') : '';

/** Of several values of one name, all. */
function headersIn(request: Uint8Array): RequestHeaders {
  const found = new Map<string, string>();
  for (const map of messagesIn(request, 1))
    for (const header of messagesIn(map, 1)) {
      const [name, plain, raw] = [1, 2, 3].map((no) => messagesIn(header, no).at(-1));
      const before = found.get(text(name));
      const value = text(raw ?? plain);
      found.set(text(name), before === undefined ? value : `${before},${value}`);
    }
  return found;
}

/** Nothing is changed in the trailers of an answer. */
export const trailersAnswer = (): Buffer => Buffer.from(new BinaryWriter().tag(6, 2).bytes(new Uint8Array()).finish());

type Header = readonly [name: string, value: string];

/** The request goes on, with a header for each of these. */
export function passedAnswer(headers: readonly Header[]): Buffer {
  const common = new BinaryWriter();
  if (headers.length > 0) common.tag(2, 2).bytes(mutation(headers));
  const response = new BinaryWriter().tag(1, 2).bytes(common.finish()).finish();
  return Buffer.from(new BinaryWriter().tag(1, 2).bytes(response).finish());
}

/** gRPC's RESOURCE_EXHAUSTED. */
const exhausted = 8;

/** It ends here, with these headers. */
export function rejectedAnswer(status: number, headers: readonly Header[], body: string): Buffer {
  const immediate = new BinaryWriter()
    .tag(1, 2)
    .bytes(new BinaryWriter().tag(1, 0).int32(status).finish())
    .tag(2, 2)
    .bytes(mutation(headers))
    .tag(3, 2)
    .bytes(Buffer.from(body))
    .tag(4, 2)
    .bytes(new BinaryWriter().tag(1, 0).uint32(exhausted).finish())
    .tag(5, 2)
    .string('concurrent_requests');
  return Buffer.from(new BinaryWriter().tag(7, 2).bytes(immediate.finish()).finish());
}

/** `envoy.service.ext_proc.v3.HeaderMutation` */
function mutation(headers: readonly Header[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const [key, value] of headers) {
    const header = new BinaryWriter().tag(1, 2).string(key).tag(3, 2).bytes(Buffer.from(value)).finish();
    // Overwrites what is there.
    writer.tag(1, 2).bytes(new BinaryWriter().tag(1, 2).bytes(header).tag(3, 0).int32(2).finish());
  }
  return writer.finish();
}
