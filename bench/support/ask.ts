import { once } from 'node:events';
import { type Agent, type IncomingMessage, request } from 'node:http';
import { request as requestOverTls } from 'node:https';

/** Where a gateway answers HTTP. */
export interface Door {
  readonly address: string;
  readonly port: number;
  /** Whether it is asked over TLS; any certificate is taken. */
  readonly tls?: boolean;
}

/** The status that a gateway answers a request for the host, 0 when there is no answer within `timeoutMs`. Without an agent each request is a connection. */
export async function statusOf(
  { address, port, tls = false }: Door,
  host: string,
  agent: Agent | false,
  timeoutMs: number,
  path = '/',
): Promise<number> {
  const options = { host: address, port, path, headers: { host }, agent, timeout: timeoutMs };
  const asked = tls ? requestOverTls({ ...options, servername: host, rejectUnauthorized: false }) : request(options);
  asked.on('timeout', () => asked.destroy(new Error(`no answer in ${timeoutMs} ms`)));
  try {
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return response.statusCode ?? 0;
  } catch {
    return 0;
  }
}

/** True when `/readyz` of that server says yes; undefined when not, or without an answer. */
export const isReady = (server: string): Promise<true | undefined> =>
  fetch(`${server}/readyz`).then(
    ({ ok }) => ok || undefined,
    () => undefined,
  );
