import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** Asks a server over one kept connection. */
export class Asker {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #at: Server;

  constructor(at: Server) {
    this.#at = at;
  }

  /** The body of the answer, whatever its status. */
  async answerOf(path: string): Promise<string> {
    const { address, port, socket } = this.#at;
    const where = socket === undefined ? { host: address, port } : { socketPath: socket };
    const asked = request({ ...where, path, agent: this.#agent });
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    return await text(response);
  }

  close(): void {
    this.#agent.destroy();
  }
}

export interface Server {
  readonly address?: string;
  readonly port?: number;
  /** Path of its unix socket, in place of both. */
  readonly socket?: string;
}
