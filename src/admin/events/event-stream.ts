import { Readable } from 'node:stream';
import type { Cursor, EventLog, EventType, LoggedEvent, SignalType } from './event-log.ts';

export interface EventStreamOptions {
  readonly log: EventLog;
  /** Where to begin. */
  readonly from: Cursor;
  /** What the reader has seen is not followed by what comes: it has to look at everything again. */
  readonly reset: boolean;
  /** Events and signals of other types are skipped. */
  readonly types: ReadonlySet<EventType | SignalType>;
  /** A comment is sent this often, so that both ends notice when the other is gone. Milliseconds. */
  readonly heartbeatMs: number;
}

/** How long a reader that was dropped has to take what was sent to it, in milliseconds. */
const farewellMs = 5000;
/** Events are given on in portions of about this many characters. */
const portionLength = 16_384;

/**
 * Events as `text/event-stream`, taken from the log when the reader takes them: one that is slow costs no memory. When it is so
 * slow that events which it has not taken are overwritten, it is sent `dropped` with the reason, and the stream ends.
 */
export class EventStream extends Readable {
  readonly #log: EventLog;
  readonly #types: ReadonlySet<EventType | SignalType>;
  readonly #unsubscribe: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  #cursor: Cursor;
  /** The number of the last signal that was sent, or was there before. */
  #signal: number;
  /** The reader takes more. */
  #wanted = false;
  #ended = false;
  #farewell: NodeJS.Timeout | undefined;

  constructor({ log, from, reset, types, heartbeatMs }: EventStreamOptions) {
    super({ highWaterMark: portionLength });
    this.#log = log;
    this.#types = types;
    this.#cursor = from;
    this.#signal = log.lastSignal;
    this.#unsubscribe = log.subscribe(() => this.#advance());
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs);
    // Says how long clients wait before they come back, and that the stream is open.
    this.push('retry: 2000\n\n');
    if (reset)
      this.push(eventText('reset', { reason: 'events since the last one seen are not kept; read everything' }));
  }

  override _read(): void {
    this.#wanted = true;
    this.#advance();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#unsubscribe();
    clearInterval(this.#heartbeat);
    clearTimeout(this.#farewell);
    done(error);
  }

  #advance(): void {
    if (this.#ended) return;
    if (this.#log.isLost(this.#cursor)) {
      this.#end('dropped', 'too slow: events were overwritten before they were taken');
      return;
    }
    if (this.#wanted) {
      const text = this.#portion();
      if (text !== '') this.#wanted = this.push(text);
    }
    if (this.#log.closed && this.#cursor >= this.#log.end) this.#end('end', 'the control plane is stopping');
  }

  #portion(): string {
    let text = '';
    while (text.length < portionLength) {
      const event = this.#log.at(this.#cursor);
      if (event === undefined) break;
      this.#cursor += 1;
      if (this.#types.has(event.type)) text += loggedText(event);
    }
    return text + this.#signalText();
  }

  /** Without an id: a reader that comes back is not behind for having missed a signal. */
  #signalText(): string {
    const signals = this.#log.signalsAfter(this.#signal).filter(({ type }) => this.#types.has(type));
    this.#signal = this.#log.lastSignal;
    return signals.map(({ type, at }) => eventText(type, { at: at.toISOString() })).join('');
  }

  #beat(): void {
    // A reader that takes nothing is not sent more of nothing.
    if (this.#wanted && !this.#ended) this.#wanted = this.push(': heartbeat\n\n');
  }

  #end(type: 'dropped' | 'end', reason: string): void {
    this.#ended = true;
    this.push(eventText(type, { reason }));
    this.push(null);
    this.#farewell = setTimeout(() => this.destroy(), farewellMs);
  }
}

const loggedText = ({ id, type, at, data }: LoggedEvent): string =>
  `id: ${id}\n${eventText(type, { at: at.toISOString(), ...data })}`;

const eventText = (type: string, data: object): string => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
