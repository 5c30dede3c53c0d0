import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Forwards TCP connections on a port of 127.0.0.1 to another, and breaks them in the ways in which networks do. */
export class TcpProxy implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #target: number;
  #rejecting = false;
  #silent = false;

  private constructor(server: Server, port: number, target: number) {
    this.port = port;
    this.#server = server;
    this.#target = target;
    server.on('connection', (client) => this.#accept(client));
  }

  static async start(target: number): Promise<TcpProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return new TcpProxy(server, address.port, target);
  }

  /** Open connections. */
  get connections(): number {
    return this.#pairs.size;
  }

  /** Leads new connections to another port. */
  lead(target: number): void {
    this.#target = target;
  }

  /** Resets every connection, and every new one until `heal`. */
  cut(): void {
    this.#rejecting = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.resetAndDestroy();
  }

  /** Lets new connections through again; silent ones stay so, and are reset. */
  heal(): void {
    this.#rejecting = false;
    if (this.#silent) for (const pair of this.#pairs) for (const socket of pair) socket.resetAndDestroy();
    this.#silent = false;
  }

  /** Takes connections and passes no byte, on old ones and new ones, until `heal`: a network that is cut in two. */
  silence(): void {
    this.#silent = true;
    this.freeze();
  }

  /** Passes bytes of new connections again; silent ones stay so. As a Service does that leads to another replica. */
  pass(): void {
    this.#silent = false;
  }

  /** Stops passing bytes on the connections that there are, without closing them; new ones work. As when a peer lost its power. */
  freeze(): void {
    for (const pair of this.#pairs) {
      for (const socket of pair) {
        socket.unpipe();
        socket.pause();
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    if (this.#rejecting) {
      client.on('error', () => undefined);
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(this.#target, '127.0.0.1');
    const pair = [client, upstream] as const;
    this.#pairs.add(pair);
    if (!this.#silent) client.pipe(upstream).pipe(client);
    for (const socket of pair) {
      // One side's end is the other's, errors included: that is all a proxy can know.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#pairs.delete(pair);
        for (const other of pair) other.destroy();
      });
    }
  }
}
