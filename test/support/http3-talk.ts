import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { ensureHttp3Client } from '../../scripts/setup/http3-client.mjs';

export interface TalkAnswer {
  readonly status: number;
  readonly body: string;
  /** Which of the client's connections it came on, counted from 1. */
  readonly connection: number;
  /** How many requests at a time the server allowed at the beginning of that connection. */
  readonly maxStreams: number | null;
  /** How often the server said that it had not begun with it, and it was sent again. */
  readonly resets: number;
}

export interface Http3Talk {
  /**
   * One request, on the connection of that name, which is kept, or on one of its own (`on` is null). Many may be under way. Rejects with the
   * client's words when there is no answer.
   */
  ask(path: string, on?: string | null): Promise<TalkAnswer>;
}

interface TalkPlace {
  readonly host: string;
  /** Of 127.0.0.1. */
  readonly port: number;
  /** Authorities in PEM. */
  readonly ca: string;
}

interface Waiting {
  readonly resolve: (answer: TalkAnswer) => void;
  readonly reject: (error: Error) => void;
}

const client = fileURLToPath(new URL('http3-talk.py', import.meta.url));

/** A client of HTTP/3 that is none of ours (aioquic) and keeps its connections; it ends with the test. */
export async function startHttp3Talk(t: ExecutionContext, place: TalkPlace): Promise<Http3Talk> {
  const folder = await ensureHttp3Client();
  const child = spawn('python3', [client], {
    env: { ...process.env, PYTHONPATH: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  t.teardown(async () => {
    child.kill();
    await ended;
  });
  const waiting = new Map<number, Waiting>();
  let count = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, error, ...answer } = JSON.parse(line) as TalkAnswer & { readonly id: number; readonly error?: string };
    const waits = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) waits?.resolve(answer);
    else waits?.reject(new Error(`HTTP/3 on connection ${answer.connection}: ${error}`));
  });
  child.once('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the HTTP/3 client has ended'));
  });
  const say = (line: object) => child.stdin.write(`${JSON.stringify(line)}\n`);
  say({ ...place, serverName: place.host });
  return {
    ask: (path, on = 'kept') =>
      new Promise((resolve, reject) => {
        const id = ++count;
        waiting.set(id, { resolve, reject });
        say({ id, path, on });
      }),
  };
}
