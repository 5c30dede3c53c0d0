import { Readable } from 'node:stream';
import { type ChatEvent, endText, eventText, keepAliveText } from '../index.ts';

export interface ChatStreamOptions {
  readonly events: AsyncIterable<ChatEvent>;
  /** Aborted when the stream is over, usually because the client closed the connection. */
  readonly left: AbortController;
  /** Milliseconds between comments. They keep proxies in between from closing the connection while a model is thinking. */
  readonly heartbeatMs: number;
}

/** A chat's events as `text/event-stream`. A reader that is slow slows the chat down, and costs no memory. */
export class ChatStream extends Readable {
  readonly #left: AbortController;
  readonly #heartbeat: NodeJS.Timeout;
  /** Goes on with the events once the reader takes more. */
  #resume = () => {};
  #wanted = false;

  constructor({ events, left, heartbeatMs }: ChatStreamOptions) {
    super();
    this.#left = left;
    this.#heartbeat = setInterval(() => {
      if (this.#wanted) this.#wanted = this.push(keepAliveText);
    }, heartbeatMs);
    this.#heartbeat.unref();
    this.#pump(events).catch((error: unknown) => this.destroy(error as Error));
  }

  override _read(): void {
    this.#wanted = true;
    this.#resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearInterval(this.#heartbeat);
    this.#left.abort();
    this.#resume();
    done(error);
  }

  async #pump(events: AsyncIterable<ChatEvent>): Promise<void> {
    let id = 0;
    for await (const event of events) {
      if (this.destroyed) return;
      this.#wanted = this.push(eventText(id, event));
      id += 1;
      if (!this.#wanted) await this.#drained();
    }
    if (this.destroyed) return;
    this.push(endText);
    this.push(null);
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }
}
