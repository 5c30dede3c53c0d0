/** Whether it is compressed, and its length, before every message. Source: gRPC over HTTP/2, Length-Prefixed-Message. */
export const prefixBytes = 5;
/** Envoy sends its logs in pieces of 16 KiB, and what it asks about one request is shorter than its headers. */
const mostBytes = 16 * 1024 * 1024;

/** Takes bytes as they come. Throws for what is no message of gRPC, and takes nothing more then. */
export type MessageReader = (bytes: Buffer) => void;

/** Calls `take` for each message; it may be a view of the bytes that came. */
export function readerOf(take: (message: Buffer) => void): MessageReader {
  let waiting: Buffer[] = [];
  let length = 0;
  let needed = prefixBytes;
  return (bytes) => {
    waiting.push(bytes);
    length += bytes.length;
    if (length < needed) return;
    let all = waiting.length === 1 ? bytes : Buffer.concat(waiting, length);
    for (;;) {
      needed = neededFor(all);
      if (all.length < needed) break;
      take(all.subarray(prefixBytes, needed));
      all = all.subarray(needed);
    }
    waiting = all.length > 0 ? [all] : [];
    length = all.length;
  };
}

/** Whether the bytes are one message, as nearly always where it is short. */
export const isWholeMessage = (bytes: Buffer): boolean =>
  bytes.length >= prefixBytes && bytes[0] === 0 && bytes.readUInt32BE(1) === bytes.length - prefixBytes;

/** How many bytes the first message takes with its prefix, as far as it is known. */
function neededFor(bytes: Buffer): number {
  if (bytes.length < prefixBytes) return prefixBytes;
  if (bytes[0] !== 0) throw new Error('messages must not be compressed');
  const length = bytes.readUInt32BE(1);
  if (length > mostBytes) throw new Error(`a message of ${length} bytes is too long`);
  return prefixBytes + length;
}

/** Of a reason: all of it has to fit into one frame of headers, also where each character becomes nine. */
const mostDetails = 1000;

/** A reason as `grpc-message` has it: all but printable ASCII is encoded. Source: gRPC over HTTP/2, Percent-Encoded. */
export const percentEncoded = (details: string): string =>
  details
    .slice(0, mostDetails)
    .toWellFormed()
    .replace(/[^ -$&-~]/gu, encodeURIComponent);

/** The message as it is sent. */
export function messageFrame(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(prefixBytes + message.length);
  writePrefix(frame, 0, message.length);
  frame.set(message, prefixBytes);
  return frame;
}

/** What comes before a message of this length. */
export function writePrefix(into: Buffer, at: number, length: number): void {
  into[at] = 0;
  into.writeUInt32BE(length, at + 1);
}
