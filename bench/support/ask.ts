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

/**
 * A host as clients write it who reach it there: with the port, unless that is the scheme's own (RFC 9110 §7.2). Our proxies look a host up with the
 * listener's port first, and take 40 µs more for a request without it.
 */
export const authorityOf = (host: string, { port, tls = false }: Pick<Door, 'port' | 'tls'>): string =>
  port === (tls ? 443 : 80) ? host : `${host}:${port}`;

/** The status that a gateway answers a request for the host, 0 when there is no answer within `timeoutMs`. Without an agent each request is a connection. */
export async function statusOf(
  { address, port, tls = false }: Door,
  host: string,
  agent: Agent | false,
  timeoutMs: number,
  path = '/',
): Promise<number> {
  const headers = { host: authorityOf(host, { port, tls }) };
  const options = { host: address, port, path, headers, agent, timeout: timeoutMs };
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
