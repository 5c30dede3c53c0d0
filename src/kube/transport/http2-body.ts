import type { ClientHttp2Stream } from 'node:http2';
import { Readable } from 'node:stream';

/**
 * The body of a response. A response whose last frame is in calls itself closed, and Node's iterators take that for a body that was cut, while
 * it is not read yet. So it is read by its events, and others read the copy.
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
