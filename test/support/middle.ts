import { request as askOn, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ExecutionContext } from 'ava';
import { portOf } from '../../scripts/example/echo-server.ts';

/** Takes an answer in its own way; false: it passes as it is. */
export type TakeAnswer = (answer: IncomingMessage, response: ServerResponse) => boolean;

/** A proxy between a browser and `origin`, until the test ends; gives its own origin. */
export async function startMiddle(
  t: ExecutionContext<unknown>,
  origin: string,
  take: TakeAnswer = () => false,
): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => pass(origin, request, response, take));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${portOf(server)}`;
}

function pass(origin: string, request: IncomingMessage, response: ServerResponse, take: TakeAnswer): void {
  const { method, headers, url } = request;
  const onward = askOn(`${origin}${url}`, { ...(method && { method }), headers }, (answer) => {
    if (take(answer, response)) return;
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.once('error', () => response.destroy());
  response.once('close', () => onward.destroy());
  request.pipe(onward);
}
