import { request } from 'node:http';

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

/** Asks another control plane, and gives its answer. Rejects with the reason, for people. */
export function askReplica({ address, token, path, timeoutMs }: AskReplicaOptions): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMs);
  const headers = { [fromReplicaHeader]: '1', ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => reject(signal.aborted ? new Error('no answer in time') : cause);
    const call = request(`http://${address}${path}`, { signal, agent: false, headers }, (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > maxBytes) call.destroy(new Error('the answer is too long'));
      });
      response.on('error', fail);
      response.on('end', () => {
        const answer = parsed(Buffer.concat(chunks).toString());
        if (response.statusCode === 200 && answer !== undefined) resolve(answer);
        else fail(new Error(messageIn(answer) ?? `status ${response.statusCode}`));
      });
    });
    call.on('error', fail);
    call.end();
  });
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
