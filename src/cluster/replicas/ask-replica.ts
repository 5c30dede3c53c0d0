import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { limited } from '../../std/index.ts';

export interface AskReplicaOptions {
  /** `HOST:PORT` of its admin API. */
  readonly address: string;
  /** What it asks for, as this replica does; undefined: nothing. */
  readonly token: string | undefined;
  /** Of Layout 1, with its query. */
  readonly path: string;
  readonly timeoutMs: number;
}

/** Says that a control plane asks, which is answered from what the asked one knows by itself: two never ask each other in a circle. */
const fromReplicaHeader = 'X-Gatewright-From-Replica';

/** All that an Envoy holds may be much. */
const maxBytes = 256 * 1024 * 1024;
const maxMessageBytes = 1024 * 1024;

/** Asks another control plane, and gives its answer. Rejects with the reason, for people. */
export async function askReplica(options: AskReplicaOptions): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of readReplica(options)) chunks.push(chunk);
  const answer = parsed(Buffer.concat(chunks).toString());
  if (answer === undefined) throw new Error('status 200');
  return answer;
}

/** The same while it comes in. */
export async function* readReplica({ address, token, path, timeoutMs }: AskReplicaOptions): AsyncGenerator<Buffer> {
  const signal = AbortSignal.timeout(timeoutMs);
  const headers = { [fromReplicaHeader]: '1', ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
  try {
    const response = await answerOf(`http://${address}${path}`, { signal, agent: false, headers });
    if (response.statusCode === 200) yield* limited(response, maxBytes);
    else throw new Error((await messageOf(response)) ?? `status ${response.statusCode}`);
  } catch (cause) {
    throw signal.aborted ? new Error('no answer in time') : cause;
  }
}

const answerOf = (url: string, options: RequestOptions): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request(url, options, resolve).on('error', reject).end();
  });

async function messageOf(response: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of limited(response, maxMessageBytes)) chunks.push(chunk);
  return messageIn(parsed(Buffer.concat(chunks).toString()));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const messageIn = (answer: unknown): string | undefined =>
  (answer as { readonly error?: { readonly message?: string } } | undefined)?.error?.message;
