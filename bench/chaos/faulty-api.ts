import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Dice } from '../../test/support/fuzz/dice.ts';
import type { KubeApiServer } from '../../test/support/kube-apiserver.ts';

/** What goes wrong on the way: nothing, or some answers are 429, 500 or 410, or late; all connections are cut, or pass nothing any more; leases are cut alone. */
export type Manner = 'well' | 'throttled' | 'errors' | 'gone' | 'slow' | 'cut' | 'silent' | 'leaseless';

const body = (code: number, reason: string) =>
  JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message: 'made by the bench', code });

const slowestMs = 3_000;

/** A proxy before the API server, with its certificate, that gets worse on request. */
export class FaultyApi {
  readonly url: string;
  readonly #server: Server;
  readonly #target: number;
  readonly #ca: Buffer;
  readonly #dice: Dice;
  readonly #sockets = new Set<Socket>();
  readonly #answers = new Set<IncomingMessage>();
  #manner: Manner = 'well';

  private constructor(parts: { server: Server; target: number; ca: Buffer; dice: Dice }) {
    this.#server = parts.server;
    this.#target = parts.target;
    this.#ca = parts.ca;
    this.#dice = parts.dice;
    this.url = `https://127.0.0.1:${(parts.server.address() as AddressInfo).port}`;
    parts.server.on('request', (incoming, response) => void this.#pass(incoming, response));
    parts.server.on('connection', (socket: Socket) => {
      if (this.#manner === 'cut') socket.resetAndDestroy();
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  static async start({ directory, port }: KubeApiServer, dice: Dice): Promise<FaultyApi> {
    const [ca, key] = ['crt', 'key'].map((ending) => readFileSync(join(directory, 'certs', `apiserver.${ending}`)));
    const server = createServer({ cert: ca, key }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultyApi({ server, target: port, ca: ca as Buffer, dice });
  }

  behave(manner: Manner): void {
    const wasSilent = this.#manner === 'silent';
    this.#manner = manner;
    if (manner === 'silent') for (const answer of this.#answers) answer.pause();
    if (manner === 'cut' || wasSilent) for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.behave('cut');
    this.#server.close();
  }

  async #pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    if (this.#manner === 'silent') return;
    if (this.#manner === 'leaseless' && incoming.url?.includes('/leases')) {
      incoming.socket.destroy();
      return;
    }
    if (this.#manner === 'slow') await delay(this.#dice.below(slowestMs));
    const fault = this.#fault(incoming);
    if (fault) {
      response.writeHead(fault.code, {
        'content-type': 'application/json',
        ...(fault.code === 429 && { 'retry-after': '1' }),
      });
      response.end(body(fault.code, fault.reason));
      incoming.resume();
      return;
    }
    this.#forward(incoming, response);
  }

  #fault({ url = '' }: IncomingMessage): { readonly code: number; readonly reason: string } | undefined {
    const happens = this.#dice.chance(0.7);
    if (this.#manner === 'throttled' && happens) return { code: 429, reason: 'TooManyRequests' };
    if (this.#manner === 'errors' && happens) return { code: 500, reason: 'InternalError' };
    const isReading = url.includes('watch=') || url.includes('continue=');
    return this.#manner === 'gone' && isReading && happens ? { code: 410, reason: 'Expired' } : undefined;
  }

  #forward(incoming: IncomingMessage, response: ServerResponse): void {
    const { method, url, headers } = incoming;
    const asked = request({
      host: '127.0.0.1',
      port: this.#target,
      method,
      path: url,
      headers,
      ca: this.#ca,
      agent: false,
    });
    const end = () => response.destroy();
    asked.on('error', end);
    asked.once('response', (answer) => {
      this.#answers.add(answer);
      answer.once('close', () => {
        this.#answers.delete(answer);
        if (!answer.complete) end();
      });
      answer.on('error', end);
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
      if (this.#manner === 'silent') answer.pause();
    });
    response.once('close', () => asked.destroy());
    incoming.on('error', () => asked.destroy());
    incoming.pipe(asked);
  }
}
