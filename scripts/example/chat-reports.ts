import http from 'node:http';
import type { Behaviour } from './fake-provider.ts';
import type { RunningExample } from './running-example.ts';

/** One question to a model, and how it should end. */
export interface Chat {
  readonly what: string;
  readonly model: string;
  readonly team: string;
  readonly stream?: boolean;
  readonly behaviour: Behaviour;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
}

/** The status of the answer, when all of it is there. */
export function sendChat(
  { ports }: RunningExample,
  host: string,
  { model, team, stream = false, behaviour, headers }: Chat,
): Promise<number> {
  const body = JSON.stringify({ model, stream, messages: [{ role: 'user', content: JSON.stringify(behaviour) }] });
  return new Promise((resolve, reject) => {
    const call = http.request(
      {
        host: '127.0.0.1',
        port: ports.get(8080),
        method: 'POST',
        path: '/v1/chat/completions',
        headers: { host, 'content-type': 'application/json', 'x-team': team, ...headers },
        agent: false,
      },
      (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
        response.once('error', reject);
      },
    );
    call.once('error', reject);
    call.end(body);
  });
}

/** Reads reports on AI traffic by name. */
export const reader =
  ({ control }: RunningExample) =>
  async <T>(name: string): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${control.ports.layout1}/v1/ai/${name}`);
    return (await response.json()) as T;
  };

const deadlineMs = 30_000;
const pollMs = 20;

/** Proxies report usage a moment later. */
export async function untilReported(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + deadlineMs;
  while (!(await isSo())) {
    if (Date.now() > deadline) return;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
