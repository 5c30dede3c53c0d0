import type { Socket } from 'node:net';

/** A connection of HTTP/1.1 with one request under way. An answer is read as far as its length says. */
export class TimedConnection {
  readonly #socket: Socket;
  #text = '';
  #waiting: { readonly resolve: (status: number) => void; readonly reject: (error: Error) => void } | undefined;

  constructor(socket: Socket) {
    this.#socket = socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.#read(text));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the gateway closed a connection')));
  }

  /** The status. Rejects when the connection ends. */
  ask(message: string): Promise<number> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) return reject(new Error('the gateway has closed a connection'));
      this.#waiting = { resolve, reject };
      this.#socket.write(message);
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #read(more: string): void {
    this.#text += more;
    const end = this.#text.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = headOf(this.#text.slice(0, end));
    if (!head) {
      this.#fail(new Error(`no answer with a status and a length: ${JSON.stringify(this.#text.slice(0, 500))}`));
      return;
    }
    const { status, length } = head;
    if (this.#text.length < end + 4 + length) return;
    this.#text = this.#text.slice(end + 4 + length);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(status);
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}

/** Undefined for what is no answer, or does not say how long it is. */
function headOf(text: string): { readonly status: number; readonly length: number } | undefined {
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1];
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
  return status === undefined || length === undefined ? undefined : { status: Number(status), length: Number(length) };
}
