import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { ClientBase, ClientConfig, Pool, PoolClient } from 'pg';
import { hintOf } from './hint.ts';
import { ensureTables } from './tables.ts';

/** What is read again for each connection. */
export interface PostgresSecrets {
  readonly password?: string | undefined;
  /** PEM. Authorities of the server's certificate, by default those of the system; our own certificate and its key. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface PostgresServer {
  /** `postgres://HOST:PORT/DATABASE` */
  readonly url: URL;
  readonly username?: string | undefined;
  readonly tls: boolean;
  /** Name in its certificate, if it is not the URL's host. */
  readonly serverName?: string | undefined;
  readonly insecureSkipVerify: boolean;
  /** Throws what says why they cannot be read. */
  readonly secrets: () => PostgresSecrets;
}

/** In milliseconds. */
export interface PostgresTimeouts {
  /** Until there is a connection. */
  readonly connect: number;
  /** The server ends a statement after this. */
  readonly statement: number;
  /** A server that does not even do that has gone. */
  readonly answer: number;
}

export interface PostgresOptions {
  readonly server: PostgresServer;
  /** Holds the tables. Control planes with the same one count together. */
  readonly schema: string;
  /** The server does not answer: what is wrong. Said once until it does. */
  readonly onLost: (why: string) => void;
  readonly onConnected: () => void;
  readonly timeouts?: Partial<PostgresTimeouts> | undefined;
}

const mostConnections = 4;
const defaults: PostgresTimeouts = { connect: 5000, statement: 10_000, answer: 12_000 };
const idleMs = 60_000;
const bigint = 20;

/** Connections to a PostgreSQL, made when they are needed. */
export class Postgres {
  readonly #options: PostgresOptions;
  #pool: Promise<Pool> | undefined;
  #tables: Promise<void> | undefined;
  #closed = false;
  /** Why the server is of no use; undefined while it is, and before it was asked. */
  trouble: string | undefined;
  /** Whether it answered the last time. */
  isConnected = false;

  constructor(options: PostgresOptions) {
    this.#options = options;
  }

  /**
   * Does all of it, or nothing.
   *
   * @param begin the SQL that begins the transaction
   * @throws Error with the reason, for people
   */
  async together<T>(begin: string, work: (client: ClientBase) => Promise<T>): Promise<T> {
    if (this.#closed) throw new Error('the control plane is shutting down');
    try {
      const client = await (await this.#connections()).connect();
      const result = await this.#transaction(client, begin, work);
      this.#answered();
      return result;
    } catch (error) {
      throw this.#failed(error as Error);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const pool = await this.#pool?.catch(() => undefined);
    await pool?.end();
  }

  async #transaction<T>(client: PoolClient, begin: string, work: (client: ClientBase) => Promise<T>): Promise<T> {
    let failed: Error | undefined;
    try {
      this.#tables ??= ensureTables(client, this.#options.schema);
      await this.#tables;
      await client.query(begin);
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      failed = error as Error;
      this.#tables = undefined;
      throw error;
    } finally {
      // A connection with half a transaction is closed, so the server takes it back.
      client.release(failed);
    }
  }

  #answered(): void {
    if (this.trouble !== undefined) this.#options.onConnected();
    this.trouble = undefined;
    this.isConnected = true;
  }

  #failed(error: Error): Error {
    const why = hintOf(error, this.#options.server.url);
    if (this.trouble === undefined && !this.#closed) this.#options.onLost(why);
    this.trouble = why;
    this.isConnected = false;
    return new Error(why, { cause: error });
  }

  #connections(): Promise<Pool> {
    this.#pool ??= poolOf(this.#options);
    return this.#pool;
  }
}

/** Its library is loaded by those who use it. */
async function poolOf({ server, timeouts }: PostgresOptions): Promise<Pool> {
  const { connect, statement, answer } = { ...defaults, ...timeouts };
  // Of a CommonJS package the bundled program has no other names.
  const { Client, Pool, types } = (await import('pg')).default;
  // Counts stay far below 2^53.
  const getTypeParser = ((oid: number, format?: 'text') =>
    oid === bigint ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser;
  class FreshClient extends Client {
    constructor(config?: string | ClientConfig) {
      super({ ...(config as ClientConfig), ...credentialsOf(server) });
      // A connection may end between two statements; the next one says so. Without a listener it would end the program.
      this.on('error', () => {});
    }
  }
  const pool = new Pool({
    Client: FreshClient as typeof Client,
    max: mostConnections,
    connectionTimeoutMillis: connect,
    idleTimeoutMillis: idleMs,
    statement_timeout: statement,
    query_timeout: answer,
    idle_in_transaction_session_timeout: answer,
    keepAlive: true,
    application_name: 'gatewright',
    types: { getTypeParser },
  });
  // An idle connection that ends is replaced when the next one is needed.
  pool.on('error', () => {});
  return pool;
}

function credentialsOf({ url, username, tls, serverName, insecureSkipVerify, secrets }: PostgresServer): ClientConfig {
  const { password, ca, cert, key } = secrets();
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const name = serverName ?? host;
  const ssl = {
    rejectUnauthorized: !insecureSkipVerify,
    // The library asks for the URL's host, whatever the name in the certificate.
    checkServerIdentity: (_: string, certificate: PeerCertificate) =>
      insecureSkipVerify ? undefined : checkServerIdentity(name, certificate),
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
  return {
    host,
    port: url.port === '' ? 5432 : Number(url.port),
    database: decodeURIComponent(url.pathname.slice(1)),
    user: username ?? 'gatewright',
    password: password ?? '',
    ssl: tls && ssl,
  };
}
