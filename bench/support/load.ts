import { connect, type Socket } from 'node:net';
import { authorityOf, type Door } from './ask.ts';
import type { Tally } from './tally.ts';

export interface LoadOptions {
  readonly host: string;
  /** Each has one request under way at any time. */
  readonly connections: number;
  /** Paths, asked in turn; `/` when left out. */
  readonly paths?: readonly string[];
  /** How long a connection rests after each answer; not at all when left out. */
  readonly pauseMs?: number;
  /** What an answer to a path has to hold; anything when left out. */
  readonly expects?: (path: string) => string | undefined;
}

/** An answer that takes longer is none. */
const patienceMs = 10_000;

/**
 * Asks without a pause over many connections, as cheaply as this process can: a request is one write, an answer is read as far as its
 * length. Begins again on a new connection where one has ended in good order, as any client does.
 */
export class Load implements Disposable {
  readonly #door: Door;
  readonly #options: LoadOptions;
  readonly #kinds = new Map<string, number>();
  readonly #askers: Promise<void>[];
  #requests = 0;
  #isOver = false;

  constructor(door: Door, options: LoadOptions) {
    this.#door = door;
    this.#options = options;
    this.#askers = Array.from({ length: options.connections }, (_, at) => this.#ask(at));
  }

  get requests(): number {
    return this.#requests;
  }

  /** How many were answered otherwise than they should have been so far. */
  get failed(): number {
    return [...this.#kinds.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Ends when the requests under way have been answered. */
  async stop(): Promise<Tally> {
    this.#isOver = true;
    await Promise.all(this.#askers);
    return { requests: this.#requests, failed: this.failed, kinds: Object.fromEntries(this.#kinds) };
  }

  /** Ends without waiting for answers, because the server has given up. */
  [Symbol.dispose](): void {
    this.#isOver = true;
  }

  async #ask(start: number): Promise<void> {
    const { paths = ['/'], expects, host, pauseMs = 0 } = this.#options;
    const messages = paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: ${authorityOf(host, this.#door)}\r\n\r\n`);
    let connection: Connection | undefined;
    for (let at = start; !this.#isOver; at += 1) {
      connection ??= new Connection(this.#door);
      this.#requests += 1;
      const answer = await connection.ask(messages[at % paths.length]!);
      const wrong = kindOf(answer, expects?.(paths[at % paths.length]!));
      if (wrong !== undefined) {
        this.#kinds.set(wrong, (this.#kinds.get(wrong) ?? 0) + 1);
        // What fails at once would be asked for thousands of times in a second.
        await rest(failurePauseMs);
      }
      if (pauseMs > 0) await rest(pauseMs);
      if (connection.isUsable) continue;
      connection.close();
      connection = undefined;
    }
    connection?.close();
  }
}

/** After a failure: as long as a request takes. */
const failurePauseMs = 1;

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type Answer = { readonly status: number; readonly body: string } | 'connection' | 'no answer';

function kindOf(answer: Answer, expected: string | undefined): string | undefined {
  if (typeof answer === 'string') return answer;
  if (answer.status !== 200) return String(answer.status);
  return expected === undefined || answer.body.includes(expected) ? undefined : 'wrong backend';
}

class Connection {
  readonly #socket: Socket;
  #text = '';
  #resolve: ((answer: Answer) => void) | undefined;
  #isEnded = false;

  constructor({ address, port }: Door) {
    this.#socket = connect(port, address).setNoDelay().setEncoding('latin1');
    this.#socket.setTimeout(patienceMs, () => this.#end('no answer'));
    this.#socket.on('error', () => this.#end('connection'));
    this.#socket.on('close', () => this.#end('connection'));
    this.#socket.on('data', (text: string) => {
      this.#text += text;
      this.#read();
    });
  }

  /** False when the other side has ended it, or said that it will. */
  get isUsable(): boolean {
    return !this.#isEnded;
  }

  ask(message: string): Promise<Answer> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      if (this.#isEnded) this.#end('connection');
      else this.#socket.write(message);
    });
  }

  close(): void {
    this.#isEnded = true;
    this.#socket.destroy();
  }

  #read(): void {
    const end = this.#text.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.#text.slice(0, end).toLowerCase();
    const from = end + 4;
    const length = Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? 0);
    if (this.#text.length < from + length) return;
    const body = this.#text.slice(from, from + length);
    this.#text = this.#text.slice(from + length);
    if (head.includes('\r\nconnection: close')) this.#isEnded = true;
    this.#answer({ status: Number(head.slice(9, 12)), body });
  }

  #end(why: 'connection' | 'no answer'): void {
    this.#isEnded = true;
    this.#socket.destroy();
    this.#answer(why);
  }

  #answer(answer: Answer): void {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(answer);
  }
}
