import { connect } from 'node:net';

/** One answer as it came over the wire; what follows the header section is `rest`. */
export interface RawAnswer {
  /** 0 when the connection ended without one. */
  readonly status: number;
  /** In lower case; of repeated ones the values in order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly rest: string;
  readonly text: string;
}

/**
 * Writes exactly these bytes to a port of 127.0.0.1, and gives all that came back until the server ended the connection; so
 * the bytes either ask for that (`Connection: close`) or are such that the server does it. Rejects after `timeoutMs`.
 */
export function exchange(port: number, bytes: string | Buffer, timeoutMs = 240_000): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const pieces: Buffer[] = [];
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no end of the connection in ${timeoutMs / 1000} s`)));
    socket.on('data', (piece) => pieces.push(piece));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // A server that rejects may end the connection with bytes of ours still unread.
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve(readAnswer(pieces));
      else reject(error);
    });
    socket.once('close', () => resolve(readAnswer(pieces)));
  });
}

function readAnswer(pieces: readonly Buffer[]): RawAnswer {
  const text = Buffer.concat(pieces).toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const [line = '', ...fields] = (end < 0 ? text : text.slice(0, end)).split('\r\n');
  const headers = new Map<string, string[]>();
  for (const field of fields) {
    const colon = field.indexOf(':');
    const name = field.slice(0, colon).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), field.slice(colon + 1).trim()]);
  }
  return {
    status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1] ?? 0),
    headers,
    rest: end < 0 ? '' : text.slice(end + 4),
    text,
  };
}

/** A request of HTTP/1.1 that asks for the connection's end. Header lines are written as given. */
export const rawRequest = (
  target: string,
  headers: readonly string[],
  { method = 'GET', body = '' }: { readonly method?: string; readonly body?: string } = {},
): string => `${[`${method} ${target} HTTP/1.1`, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`;
