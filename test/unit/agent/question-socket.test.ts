import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect as connectSession } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { messageFrame } from '../../../src/agent/grpc-messages.ts';
import {
  type Frame,
  flag,
  frameReader,
  frameType,
  setting,
  settings,
  windowUpdate,
  writeFrame,
} from '../../../src/agent/questions/frames.ts';
import { QuestionSocket } from '../../../src/agent/questions/index.ts';
import { until } from '../../support/until.ts';

/* Clients of grpc-js, of Node's HTTP/2 and of bytes, at a server that reads frames by itself. */

type Answer = ConstructorParameters<typeof QuestionSocket>[0]['answer'];

async function serve(t: ExecutionContext, answer: Answer) {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-questions-'));
  const socketPath = join(folder, 'lim.sock');
  const socket = new QuestionSocket({ socketPath, answer });
  await socket.listen();
  t.teardown(() => {
    socket.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const clientOf = () => {
    // Each with a connection of its own.
    const client = new Client(`unix:${socketPath}`, credentials.createInsecure(), {
      'grpc.use_local_subchannel_pool': 1,
    });
    t.teardown(() => client.close());
    return client;
  };
  return { socket, socketPath, clientOf };
}

const raw = (bytes: Uint8Array) => Buffer.from(bytes);

const ask = (client: Client, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    client.makeUnaryRequest('/any/Method', raw, raw, Buffer.from(text), (error, value) =>
      error ? reject(error) : resolve(String(value)),
    );
  });

const echo: Answer = (message, done) => done(null, message);
const lengthLater: Answer = (message, done) => setImmediate(() => done(null, Buffer.from(String(message.length))));

test('questions are answered at once or later, whatever their length', async (t) => {
  const lengths = [0, 1, 126, 127, 128, 300, 16_384, 65_536, 300_000];
  const { clientOf } = await serve(t, lengthLater);
  const client = clientOf();
  const texts = [...lengths, ...lengths].map((length) => 'x'.repeat(length));
  t.deepEqual(await Promise.all(texts.map((text) => ask(client, text))), [...lengths, ...lengths].map(String));
  const other = (await serve(t, echo)).clientOf();
  const many = ['', 'ü', 'x'.repeat(16_000), ...Array.from({ length: 200 }, (_, at) => String(at))];
  t.deepEqual(await Promise.all(many.map((text) => ask(other, text))), many);
});

test('a question fails with a status and its reason', async (t) => {
  const details = { short: 'no service is there: 100 %', long: 'ü'.repeat(3000), none: '' };
  const { clientOf } = await serve(t, (message, done) =>
    done({ code: status.UNAVAILABLE, details: details[String(message) as keyof typeof details] }),
  );
  const client = clientOf();
  const failed = (text: string) => t.throwsAsync<ServiceError>(ask(client, text));
  t.like(await failed('short'), { code: status.UNAVAILABLE, details: details.short });
  t.like(await failed('long'), { code: status.UNAVAILABLE, details: 'ü'.repeat(1000) });
  t.like(await failed('none'), { code: status.UNAVAILABLE, details: '' });
});

test('an answer that is too long for one frame is a failure', async (t) => {
  const { clientOf } = await serve(t, (_, done) => done(null, Buffer.alloc(20_000)));
  t.like(await t.throwsAsync<ServiceError>(ask(clientOf(), 'x')), { code: status.INTERNAL });
});

test('a connection takes more questions and answers than any window holds', async (t) => {
  const { clientOf } = await serve(t, (_, done) => done(null, Buffer.alloc(16_000)));
  const client = clientOf();
  const text = 'x'.repeat(200_000);
  for (let round = 0; round < 12; round += 1)
    t.deepEqual(
      (await Promise.all(Array.from({ length: 10 }, () => ask(client, text)))).map(({ length }) => length),
      Array(10).fill(16_000),
    );
});

test('a removed socket is made again, and connections through the former one go on', async (t) => {
  const { socket, socketPath, clientOf } = await serve(t, echo);
  const before = clientOf();
  t.is(await ask(before, '1'), '1');
  await socket.listen();
  rmSync(socketPath);
  await socket.listen();
  t.true(existsSync(socketPath));
  t.is(await ask(before, '2'), '2');
  t.is(await ask(clientOf(), '3'), '3');
  socket.close();
  await t.throwsAsync(ask(before, '4'));
  await until('the socket to be gone', () => !existsSync(socketPath));
});

test('a ping is answered, and a question that was given up is not', async (t) => {
  const waiting: (() => void)[] = [];
  const { socketPath } = await serve(t, (message, done) => waiting.push(() => done(null, message)));
  const session = connectSession('http://envoy', { createConnection: () => connect(socketPath) });
  t.teardown(() => session.destroy());
  await new Promise((resolve) => session.once('connect', resolve));
  const echoed = await new Promise<Buffer>((resolve) => {
    session.ping(Buffer.from('12345678'), (_error, _ms, payload) => resolve(payload));
  });
  t.is(echoed.toString(), '12345678');
  const [gone, other] = ['gone', 'other'].map((text) => {
    const stream = session.request({ ':method': 'POST', ':path': '/a' });
    stream.end(messageFrame(Buffer.from(text)));
    return stream;
  });
  await until('both questions', () => waiting.length === 2);
  gone!.close();
  await new Promise((resolve) => gone!.once('close', resolve));
  const answered = new Promise((resolve) => other!.once('data', resolve));
  for (const say of waiting) say();
  t.deepEqual(await answered, messageFrame(Buffer.from('other')));
  t.false(session.closed);
});

/** What the server sends, frame by frame. */
function peer(t: ExecutionContext, socketPath: string): { socket: Socket; frames: Frame[] } {
  const frames: Frame[] = [];
  const socket = connect(socketPath);
  t.teardown(() => socket.destroy());
  const read = frameReader((frame) => frames.push(frame));
  read(preface);
  socket.on('data', read);
  return { socket, frames };
}

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
/** No decoder could read it. */
const headers = Buffer.from([0xff, 0xff]);
const question = (stream: number, text: string): Buffer =>
  Buffer.concat([
    writeFrame({ type: frameType.headers, flags: flag.endHeaders, stream, payload: headers }),
    writeFrame({ type: frameType.data, flags: flag.endStream, stream, payload: messageFrame(Buffer.from(text)) }),
  ]);
const answersIn = (frames: readonly Frame[]): Frame[] => frames.filter(({ type }) => type === frameType.data);

test('answers wait for the window of the connection, in their order', async (t) => {
  const { socketPath } = await serve(t, (_, done) => done(null, Buffer.alloc(16_000)));
  const { socket, frames } = peer(t, socketPath);
  socket.write(Buffer.concat([preface, ...[1, 3, 5, 7, 9].map((stream) => question(stream, 'x'))]));
  // 65,535 bytes are four answers.
  await until('four answers', () => answersIn(frames).length === 4);
  socket.write(writeFrame({ type: frameType.ping, payload: Buffer.alloc(8) }));
  await until('the ping', () => frames.some(({ type }) => type === frameType.ping));
  t.is(answersIn(frames).length, 4);
  socket.write(windowUpdate(16_005));
  await until('the last answer', () => answersIn(frames).length === 5);
  t.deepEqual(
    answersIn(frames).map(({ stream }) => stream),
    [1, 3, 5, 7, 9],
  );
});

test('an answer that exceeds the window of a stream is a failure', async (t) => {
  const { socketPath } = await serve(t, echo);
  const { socket, frames } = peer(t, socketPath);
  socket.write(Buffer.concat([preface, settings(setting.initialWindow, 10), question(1, '123456'), question(3, '12')]));
  await until('an answer', () => answersIn(frames).length === 1);
  t.is(answersIn(frames)[0]?.stream, 3);
  t.deepEqual(
    frames.filter(({ type }) => type === frameType.headers).map(({ stream, flags }) => [stream, flags]),
    [
      [1, flag.endHeaders | flag.endStream],
      [3, flag.endHeaders],
      [3, flag.endHeaders | flag.endStream],
    ],
  );
});

test('padding, trailers and unknown frames change nothing', async (t) => {
  const { socketPath } = await serve(t, echo);
  const { socket, frames } = peer(t, socketPath);
  const message = messageFrame(Buffer.from('q'));
  socket.write(
    Buffer.concat([
      preface,
      writeFrame({ type: 0xbb, stream: 1, payload: Buffer.from('?') }),
      writeFrame({ type: frameType.headers, stream: 1, payload: headers }),
      writeFrame({ type: 9, flags: flag.endHeaders, stream: 1, payload: headers }),
      writeFrame({
        type: frameType.data,
        flags: flag.padded,
        stream: 1,
        payload: Buffer.concat([Buffer.from([2]), message, Buffer.alloc(2)]),
      }),
      writeFrame({
        type: frameType.headers,
        flags: flag.endHeaders | flag.endStream,
        stream: 1,
        payload: headers,
      }),
    ]),
  );
  await until('the answer', () => answersIn(frames).length === 1);
  t.deepEqual(answersIn(frames)[0]?.payload, message);
});

test('what is no HTTP/2 ends its connection, and no other', async (t) => {
  const { socketPath, clientOf } = await serve(t, echo);
  const other = clientOf();
  t.is(await ask(other, '1'), '1');
  const longFrame = Buffer.from([0x01, 0, 0, 0, 0, 0, 0, 0, 1]);
  const padding = writeFrame({ type: 0, flags: flag.padded, stream: 1, payload: Buffer.from([200]) });
  const opened = writeFrame({ type: frameType.headers, stream: 1, payload: headers });
  const wrong = [
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    Buffer.concat([preface, longFrame]),
    Buffer.concat([preface, opened, padding]),
    Buffer.concat([preface, writeFrame({ type: frameType.settings, payload: Buffer.alloc(5) })]),
    Buffer.concat([preface, writeFrame({ type: frameType.windowUpdate })]),
  ];
  for (const bytes of wrong) {
    const { socket } = peer(t, socketPath);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(bytes);
    await closed;
  }
  t.is(await ask(other, '2'), '2');
});

test('frames are the same wherever the bytes are cut', (t) => {
  const frame = fc.record({
    type: fc.integer({ min: 0, max: 255 }),
    flags: fc.integer({ min: 0, max: 255 }),
    stream: fc.integer({ min: 0, max: 0x7fff_ffff }),
    payload: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  });
  const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(frame), cuts, (frames, lengths) => {
      const taken: Frame[] = [];
      const read = frameReader((each) => taken.push({ ...each, payload: Buffer.from(each.payload) }));
      const bytes = Buffer.concat([preface, ...frames.map(writeFrame)]);
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const length = lengths[turn % lengths.length] ?? 1;
        read(bytes.subarray(at, at + length));
        at += length;
      }
      t.deepEqual(taken, frames);
    }),
  );
});
