import type { ClientHttp2Stream } from 'node:http2';
import { Readable } from 'node:stream';

/**
 * The body of a response, as a stream to iterate. The HTTP/2 stream itself is read by its events: Node's iterator takes it for cut where its last
 * frame came before the first read (https://github.com/nodejs/node/issues/65677, since Node 24.20).
 */
export function bodyOf(stream: ClientHttp2Stream): Readable {
  const body = new Readable({
    read: () => stream.resume(),
    destroy(error, done) {
      stream.destroy(error ?? undefined);
      done(error);
    },
  });
  // It may come before the first read, which has it then.
  body.on('error', () => {});
  stream.on('data', (chunk: Buffer) => {
    if (!body.push(chunk)) stream.pause();
  });
  stream.once('end', () => body.push(null));
  stream.on('error', (error) => body.destroy(error));
  stream.once('close', () => {
    if (!stream.readableEnded) body.destroy(new Error('the connection was lost'));
  });
  return body;
}
