/**
 * A backend for tests of rollouts, as a process of its own. Prints its port. SIGTERM ends it at once, with all that is under way, as it ends
 * any program that has no handler for it; with `finish` it first answers what it has begun, as a server that shuts down in good order, and waits for nothing else.
 *
 * usage: node exiting-server.ts http1|h2c|grpc [finish]        HOST and PORT: where it listens, else on a free port of 127.0.0.1
 */
import http from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';

const [protocol = 'http1', ending] = process.argv.slice(2);
/** So long that some requests are under way at any time. */
const workMs = 3;

const answer = (respond: () => void) => setTimeout(respond, workMs);

function startHttp1() {
  const server = http.createServer((request, response) => {
    request.resume().once('end', () => answer(() => response.end('ok')));
  });
  return { server, finish: () => server.close(() => process.exit()) };
}

function startHttp2() {
  const server = http2.createServer();
  const sessions = new Set<http2.ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    stream.resume().once('end', () => answer(() => (protocol === 'grpc' ? answerCall(stream) : answerRequest(stream))));
  });
  const finish = () => {
    for (const session of sessions) session.close();
    server.close(() => process.exit());
  };
  return { server, finish };
}

function answerRequest(stream: http2.ServerHttp2Stream): void {
  if (!stream.destroyed) stream.respond({ ':status': 200 });
  stream.end('ok');
}

/** An empty message. Source: gRPC over HTTP/2, Responses. */
function answerCall(stream: http2.ServerHttp2Stream): void {
  if (stream.destroyed) return;
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(Buffer.alloc(5));
}

const { server, finish } = protocol === 'http1' ? startHttp1() : startHttp2();
// The first process of a container ignores what it does not handle.
process.once('SIGTERM', ending === 'finish' ? finish : () => process.exit());
// A test that is ended has no time to end its backends: its end of the channel is gone with it.
process.once('disconnect', () => process.exit());
const { HOST = '127.0.0.1', PORT = '0' } = process.env;
server.listen(Number(PORT), HOST, () => console.log((server.address() as AddressInfo).port));
