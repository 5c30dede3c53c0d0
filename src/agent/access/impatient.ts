import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type CallCredentials, ChannelCredentials } from '@grpc/grpc-js';

type Connector = ReturnType<ChannelCredentials['_createSecureConnector']>;
type Connected = Awaited<ReturnType<Connector['connect']>>;

/**
 * How long the agent waits for each step of a connection to the control plane. On a node without a free core an answer takes seconds. The kernel tries for
 * two minutes to reach a node that is gone, and a channel with it; a new connection may lead elsewhere.
 */
export const connectTimeoutMs = 10_000;

/**
 * The credentials, for connections that are given up when the other side leaves them open and answers nothing. grpc-js itself
 * has no limit for that, and makes no other connection meanwhile:
 *
 * - A process that hangs, or was stopped, still has its kernel accept connections. Through a Service another replica may answer the next one.
 * - A channel that is closed while it connects keeps the connection that it gets.
 * - A connection that is left is only half closed until the other side closes its half. Each would keep an open file.
 */
export function impatient(credentials: ChannelCredentials, waitMs = connectTimeoutMs): ChannelCredentials {
  return new ImpatientCredentials(credentials, waitMs);
}

class ImpatientCredentials extends ChannelCredentials {
  readonly #credentials: ChannelCredentials;
  readonly #waitMs: number;

  constructor(credentials: ChannelCredentials, waitMs: number) {
    super();
    this.#credentials = credentials;
    this.#waitMs = waitMs;
  }

  override compose(callCredentials: CallCredentials): ChannelCredentials {
    return new ImpatientCredentials(this.#credentials.compose(callCredentials), this.#waitMs);
  }

  override _isSecure(): boolean {
    return this.#credentials._isSecure();
  }

  override _equals(other: ChannelCredentials): boolean {
    return other instanceof ImpatientCredentials && this.#credentials._equals(other.#credentials);
  }

  override _createSecureConnector(...args: Parameters<ChannelCredentials['_createSecureConnector']>): Connector {
    const connector = this.#credentials._createSecureConnector(...args);
    let isClosed = false;
    return {
      connect: (socket) => {
        if (!isClosed) return this.#connect(connector, socket);
        socket.destroy();
        return Promise.reject(new Error('the channel is closed'));
      },
      waitForReady: () => connector.waitForReady(),
      getCallCredentials: () => connector.getCallCredentials(),
      destroy: () => {
        isClosed = true;
        connector.destroy();
      },
    };
  }

  async #connect(connector: Connector, socket: Socket): Promise<Connected> {
    const handshake = this.#giveUp(socket);
    // Not every connector notices that its socket was closed.
    const closed = once(socket, 'close').then(() => Promise.reject(new Error('no answer to the TLS handshake')));
    const connected = await Promise.race([connector.connect(socket), closed]).finally(() => clearTimeout(handshake));
    // A server of HTTP/2 speaks first, with its settings.
    this.#giveUp(connected.socket, () => connected.socket.bytesRead > 0);
    connected.socket.once('finish', () => this.#giveUp(connected.socket));
    return connected;
  }

  #giveUp(socket: Socket, unless = () => false): NodeJS.Timeout {
    const timer = setTimeout(() => unless() || socket.destroy(), this.#waitMs).unref();
    socket.once('close', () => clearTimeout(timer));
    return timer;
  }
}
