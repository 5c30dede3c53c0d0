import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { type CheckRequest, CheckRequestSchema, CheckResponseSchema } from '../../src/envoy/index.ts';
import type { Endings } from './endings.ts';

/** Length and no compression, before every message. Source: gRPC over HTTP/2, Length-Prefixed-Message. */
const prefixBytes = 5;

export interface GrpcAuthServer {
  readonly port: number;
  /** What was asked so far. */
  readonly asked: readonly CheckRequest[];
}

/** A server of envoy.service.auth.v3.Authorization. Ends with the test. */
export async function startGrpcAuth(
  t: Endings,
  answer: (request: CheckRequest) => MessageInitShape<typeof CheckResponseSchema>,
): Promise<GrpcAuthServer> {
  const asked: CheckRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const check = fromBinary(CheckRequestSchema, Buffer.concat(chunks).subarray(prefixBytes));
      asked.push(check);
      const message = toBinary(CheckResponseSchema, create(CheckResponseSchema, answer(check)));
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
  t.teardown(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, asked };
}
