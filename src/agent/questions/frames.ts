/** Types of frames that are read or written. Source: RFC 9113, section 6. */
export const frameType = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  windowUpdate: 8,
} as const;

/** `ack` is of SETTINGS and PING, the others of DATA and HEADERS. */
export const flag = { ack: 1, endStream: 1, endHeaders: 4, padded: 8 } as const;

export const setting = { initialWindow: 4 } as const;

/** Length, type, flags and stream before every payload. */
export const headBytes = 9;
/** Of a payload, as long as no setting says more. */
export const mostPayload = 16_384;
/** How many bytes of DATA may be sent, as long as nothing says more. */
export const firstWindow = 65_535;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

const none = Buffer.alloc(0);

/** The frame as it is sent. `payload`: empty when left out. */
export function writeFrame({
  type,
  flags = 0,
  stream = 0,
  payload = none,
}: Pick<Frame, 'type'> & Partial<Frame>): Buffer {
  const frame = Buffer.allocUnsafe(headBytes + payload.length);
  writeHead(frame, 0, { length: payload.length, type, flags, stream });
  frame.set(payload, headBytes);
  return frame;
}

interface FrameHead extends Omit<Frame, 'payload'> {
  /** Of the payload. */
  readonly length: number;
}

/** What comes before the payload. */
export function writeHead(into: Buffer, at: number, { length, type, flags, stream }: FrameHead): void {
  into.writeUIntBE(length, at, 3);
  into[at + 3] = type;
  into[at + 4] = flags;
  into.writeUInt32BE(stream, at + 5);
}

/** Lets the peer send as many more bytes of DATA, on all streams together. */
export function windowUpdate(bytes: number): Buffer {
  const payload = Buffer.allocUnsafe(4);
  payload.writeUInt32BE(bytes);
  return writeFrame({ type: frameType.windowUpdate, payload });
}

/** SETTINGS with one setting. */
export function settings(id: number, value: number): Buffer {
  const payload = Buffer.allocUnsafe(6);
  payload.writeUInt16BE(id);
  payload.writeUInt32BE(value, 2);
  return writeFrame({ type: frameType.settings, payload });
}

/** Calls `take` for each setting of a payload. */
export function eachSetting(payload: Buffer, take: (id: number, value: number) => void): void {
  if (payload.length % 6 !== 0) throw new Error('settings of another length');
  for (let at = 0; at < payload.length; at += 6) take(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
}

/** DATA without its padding, which flow control counts. */
export function dataOf({ flags, payload }: Frame): Buffer {
  if (!(flags & flag.padded)) return payload;
  const end = payload.length - (payload[0] ?? 0);
  if (end < 1) throw new Error('more padding than there is');
  return payload.subarray(1, end);
}

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/**
 * Reads what a client of HTTP/2 sends, as its bytes come, and calls `take` for each frame; the payload may be a view of those bytes. Throws for what is no
 * HTTP/2, and must not be called again then.
 */
export function frameReader(take: (frame: Frame) => void): (bytes: Buffer) => void {
  let left: Buffer | undefined;
  let isOpen = false;
  return (bytes) => {
    const all = left ? Buffer.concat([left, bytes]) : bytes;
    let at = 0;
    if (!isOpen) {
      if (!all.subarray(0, preface.length).equals(preface.subarray(0, all.length))) throw new Error('not HTTP/2');
      isOpen = all.length >= preface.length;
      at = isOpen ? preface.length : 0;
    }
    while (isOpen && all.length - at >= headBytes) {
      const end = at + headBytes + lengthAt(all, at);
      if (end > all.length) break;
      take({
        type: all[at + 3] ?? 0,
        flags: all[at + 4] ?? 0,
        stream: all.readUInt32BE(at + 5) & 0x7fff_ffff,
        payload: all.subarray(at + headBytes, end),
      });
      at = end;
    }
    left = at < all.length ? all.subarray(at) : undefined;
  };
}

function lengthAt(bytes: Buffer, at: number): number {
  const length = bytes.readUIntBE(at, 3);
  if (length > mostPayload) throw new Error(`a frame of ${length} bytes is too long`);
  return length;
}
