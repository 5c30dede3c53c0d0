import { isIP } from 'node:net';
import { Backoff } from '../../std/index.ts';
import type { Clock } from '../../std/queue/index.ts';
import { hintOf } from './hint.ts';
import { takeScript } from './take-script.ts';

/** What is read again for each connection. */
export interface ValkeySecrets {
  readonly password?: string | undefined;
  /** PEM. Authorities of the server's certificate, by default those of the system; our own certificate and its key. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface ValkeyServer {
  /** `redis:` or, for TLS, `rediss:`; the path is the number of a database. */
  readonly url: URL;
  readonly username?: string | undefined;
  /** Name in its certificate, if it is not the URL's host. */
  readonly serverName?: string | undefined;
  readonly insecureSkipVerify?: boolean | undefined;
  /** Throws what says why they cannot be read. */
  readonly secrets: () => ValkeySecrets;
}

export interface ValkeyConnectionOptions {
  readonly server: ValkeyServer;
  readonly clock: Clock;
  /** Whether a server is of use. Rejects if not. */
  readonly check: (scripts: ValkeyScripts) => Promise<void>;
  /** The connection was lost, or there is none: what is wrong, and what to do. Said once until there is one. */
  readonly onLost: (why: string) => void;
  readonly onConnected: () => void;
}

/** What can be asked of a server that answers. */
export interface ValkeyScripts {
  take(key: string, words: readonly string[]): Promise<unknown>;
}

const connectMs = 3000;
const waits = { baseMs: 100, maxMs: 5000 };
/** After a connection that was lost sooner, the next one waits longer than the one before. */
const steadyMs = 10_000;
/** Of commands that the server has not answered; further ones fail at once. */
const mostCommands = 20_000;

/** A connection that is made again when it is lost. States: it *connects*; it *is there*; it *waits* to try again; it is *stopped*. */
export class ValkeyConnection {
  /** There while the server answers. */
  scripts: ValkeyScripts | undefined;
  readonly #options: ValkeyConnectionOptions;
  readonly #backoff = new Backoff(waits);
  /** Why there is no connection; undefined while there is one, and before the first. */
  trouble: string | undefined;
  #stopped = false;
  /** Ends what the connection does now. */
  #end: (why: Error) => void = () => {};

  constructor(options: ValkeyConnectionOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#run();
  }

  stop(): void {
    this.#stopped = true;
    this.#end(new Error('stopped'));
  }

  /** The server does not do what it should: another connection may lead to one that does. */
  drop(why: Error): void {
    if (this.scripts) this.#end(why);
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const why = await this.#connection().catch((error: unknown) => error as Error);
      if (this.#stopped) return;
      this.#lost(why);
      await this.#pause(this.#backoff.next());
    }
  }

  #lost(why: Error): void {
    const hint = hintOf(why, this.#options.server.url);
    if (this.trouble === undefined) this.#options.onLost(hint);
    this.trouble = hint;
  }

  /** One connection, from its beginning to its end: why it ended. */
  async #connection(): Promise<Error> {
    const { clock, server, check } = this.#options;
    const { promise: ended, resolve } = Promise.withResolvers<Error>();
    this.#end = resolve;
    const client = await clientOf(server);
    client.on('error', resolve);
    client.on('end', () => resolve(new Error('the server closed the connection')));
    const cancel = clock.after(connectMs, () => resolve(new Error(`no connection within ${connectMs} ms`)));
    const scripts = { take: (key: string, words: readonly string[]) => client.take(key, words) };
    try {
      const connected = client.connect().then(() => check(scripts));
      const why = await Promise.race([connected, ended]);
      if (why) return why;
      cancel();
      return await this.#whileConnected(scripts, ended);
    } finally {
      cancel();
      client.destroy();
    }
  }

  async #whileConnected(scripts: ValkeyScripts, ended: Promise<Error>): Promise<Error> {
    const { clock, onConnected } = this.#options;
    const since = clock.now();
    this.scripts = scripts;
    if (this.trouble !== undefined) onConnected();
    this.trouble = undefined;
    const why = await ended;
    this.scripts = undefined;
    if (clock.now() - since >= steadyMs) this.#backoff.reset();
    return why;
  }

  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(ms, resolve);
    this.#end = () => resolve();
    await promise;
    cancel();
  }
}

/** Its library is loaded by those who use it. */
async function clientOf({ url, username, serverName, insecureSkipVerify, secrets }: ValkeyServer) {
  // Of a CommonJS package the bundled program has no other names.
  const { createClient, defineScript } = (await import('@redis/client')).default;
  const take = defineScript({
    SCRIPT: takeScript,
    NUMBER_OF_KEYS: 1,
    parseCommand(parser, key: string, words: readonly string[]) {
      parser.pushKey(key);
      parser.push(...words);
    },
    transformReply: (reply: unknown): unknown => reply,
  });
  const { password, ca, cert, key } = secrets();
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const place = { host, port: url.port === '' ? 6379 : Number(url.port), connectTimeout: connectMs };
  const tls = {
    tls: true as const,
    // No certificate is asked for by an address.
    servername: serverName ?? (isIP(host) === 0 ? host : ''),
    rejectUnauthorized: !insecureSkipVerify,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
  return createClient({
    socket: { ...place, ...(url.protocol === 'rediss:' && tls), reconnectStrategy: false },
    database: Number(url.pathname.slice(1)),
    RESP: 2,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    disableOfflineQueue: true,
    commandsQueueMaxLength: mostCommands,
    scripts: { take },
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
  });
}
