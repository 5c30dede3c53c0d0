import { mkdtempSync, rmSync } from 'node:fs';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { sendUnaryData } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { messageFrame } from '../../src/agent/grpc-messages.ts';
import { GrpcSocket } from '../../src/agent/grpc-socket.ts';
import { QuestionSocket } from '../../src/agent/questions/index.ts';
import { until } from '../support/until.ts';

/* What clients can make Envoy send to its agent, on the connection that carries the questions of others. */

const path = '/a/Ask';

type Answer = (message: Buffer, done: sendUnaryData<Uint8Array>) => void;

/** Both servers that Envoy asks. */
const servers = {
  'all methods': (socketPath: string, answer: Answer) =>
    new GrpcSocket({ socketPath, methods: { unary: { [path]: answer }, streams: {} } }),
  'shared limits': (socketPath: string, answer: Answer) => new QuestionSocket({ socketPath, answer }),
} as const;
type ServerName = keyof typeof servers;
const names = Object.keys(servers) as ServerName[];

/** A server that answers when the test says so, and Envoy's connection to it. */
async function serve(t: ExecutionContext, name: ServerName) {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-asks-'));
  const waiting: { readonly message: Buffer; readonly done: sendUnaryData<Uint8Array> }[] = [];
  const socketPath = join(folder, 'ask.sock');
  const socket = servers[name](socketPath, (message, done) => waiting.push({ message, done }));
  await socket.listen();
  const session = connect('http://envoy', { createConnection: () => connectSocket(socketPath) });
  session.on('error', () => undefined);
  t.teardown(() => {
    session.destroy();
    socket.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { session, waiting };
}

const ask = (session: ClientHttp2Session, bytes: Buffer): ClientHttp2Stream => {
  const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' });
  stream.on('error', () => undefined);
  stream.end(bytes);
  return stream;
};

/** The status of an answer; undefined for a stream that ended without one. */
const statusOf = (stream: ClientHttp2Stream): Promise<string | undefined> =>
  new Promise((resolve) => {
    let status: string | undefined;
    const read = (headers: Readonly<Record<string, unknown>>) => {
      status = (headers['grpc-status'] as string | undefined) ?? status;
    };
    stream
      .on('response', read)
      .on('trailers', read)
      .on('close', () => resolve(status));
    stream.resume();
  });

const patience = test.macro<[ServerName]>(async (t, name) => {
  const { session, waiting } = await serve(t, name);
  const patient = statusOf(ask(session, messageFrame(Buffer.from('patient'))));
  await until('the question', () => waiting.length === 1);
  for (let round = 1; round <= 30 && !session.closed; round += 1) {
    const streams = Array.from({ length: 100 }, () => ask(session, messageFrame(Buffer.from('gone'))));
    const closed = streams.map((stream) => new Promise((resolve) => stream.once('close', resolve)));
    await until('the questions', () => session.closed || waiting.length === 1 + round * 100);
    for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
    await Promise.all(closed);
  }
  t.false(session.closed);
  for (const { done } of waiting) done(null, Buffer.from('x'));
  t.is(await patient, '0');
});

for (const name of names)
  test(`thousands of clients that give up take no answer away from others: ${name}`, patience, name);

const rejection = test.macro<[ServerName]>(async (t, name) => {
  const { session, waiting } = await serve(t, name);
  const frame = messageFrame(Buffer.from('q'));
  const compressed = Buffer.concat([Buffer.from([1]), frame.subarray(1)]);
  const endless = Buffer.from([0, 255, 255, 255, 255, 1]);
  const wrong = [Buffer.alloc(0), Buffer.from([0, 0, 0]), compressed, endless, Buffer.concat([frame, frame])];
  t.deepEqual(await Promise.all(wrong.map((bytes) => statusOf(ask(session, bytes)))), ['13', '13', '13', '13', '13']);
  t.is(waiting.length, 0);
  const right = statusOf(ask(session, frame));
  await until('the question', () => waiting.length === 1);
  t.is(waiting[0]?.message.toString(), 'q');
  waiting[0]?.done(null, Buffer.from('x'));
  t.is(await right, '0');
});

for (const name of names)
  test(
    `bytes that are no question of gRPC are rejected, and others on the connection are answered: ${name}`,
    rejection,
    name,
  );

test('a path that is no method is rejected', async (t) => {
  const { session, waiting } = await serve(t, 'all methods');
  const other = session.request({ ':method': 'POST', ':path': '/toString' }).end();
  t.is(await statusOf(other), '12');
  t.is(waiting.length, 0);
});
