import { once as eventOf } from 'node:events';
import { Agent } from 'node:http';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import { ask } from './ir-proxy.ts';
import { pause } from './pace.ts';

/** One request, and its answer: `STATUS ROUTE`. */
export type AskOnce = () => Promise<string>;

/** A client with one connection, which it keeps. */
export type Protocol = (port: number, spelling: string) => { readonly once: AskOnce; readonly end: () => void };

export function byHttp1(port: number, spelling: string): { once: AskOnce; end: () => void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const once = async () => {
    const { status, route: id } = await ask(port, { host: spelling, agent });
    return wordsFor(status, id);
  };
  return { once, end: () => agent.destroy() };
}

export function byHttp2(port: number, spelling: string): { once: AskOnce; end: () => void } {
  let session = connect(`http://127.0.0.1:${port}`);
  const once = async () => {
    if (session.closed || session.destroyed) session = connect(`http://127.0.0.1:${port}`);
    const stream = session.request({ ':authority': spelling });
    const [headers] = (await eventOf(stream, 'response')) as [IncomingHttpHeaders];
    stream.resume();
    await eventOf(stream, 'close');
    return wordsFor(headers[':status'], headers['x-route']);
  };
  return { once, end: () => session.close() };
}

const wordsFor = (status: unknown, id: string | string[] | undefined): string =>
  `${status} ${String(id ?? '').split('/')[1] ?? ''}`.trim();

/**
 * Clients that go on asking until they are stopped; what came back, and how often. `moment`: what an answer is of that was asked and came in the same one,
 * written behind it.
 */
export function askingClients(port: number, spelling: string, by: Protocol, moment = (): string => '') {
  let running = true;
  const seen = new Map<string, number>();
  const each = Array.from({ length: 8 }, async () => {
    const { once, end } = by(port, spelling);
    while (running) {
      const before = moment();
      const line = await once().catch((error: Error) => error.message);
      const words = before !== '' && before === moment() ? `${line}, ${before}` : line;
      seen.set(words, (seen.get(words) ?? 0) + 1);
      await pause();
    }
    end();
  });
  return async (): Promise<ReadonlyMap<string, number>> => {
    running = false;
    await Promise.all(each);
    return seen;
  };
}
