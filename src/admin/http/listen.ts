import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bracketed, ConfigError, formatAddress, type ListenAddress } from '../../config/index.ts';

export interface ListenOptions {
  /** The configuration key of the address, for the error message. */
  readonly key: string;
  /** Milliseconds a client has for the headers, counted from connecting or from its last answer's request. */
  readonly headersTimeoutMs?: number;
  /** Milliseconds a client has for a whole request. */
  readonly requestTimeoutMs?: number;
  /** Milliseconds a connection may rest between requests. */
  readonly keepAliveTimeoutMs?: number;
}

/** An open port. */
export interface HttpListener {
  readonly server: Server;
  readonly port: number;
  /** Where to reach it from this machine. */
  readonly url: string;
  /** Takes no more connections, lets open requests end for `graceMs`, then cuts them off. A second call may only shorten that. */
  close(graceMs?: number): Promise<void>;
}

/** Opens the port. Rejects with a ConfigError that names the key when the port is not available. */
export async function listen(
  handler: RequestListener,
  address: ListenAddress,
  options: ListenOptions,
): Promise<HttpListener> {
  const { headersTimeoutMs = 8000, requestTimeoutMs = 30_000, keepAliveTimeoutMs = 5000 } = options;
  const server: Server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      // Each look wakes the process: often enough that a client that sends nothing is gone after 10 s.
      connectionsCheckingInterval: Math.min(2000, headersTimeoutMs),
    },
    (request, response) => {
      // A connection that is kept alive would hold up closing until its timeout.
      response.once('close', () => server.listening || setImmediate(() => server.closeIdleConnections()));
      handler(request, response);
    },
  );
  await opened(server, address, options.key);
  const { port } = server.address() as AddressInfo;
  return {
    server,
    port,
    url: `http://${urlHost(address.host)}:${port}`,
    close: closer(server),
  };
}

function opened(server: Server, { host, port }: ListenAddress, key: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const advice =
        cause.code === 'EADDRINUSE' ? 'end the process that has the port, or set another' : 'set another address';
      reject(
        new ConfigError(
          `${key}: cannot listen on ${formatAddress({ host: host ?? '', port })} (${cause.code}); ${advice}`,
          { cause },
        ),
      );
    });
    server.listen({ host, port }, resolve);
  });
}

function urlHost(host: string | undefined): string {
  if (host === undefined || host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return bracketed(host);
}

function closer(server: Server): HttpListener['close'] {
  let closed: Promise<void> | undefined;
  return (graceMs = 5000) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    closed ??= new Promise((resolve) => server.close(() => resolve()));
    return closed.finally(() => clearTimeout(cut));
  };
}
