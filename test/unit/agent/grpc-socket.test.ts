import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { messageFrame, readerOf } from '../../../src/agent/grpc-messages.ts';
import { type GrpcMethods, GrpcSocket } from '../../../src/agent/grpc-socket.ts';
import { until } from '../../support/until.ts';

/* A client of grpc-js at a server that does without it. */

const raw = (bytes: Uint8Array) => Buffer.from(bytes);

async function serve(t: ExecutionContext, methods: Partial<GrpcMethods>) {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-asks-'));
  const socketPath = join(folder, 'ask.sock');
  const socket = new GrpcSocket({ socketPath, methods: { unary: {}, streams: {}, ...methods } });
  await socket.listen();
  const clientOf = () => {
    // Each with a connection of its own.
    const client = new Client(`unix:${socketPath}`, credentials.createInsecure(), {
      'grpc.use_local_subchannel_pool': 1,
      'grpc.max_receive_message_length': -1,
    });
    t.teardown(() => client.close());
    return client;
  };
  t.teardown(() => {
    socket.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { socket, socketPath, clientOf };
}

const ask = (client: Client, path: string, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, raw, raw, Buffer.from(text), (error, value) =>
      error ? reject(error) : resolve(String(value)),
    );
  });

test('a question is answered, or fails with a status and its reason', async (t) => {
  const { clientOf } = await serve(t, {
    unary: {
      '/a/Echo': (message, done) => done(null, message),
      '/a/Later': (message, done) => setImmediate(() => done(null, message)),
      '/a/Fail': (_, done) => done({ code: status.UNAVAILABLE, details: 'no service is there: 100 %' }),
    },
  });
  const client = clientOf();
  const long = 'x'.repeat(300_000);
  t.deepEqual(await Promise.all(['', 'ü', long].map((text) => ask(client, '/a/Echo', text))), ['', 'ü', long]);
  const many = Array.from({ length: 200 }, (_, at) => String(at));
  t.deepEqual(await Promise.all(many.map((text) => ask(client, '/a/Later', text))), many);
  const failed = await t.throwsAsync<ServiceError>(ask(client, '/a/Fail', 'x'));
  t.like(failed, { code: status.UNAVAILABLE, details: 'no service is there: 100 %' });
  t.like(await t.throwsAsync<ServiceError>(ask(client, '/a/Other', 'x')), { code: status.UNIMPLEMENTED });
});

test('a stream gives each message in order, and is answered when it ends', async (t) => {
  const taken: string[] = [];
  const { clientOf } = await serve(t, { streams: { '/a/Log': () => (message) => taken.push(String(message)) } });
  const ended = new Promise<Error | null>((resolve) => {
    const stream = clientOf().makeClientStreamRequest('/a/Log', raw, raw, resolve);
    for (const text of ['one', '', 'x'.repeat(100_000), 'three']) stream.write(Buffer.from(text));
    stream.end();
  });
  t.is(await ended, null);
  t.deepEqual(
    taken.map((text) => text.length),
    [3, 0, 100_000, 5],
  );
});

test('a removed socket is made again, and connections through the former one go on', async (t) => {
  const { socket, socketPath, clientOf } = await serve(t, {
    unary: { '/a/Echo': (message, done) => done(null, message) },
  });
  const before = clientOf();
  t.is(await ask(before, '/a/Echo', '1'), '1');
  await socket.listen();
  rmSync(socketPath);
  await socket.listen();
  t.true(existsSync(socketPath));
  t.is(await ask(before, '/a/Echo', '2'), '2');
  t.is(await ask(clientOf(), '/a/Echo', '3'), '3');
  socket.close();
  await t.throwsAsync(ask(before, '/a/Echo', '4'));
  await until('the socket to be gone', () => !existsSync(socketPath));
});

test('messages are the same wherever the bytes are cut', (t) => {
  const chunks = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 30 })), chunks, (messages, lengths) => {
      const taken: string[] = [];
      const read = readerOf((message) => taken.push(message.toString('hex')));
      const bytes = Buffer.concat(messages.map(messageFrame));
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const length = lengths[turn % lengths.length] ?? 1;
        read(bytes.subarray(at, at + length));
        at += length;
      }
      return taken.join() === messages.map((message) => Buffer.from(message).toString('hex')).join();
    }),
  );
  t.pass();
});
