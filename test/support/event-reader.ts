import { get as httpGet, type IncomingMessage } from 'node:http';
import type { ExecutionContext } from 'ava';

/** One event as it came, without its end. */
export interface Reported {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An open event stream, read as it comes. */
export class EventReader {
  readonly response: IncomingMessage;
  #text = '';
  #reported: Reported[] = [];
  #waiting: (() => void) | undefined;
  ended = false;

  constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => this.#take(chunk));
    response.on('close', () => {
      this.ended = true;
      this.#waiting?.();
    });
    response.on('error', () => {});
  }

  /** The next event; throws when the stream ends before it. */
  async next(): Promise<Reported> {
    for (;;) {
      const reported = this.#reported.shift();
      if (reported) return reported;
      if (this.ended) throw new Error('the stream ended');
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
  }

  async all(count: number): Promise<Reported[]> {
    const reported: Reported[] = [];
    while (reported.length < count) reported.push(await this.next());
    return reported;
  }

  #take(chunk: string): void {
    this.#text += chunk;
    const blocks = this.#text.split('\n\n');
    this.#text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
      const type = fields.get('event');
      if (type) this.#reported.push({ id: fields.get('id'), type, data: JSON.parse(fields.get('data') ?? '{}') });
    }
    this.#waiting?.();
  }
}

/** Opens the stream of a control plane's events; it ends with the test. `lastSeen`: the id of an event. */
export function openEvents(
  t: ExecutionContext<unknown>,
  port: number,
  query = '',
  lastSeen?: string,
): Promise<EventReader> {
  return new Promise((resolve, reject) => {
    const headers = lastSeen === undefined ? {} : { 'Last-Event-ID': lastSeen };
    const call = httpGet({ host: '127.0.0.1', port, path: `/v1/events${query}`, headers, agent: false }, (response) =>
      resolve(new EventReader(response)),
    );
    call.on('error', reject);
    t.teardown(() => call.destroy());
  });
}
