import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { AdminClient } from '../../../src/cli/kit/admin-client.ts';
import { follow } from '../../../src/cli/kit/follow.ts';

/** A server that answers each request with what is next in line; gives a client of it. */
async function serverOf(t: ExecutionContext, ...answers: readonly RequestListener[]): Promise<AdminClient> {
  let turn = 0;
  const server = createServer((request, response) => answers[turn++]?.(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return new AdminClient({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

const events = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });

test('a stream that ends is taken up again behind the last event seen', async (t) => {
  const resumedFrom: unknown[] = [];
  const lose: RequestListener = (request, response) => {
    resumedFrom.push(request.headers['last-event-id']);
    response.socket?.destroy();
  };
  const client = await serverOf(
    t,
    (_, response) => events(response).end('id: a-1\nevent: node\ndata: {}\n\nid: a-2\nevent: snapshot\ndata: {}\n\n'),
    // A request whose connection was closed is sent once more by itself.
    lose,
    lose,
    (request, response) => {
      resumedFrom.push(request.headers['last-event-id']);
      events(response).write('event: reset\ndata: {}\n\n');
    },
  );
  const stop = new AbortController();
  const lost: string[] = [];
  const seen: string[] = [];
  const options = { signal: stop.signal, onLost: ({ message }: Error) => lost.push(message), retryMs: 1 };
  for await (const type of follow(client, options)) {
    seen.push(type);
    if (type === 'reset') stop.abort();
  }
  t.deepEqual(seen, ['connected', 'node', 'snapshot', 'connected', 'reset']);
  t.deepEqual(resumedFrom, ['a-2', 'a-2', 'a-2']);
  t.is(lost[0], 'the control plane ended the stream');
  t.regex(lost[1] ?? '', /cannot reach the admin API/);
});

test('a control plane that cannot be asked at the first try is an error', async (t) => {
  const client = await serverOf(t, (_, response) => response.writeHead(404).end('{}'));
  const first = follow(client, { signal: new AbortController().signal, onLost: () => t.fail() }).next();
  await t.throwsAsync(first, { name: 'CliError', message: /\/v1\/events was answered 404/ });
});
