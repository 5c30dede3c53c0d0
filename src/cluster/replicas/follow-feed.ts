import { type IncomingMessage, request } from 'node:http';
import { bracketed } from '../../config/index.ts';
import { type Message, parseMessage } from './message.ts';
import type { ReplicaAddress } from './resolve-places.ts';
import type { ReplicaTiming } from './timing.ts';

/** Where a control plane reports what it knows to the others: Layout 1 of the admin API. */
const feedPath = '/v1/replicas/feed';

export interface FollowOptions {
  readonly address: ReplicaAddress;
  /** What the replica asks for, as this one does; undefined: nothing. */
  readonly token: string | undefined;
  readonly timing: Pick<ReplicaTiming, 'idleMs' | 'connectMs'>;
  readonly onMessage: (message: Message) => void;
  /** Anything came, be it only a sign of life. */
  readonly onHeard: () => void;
  readonly signal: AbortSignal;
}

/** No message is longer than this. */
const maxLineLength = 4 * 1024 * 1024;
const prefix = 'data: ';

/** Follows what a replica reports, until it or the signal ends it. Gives the reason for people. Never rejects. */
export async function followFeed(options: FollowOptions): Promise<string> {
  try {
    await follow(options);
    return 'it closed the connection';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function follow({ address, token, timing, onMessage, onHeard, signal }: FollowOptions): Promise<void> {
  const { host, port } = address;
  return new Promise((resolve, reject) => {
    const call = request({
      host,
      port,
      path: feedPath,
      agent: false,
      signal,
      headers: {
        Host: `${bracketed(host)}:${port}`,
        Accept: 'text/event-stream',
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
    });
    const fail = (error: NodeJS.ErrnoException): void => {
      clearTimeout(late);
      reject(error.code === 'ECONNRESET' ? new Error('the connection broke', { cause: error }) : error);
    };
    const giveUp = (reason: string, cause?: unknown): void => {
      fail(new Error(reason, { cause }));
      call.destroy();
    };
    const late = setTimeout(() => giveUp('no answer in time'), timing.connectMs);
    call.on('error', fail);
    call.once('response', (response) => {
      clearTimeout(late);
      response.on('error', fail);
      if (response.statusCode !== 200) {
        giveUp(rejectionText(response.statusCode ?? 0));
        return;
      }
      response.setTimeout(timing.idleMs, () => giveUp(`nothing came for ${timing.idleMs / 1000} s`));
      response.once('end', resolve);
      read(response, onHeard, (text) => {
        // What was on its way when we left is nothing to us.
        if (signal.aborted) return;
        try {
          const message = parseMessage(text);
          if (message !== undefined) onMessage(message);
        } catch (cause) {
          giveUp(`what it sent cannot be read: ${(cause as Error).message}`, cause);
        }
      });
    });
    call.end();
  });
}

function rejectionText(status: number): string {
  if (status === 401) return 'it rejects our token (401): give all replicas the same adminAuth';
  if (status === 404)
    return 'it does not report to replicas (404): check whether it is a control plane of this version';
  return `it answers ${status}`;
}

/** Gives each `data:` line as soon as it is whole. */
function read(response: IncomingMessage, onHeard: () => void, onData: (text: string) => void): void {
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    onHeard();
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxLineLength) {
      response.destroy(new Error('it sent a message that is too long'));
      return;
    }
    for (const line of lines) {
      if (response.destroyed) return;
      if (line.startsWith(prefix)) onData(line.slice(prefix.length));
    }
  });
}
