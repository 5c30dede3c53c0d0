import { percentEncoded, prefixBytes, writePrefix } from '../grpc-messages.ts';
import { flag, frameType, headBytes, writeFrame, writeHead } from './frames.ts';

/** `:status: 200`, of HPACK's static table. */
const ok = Buffer.from([0x88]);

/** A header as HPACK has it that no table keeps and nothing compresses. Source: RFC 7541, section 6.2.2. */
const literal = (name: string, value: string): Buffer => Buffer.concat([Buffer.from([0]), text(name), text(value)]);

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  return Buffer.concat([lengthOf(bytes.length), bytes]);
}

/** An integer with a prefix of seven bits. Source: RFC 7541, section 5.1. */
function lengthOf(length: number): Buffer {
  if (length < 127) return Buffer.from([length]);
  const bytes = [127];
  let rest = length - 127;
  for (; rest >= 128; rest >>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

const head = Buffer.concat([ok, literal('content-type', 'application/grpc')]);

/** Both are the same for all streams but for its number. */
const headFrame = writeFrame({ type: frameType.headers, flags: flag.endHeaders, payload: head });
const endFrame = writeFrame({
  type: frameType.headers,
  flags: flag.endHeaders | flag.endStream,
  payload: literal('grpc-status', '0'),
});

/** The frames of an answer with a message, which flow control counts with its prefix. */
export function answerFrames(stream: number, message: Uint8Array): Buffer {
  const length = prefixBytes + message.length;
  const dataAt = headFrame.length;
  const endAt = dataAt + headBytes + length;
  const all = Buffer.allocUnsafe(endAt + endFrame.length);
  all.set(headFrame);
  writeHead(all, dataAt, { length, type: frameType.data, flags: 0, stream });
  writePrefix(all, dataAt + headBytes, message.length);
  all.set(message, endAt - message.length);
  all.set(endFrame, endAt);
  all.writeUInt32BE(stream, 5);
  all.writeUInt32BE(stream, endAt + 5);
  return all;
}

/** How many bytes of such frames flow control counts. */
export const windowOf = (frames: Buffer): number => frames.length - headFrame.length - endFrame.length - headBytes;

/** The frame of an answer that is only a status of gRPC. */
export const failureFrame = (stream: number, code: number, details: string): Buffer =>
  writeFrame({
    type: frameType.headers,
    flags: flag.endHeaders | flag.endStream,
    stream,
    payload: Buffer.concat([
      head,
      literal('grpc-status', String(code)),
      literal('grpc-message', percentEncoded(details)),
    ]),
  });
