import type { Socket } from 'node:net';
import { type sendUnaryData, status } from '@grpc/grpc-js';
import { isWholeMessage, prefixBytes, readerOf } from '../grpc-messages.ts';
import { answerFrames, failureFrame, windowOf } from './answers.ts';
import {
  dataOf,
  eachSetting,
  type Frame,
  firstWindow,
  flag,
  frameReader,
  frameType,
  mostPayload,
  setting,
  settings,
  windowUpdate,
  writeFrame,
} from './frames.ts';

/** Gets the message of a question; `done` may be called at once, later, or when no request waits for it any more. */
export type Answering = (message: Buffer, done: sendUnaryData<Uint8Array>) => void;

/** Of one question; headers of the request, from which it is made, are shorter. */
const mostQuestion = 1024 * 1024;
/** Of all questions on the connection that come at a time. */
const connectionWindow = 16 * mostQuestion;

const greeting = Buffer.concat([
  settings(setting.initialWindow, mostQuestion),
  windowUpdate(connectionWindow - firstWindow),
]);
const settingsTaken = writeFrame({ type: frameType.settings, flags: flag.ack });

/**
 * One connection of Envoy, on which each stream is a call of the same method with one message. So nothing of a request's headers has to be known, and they are not
 * decoded. Everything that is answered in one turn of the event loop is one write.
 */
export class QuestionConnection {
  readonly #socket: Socket;
  readonly #answer: Answering;
  /** What has come of questions that have not ended, by stream. */
  readonly #coming = new Map<number, Buffer[]>();
  /** Streams whose question waits for its answer. */
  readonly #waiting = new Set<number>();
  #last = 0;
  #out: Buffer[] = [];
  /** Bytes of DATA that the peer does not know to be taken. */
  #taken = 0;
  /** How many bytes of DATA may be sent: on all streams together, and on one. */
  #window = firstWindow;
  #streamWindow = firstWindow;
  /** Answers for which the window is too small. */
  #held: { readonly stream: number; readonly frames: Buffer }[] = [];

  constructor(socket: Socket, answer: Answering) {
    this.#socket = socket;
    this.#answer = answer;
    const read = frameReader((frame) => this.#take(frame));
    // A connection that breaks is Envoy's to make again.
    socket.on('error', () => undefined).on('close', () => this.#waiting.clear());
    socket.on('data', (bytes: Buffer) => {
      try {
        read(bytes);
      } catch {
        this.destroy();
      }
    });
    this.#say(greeting);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #take(frame: Frame): void {
    const { type, flags, stream, payload } = frame;
    if (type === frameType.headers) this.#open(stream, flags);
    else if (type === frameType.data) this.#add(frame);
    else if (type === frameType.reset) this.#forget(stream);
    else if (type === frameType.settings && !(flags & flag.ack)) this.#adopt(payload);
    else if (type === frameType.ping && !(flags & flag.ack)) this.#say(writeFrame({ type, flags: flag.ack, payload }));
    // Answers fit into the window that a stream has at first.
    else if (type === frameType.windowUpdate && stream === 0) this.#widen(payload.readUInt32BE() & 0x7fff_ffff);
  }

  #open(stream: number, flags: number): void {
    // Others are trailers.
    if (stream > this.#last) {
      this.#last = stream;
      this.#coming.set(stream, []);
    }
    if (flags & flag.endStream) this.#ended(stream);
  }

  #add(frame: Frame): void {
    const { stream, flags, payload } = frame;
    this.#taken += payload.length;
    if (this.#taken > connectionWindow / 2) {
      this.#say(windowUpdate(this.#taken));
      this.#taken = 0;
    }
    this.#coming.get(stream)?.push(dataOf(frame));
    if (flags & flag.endStream) this.#ended(stream);
  }

  #forget(stream: number): void {
    this.#coming.delete(stream);
    this.#waiting.delete(stream);
    this.#held = this.#held.filter((each) => each.stream !== stream);
  }

  #adopt(payload: Buffer): void {
    eachSetting(payload, (id, value) => {
      if (id === setting.initialWindow) this.#streamWindow = value;
    });
    this.#say(settingsTaken);
  }

  #widen(bytes: number): void {
    this.#window += bytes;
    const held = this.#held;
    this.#held = [];
    for (const { stream, frames } of held) this.#send(stream, frames);
  }

  #ended(stream: number): void {
    const parts = this.#coming.get(stream);
    if (!parts) return;
    this.#coming.delete(stream);
    this.#waiting.add(stream);
    const message = onlyMessageOf(parts);
    if (typeof message === 'string') this.#fail(stream, status.INTERNAL, message);
    else
      this.#answer(message, (error, value) => {
        if (error) this.#fail(stream, error.code ?? status.UNKNOWN, error.details ?? '');
        else this.#succeed(stream, value ?? Buffer.alloc(0));
      });
  }

  #succeed(stream: number, message: Uint8Array): void {
    if (message.length > Math.min(mostPayload, this.#streamWindow) - prefixBytes)
      this.#fail(stream, status.INTERNAL, 'the answer is too long');
    else if (this.#waiting.delete(stream)) this.#send(stream, answerFrames(stream, message));
  }

  #fail(stream: number, code: status, details: string): void {
    if (this.#waiting.delete(stream)) this.#say(failureFrame(stream, code, details));
  }

  #send(stream: number, frames: Buffer): void {
    const needed = windowOf(frames);
    if (this.#held.length > 0 || needed > this.#window) {
      this.#held.push({ stream, frames });
      return;
    }
    this.#window -= needed;
    this.#say(frames);
  }

  #say(bytes: Buffer): void {
    this.#out.push(bytes);
    if (this.#out.length === 1) process.nextTick(() => this.#flush());
  }

  #flush(): void {
    const out = this.#out;
    this.#out = [];
    if (!this.#socket.writable) return;
    const [first] = out;
    this.#socket.write(out.length === 1 && first ? first : Buffer.concat(out));
  }
}

/** What is wrong, where there is another number of messages. */
function onlyMessageOf(parts: readonly Buffer[]): Buffer | string {
  const [part] = parts;
  if (part && parts.length === 1 && isWholeMessage(part)) return part.subarray(prefixBytes);
  const messages: Buffer[] = [];
  try {
    const read = readerOf((message) => messages.push(message));
    for (const part of parts) read(part);
  } catch (error) {
    return (error as Error).message;
  }
  const [message, another] = messages;
  return message && !another ? message : 'one message was expected';
}
