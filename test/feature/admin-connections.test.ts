import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Router } from '@koa/router';
import test, { type ExecutionContext } from 'ava';
import { createHttpApp, type HttpListener, listen } from '../../src/admin/http/index.ts';
import { readBodyText } from '../../src/admin/resource/read-body.ts';
import { ConfigError } from '../../src/config/index.ts';
import { createLogger } from '../../src/telemetry/index.ts';
import { untilFits } from '../support/until.ts';

const anyPort = { host: '127.0.0.1', port: 0 };

async function start(
  t: ExecutionContext,
  handler: Parameters<typeof listen>[0],
  headersTimeoutMs = 30_000,
): Promise<HttpListener> {
  const listener = await listen(handler, anyPort, { key: 'admin.listen', headersTimeoutMs });
  t.teardown(() => listener.close(0));
  return listener;
}

async function open(t: ExecutionContext, { port }: HttpListener): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Everything the server sends until it closes the connection. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

test('a connection that sends nothing, or headers drop by drop, is closed in time', async (t) => {
  const listener = await start(t, (_, response) => response.end('ok'), 200);
  const silent = await open(t, listener);
  const slow = await open(t, listener);
  slow.write('GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ');
  const [, answer] = await Promise.all([untilClosed(silent), untilClosed(slow)]);
  t.regex(answer, /^HTTP\/1\.1 408 /);
});

test('headers that are too large are a 431', async (t) => {
  const listener = await start(t, (_, response) => response.end('ok'));
  const socket = await open(t, listener);
  socket.write(`GET / HTTP/1.1\r\nHost: a\r\nX-Large: ${'x'.repeat(32_768)}\r\n\r\n`);
  t.regex(await untilClosed(socket), /^HTTP\/1\.1 431 /);
});

test('closing waits for the answer that is under way, and no longer than it may', async (t) => {
  let finish: (() => void) | undefined;
  const asked = Promise.withResolvers<void>();
  const listener = await start(t, (_, response) => {
    finish = () => response.end('done');
    asked.resolve();
  });
  const answer = fetch(listener.url).then((response) => response.text());
  await asked.promise;
  const closed = listener.close(60_000);
  finish?.();
  t.is(await answer, 'done');
  await closed;
  await t.throwsAsync(fetch(listener.url));

  const stuck = await start(t, () => asked.resolve());
  const failed = t.throwsAsync(fetch(stuck.url));
  await once(stuck.server, 'request');
  await stuck.close(0);
  await failed;
});

test('a port that is taken is a ConfigError that names the key', async (t) => {
  const { port } = await start(t, (_, response) => response.end());
  const error = await t.throwsAsync(
    listen(() => {}, { host: '127.0.0.1', port }, { key: 'admin.listen' }),
    {
      instanceOf: ConfigError,
    },
  );
  t.is(
    error.message,
    `admin.listen: cannot listen on 127.0.0.1:${port} (EADDRINUSE); end the process that has the port, or set another`,
  );
});

/** A client that ends before its body does: by time, by going away, or by breaking off. */
const unfinished: readonly (readonly [what: string, end: (socket: Socket) => void, requestTimeoutMs?: number])[] = [
  ['is slower than it may be', () => undefined, 300],
  ['goes away', (socket) => socket.end()],
  ['breaks off', (socket) => socket.resetAndDestroy()],
  ['leaves the protocol', (socket) => socket.write('no size\r\nGET / HTTP/1.1\r\n\r\n')],
];

interface Line {
  readonly level: string;
  readonly msg: string;
}

/**
 * What is logged of a request whose body does not end. Undefined where the time was over before the server read the headers, which
 * is possible on a busy machine.
 */
async function loggedOf(
  t: ExecutionContext,
  end: (socket: Socket) => void,
  requestTimeoutMs: number,
): Promise<readonly Line[] | undefined> {
  const lines: Line[] = [];
  const logger = createLogger({ level: 'debug', destination: { write: (line) => lines.push(JSON.parse(line)) } });
  const asked = Promise.withResolvers<true>();
  const router = new Router().post('/', readBodyText);
  const handle = createHttpApp({ app: 'layout1', logger }, router).callback();
  const take: typeof handle = (request, response) => {
    asked.resolve(true);
    return handle(request, response);
  };
  const options = { key: 'admin.listen', headersTimeoutMs: requestTimeoutMs / 2, requestTimeoutMs };
  const listener = await listen(take, anyPort, options);
  t.teardown(() => listener.close(0));
  const socket = await open(t, listener);
  const closed = untilClosed(socket);
  socket.write(
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n',
  );
  if ((await Promise.race([asked.promise, closed])) !== true) return undefined;
  end(socket);
  await closed;
  return await untilFits(
    'what is logged of it',
    () => lines,
    (all) => all.some(({ msg }) => msg === 'admin request'),
  );
}

for (const [what, end, requestTimeoutMs = 120_000] of unfinished) {
  test(`a client that ${what} while it sends a body is no error of ours: it is logged at level debug alone`, async (t) => {
    let lines: readonly Line[] | undefined;
    for (let timeoutMs = requestTimeoutMs; !lines && timeoutMs < 200_000; timeoutMs *= 4)
      lines = await loggedOf(t, end, timeoutMs);
    if (!lines) return t.fail('no request came to the server');
    t.deepEqual(
      lines.filter(({ level }) => level !== 'debug'),
      [],
    );
    t.true(lines.length <= 2, JSON.stringify(lines));
  });
}
