import { connect, createServer, type Http2Server, type IncomingHttpHeaders } from 'node:http2';
import type { Echo } from './echo-server.ts';
import type { ExampleRequest } from './example.ts';
import type { Answer } from './send.ts';

/** Length and no compression, before every message. Source: gRPC over HTTP/2, Length-Prefixed-Message. */
export const prefixBytes = 5;

export function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** A gRPC server without a schema: every method answers with what it saw, as JSON where a message would be. */
export async function startGrpcEchoServer(backend: string, address: string, port: number): Promise<Http2Server> {
  const server = createServer((request, response) => {
    const { method, url: path, headers } = request;
    const echo: Echo = { backend, method, path, headers };
    response.writeHead(200, { 'content-type': 'application/grpc' });
    response.addTrailers({ 'grpc-status': '0' });
    response.end(framed(Buffer.from(JSON.stringify(echo))));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, address, resolve);
  });
  return server;
}

/** Sends one call with an empty message to the port of the gateway on this machine. */
export function sendGrpc(
  { host, path, headers = {} }: Pick<ExampleRequest, 'host' | 'path' | 'headers'>,
  port: number,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const session = connect(`http://127.0.0.1:${port}`).once('error', reject);
    const call = session.request({
      ...headers,
      ':method': 'POST',
      ':path': path,
      ':authority': `${host}:${port}`,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    let seen: IncomingHttpHeaders = {};
    let trailers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    call.once('response', (answered) => {
      seen = answered;
    });
    call.once('trailers', (last) => {
      trailers = last;
    });
    call.on('data', (chunk: Buffer) => chunks.push(chunk));
    call.once('error', reject);
    call.once('end', () => {
      session.close();
      const message = Buffer.concat(chunks).subarray(prefixBytes).toString();
      resolve({
        status: Number(seen[':status']),
        headers: { ...seen, ...trailers },
        grpcStatus: Number(trailers['grpc-status'] ?? seen['grpc-status']),
        ...(message && { echo: JSON.parse(message) as Echo }),
      });
    });
    call.end(framed(Buffer.alloc(0)));
  });
}
