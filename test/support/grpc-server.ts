import { createSecureServer, createServer, type SecureServerOptions } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Endings } from './endings.ts';

/** Length and no compression, before every message. Source: gRPC over HTTP/2, Length-Prefixed-Message. */
const prefixBytes = 5;

export interface GrpcServer {
  readonly port: number;
  /** Ends it before the test does. */
  stop(): void;
}

/** A server of one method of gRPC, which answers each message by another; it says nothing while there is no answer. Ends with the test. */
export async function startGrpcServer(
  t: Endings,
  answer: (message: Buffer) => Uint8Array | undefined,
  tls?: SecureServerOptions,
): Promise<GrpcServer> {
  const server = tls ? createSecureServer(tls) : createServer();
  server.on('request', (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const message = answer(Buffer.concat(chunks).subarray(prefixBytes));
      if (!message) return;
      const prefix = Buffer.alloc(prefixBytes);
      prefix.writeUInt32BE(message.length, 1);
      response.writeHead(200, { 'content-type': 'application/grpc' });
      response.addTrailers({ 'grpc-status': '0' });
      response.end(Buffer.concat([prefix, message]));
    });
  });
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => sessions.add(session));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    for (const session of sessions) session.destroy();
    server.close();
  };
  t.teardown(stop);
  return { port: (server.address() as AddressInfo).port, stop };
}
