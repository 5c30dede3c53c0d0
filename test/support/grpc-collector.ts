import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';

/** A receiver of OpenTelemetry that keeps the text of what it gets, by method, and the headers of all calls. */
export async function startGrpcCollector(t: ExecutionContext) {
  const received = new Map<string, string>();
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    headers.push(request.headers);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const known = received.get(request.url) ?? '';
      received.set(request.url, known + Buffer.concat(chunks).toString('latin1'));
      response.writeHead(200, { 'content-type': 'application/grpc' });
      response.addTrailers({ 'grpc-status': '0' });
      response.end(Buffer.from([0, 0, 0, 0, 0]));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { port: (server.address() as AddressInfo).port, received, headers };
}
