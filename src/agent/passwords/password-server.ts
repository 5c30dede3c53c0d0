import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CheckCounts, type Outcome, PasswordChecks, UserList } from '../../passwords/index.ts';
import { LruMap } from '../../std/memory/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { SocketServer } from '../socket-server.ts';
import { type PasswordQuestion, questionIn } from './question.ts';

export interface PasswordServerOptions {
  /** The unix socket to listen on; the folder around it keeps others out. */
  readonly socketPath: string;
  readonly logger: Logger;
}

/** Of a question: 1,000 users with long names. */
const maxHeaderSize = 2 * 2 ** 20;
/** Lists that are kept read; the others are read again. */
const mostLists = 200;

/**
 * Answers Envoy whether passwords are right: 200 lets a request in, and says the user's name where it is asked for; 401 with a challenge, or 429, goes to the client. 503 is no
 * answer, and Envoy lets no request in without one.
 */
export class PasswordServer {
  readonly #logger: Logger;
  readonly #socket: SocketServer;
  readonly #checks = new PasswordChecks();
  readonly #lists = new LruMap<string, UserList>(mostLists);

  constructor({ socketPath, logger }: PasswordServerOptions) {
    this.#logger = logger;
    const answer = (request: IncomingMessage, response: ServerResponse) => void this.#answer(request, response);
    this.#socket = new SocketServer({ socketPath, answer, maxHeaderSize });
  }

  /** What was done since the start. */
  get counts(): CheckCounts {
    return this.#checks.counts;
  }

  /** Resolves when Envoy can connect, even after the socket was removed; rejects when it cannot be made. */
  listen(): Promise<void> {
    return this.#socket.listen();
  }

  /** Ends the socket, and checks that go on. */
  async close(): Promise<void> {
    this.#socket.close();
    await this.#checks.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      const question = questionIn(request);
      say(response, question, await this.#outcomeOf(question, gone.signal));
    } catch (error) {
      this.#logger.error({ err: error }, 'failed to check a password');
      response.writeHead(503).end();
    }
  }

  async #outcomeOf(question: PasswordQuestion, signal: AbortSignal): Promise<Outcome> {
    const { credential, address } = question;
    if (!credential) return 'wrong';
    return await this.#checks.check({ ...credential, users: this.#usersOf(question), from: address }, signal);
  }

  #usersOf({ list, htpasswd }: PasswordQuestion): UserList {
    const known = this.#lists.get(list);
    if (known) return known;
    const read = new UserList(htpasswd());
    this.#lists.set(list, read);
    return read;
  }
}

const plain = { 'content-type': 'text/plain' };

function say(response: ServerResponse, { realm, userHeader, credential }: PasswordQuestion, outcome: Outcome): void {
  switch (outcome) {
    case 'right':
      response.writeHead(200, userHeader && credential ? { [userHeader]: credential.user } : {}).end();
      break;
    case 'wrong':
      response.writeHead(401, { ...plain, 'www-authenticate': `Basic realm="${realm}"` });
      // In the words of Envoy's own filter.
      response.end(
        `User authentication failed. Invalid ${credential ? 'username/password combination' : 'basic credential format'}.`,
      );
      break;
    case 'tooOften':
      response.writeHead(429, { ...plain, 'retry-after': '10' }).end('Too many wrong passwords. Try again later.');
      break;
    case 'busy':
      response.writeHead(503).end();
      break;
  }
}
