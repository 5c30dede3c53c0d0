import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import * as immutable from 'immutable';
import { freePort } from '../../scripts/free-port.ts';
import type { DataPlaneAgent, DataPlaneAgentOptions } from '../../src/agent/index.ts';
import type * as ir from '../../src/ir/index.ts';
import { eventually, startAgent, startControlPlane, type TestControlPlane, untilReady } from './agent-world.ts';
import { send } from './http.ts';
import { backendKey, snapshotOf, table, translateAll, virtualHost } from './ir.ts';

/** A client of one host that keeps what it is given, as a browser does, or as an application does with a header. */
export class SessionClient {
  /** The token it sends; undefined: none. */
  token: string | undefined;
  /** `set-cookie`, or the header, of every answer that had one. */
  readonly given: string[] = [];
  readonly #world: SessionWorld;
  readonly #by: 'cookie' | 'header';

  constructor(world: SessionWorld, by: 'cookie' | 'header' = 'cookie') {
    this.#world = world;
    this.#by = by;
  }

  /** Sends a request through the given replica's Envoy, and returns the endpoint that answered; throws when it is not 200. */
  async ask(replica = 0): Promise<string> {
    const headers: Record<string, string> =
      this.token === undefined
        ? {}
        : this.#by === 'cookie'
          ? { cookie: `s=${this.token}` }
          : { 'x-session': this.token };
    const { port } = this.#world.replicas[replica] as Replica;
    const answer = await send(port, { host: `h.test:${port}`, headers });
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.body}`);
    this.#keep(answer.headers);
    return answer.body;
  }

  /** The endpoints that answer so many requests. */
  async askOften(times: number, replica = 0): Promise<string[]> {
    const names: string[] = [];
    for (let sent = 0; sent < times; sent++) names.push(await this.ask(replica));
    return names;
  }

  #keep(headers: Readonly<Record<string, string | string[] | undefined>>): void {
    const given = this.#by === 'cookie' ? headers['set-cookie']?.[0] : headers['x-session'];
    if (typeof given !== 'string') return;
    this.given.push(given);
    this.token = this.#by === 'cookie' ? /^s=([^;]*)/.exec(given)?.[1] : given;
  }
}

interface Endpoint {
  readonly name: string;
  readonly server: Server;
  readonly port: number;
}

/** One agent with its Envoy, and what controls it. */
interface Replica {
  readonly nodeId: string;
  readonly controlPlane: TestControlPlane;
  /** Of its listener. */
  readonly port: number;
  agent: DataPlaneAgent;
}

/** One backend with endpoints that come and go, and replicas that balance over them; without sessions below `/plain`. */
export class SessionWorld {
  readonly replicas: Replica[] = [];
  readonly #t: Pick<ExecutionContext, 'teardown'>;
  readonly #session: ir.Session;
  readonly #directory: string;
  readonly #endpoints = new Map<string, Endpoint>();
  #published = 0;

  constructor(t: Pick<ExecutionContext, 'teardown'>, session: ir.Session) {
    this.#t = t;
    this.#session = session;
    this.#directory = mkdtempSync(join(tmpdir(), 'gatewright-sessions-'));
    t.teardown(() => rmSync(this.#directory, { recursive: true }));
  }

  /** A file with a new key, or with what is given. */
  keyFile(name = 'key', content = randomBytes(32).toString('base64')): string {
    const file = join(this.#directory, name);
    writeFileSync(file, `${content}\n`);
    return file;
  }

  /** Starts endpoints that answer with their names, and publishes them beside those that are there. */
  async add(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      const server = createServer((_request, response) => response.end(name));
      // A connection that is closed as idle while a request is on its way would be an error without a cause in the code under test.
      server.keepAliveTimeout = 0;
      // No other client may get it once the endpoint is dead.
      const port = await freePort();
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
      this.#t.teardown(() => closeNow(server));
      this.#endpoints.set(name, { name, server, port });
    }
    await this.publish();
  }

  /** The endpoint no longer listens, and no update has reported it. */
  async kill(name: string): Promise<void> {
    await closeNow((this.#endpoints.get(name) as Endpoint).server);
  }

  /** The endpoint is published no more, and goes on answering every request. */
  async withdraw(name: string): Promise<void> {
    this.#endpoints.delete(name);
    await this.publish();
  }

  /** Publishes the endpoints, and waits until every Envoy has taken them. */
  async publish(draining: readonly string[] = []): Promise<void> {
    this.#published += 1;
    for (const replica of this.replicas) this.#publishTo(replica, draining);
    for (const replica of this.replicas) await this.#untilTaken(replica);
  }

  /** Starts one more replica, and waits until it serves. */
  async start(options: Partial<DataPlaneAgentOptions> = {}): Promise<DataPlaneAgent> {
    const nodeId = `node-${this.replicas.length}`;
    const controlPlane = await startControlPlane(this.#t);
    const agent = await startAgent(this.#t, controlPlane.address, { nodeId, ...options });
    const replica = { nodeId, controlPlane, port: await freePort(), agent };
    this.replicas.push(replica);
    this.#publishTo(replica, []);
    await this.#untilTaken(replica);
    await untilReady(agent);
    return agent;
  }

  /** Ends the first replica's agent and Envoy, and starts others in their place. */
  async restart(options: Partial<DataPlaneAgentOptions>): Promise<void> {
    const replica = this.replicas[0] as Replica;
    await replica.agent.stop({ drain: false });
    replica.agent = await startAgent(this.#t, replica.controlPlane.address, { nodeId: replica.nodeId, ...options });
    await untilReady(replica.agent);
  }

  #publishTo(replica: Replica, draining: readonly string[]): void {
    replica.controlPlane.publish(`s${this.#published}`, this.#resources(replica.port, draining));
  }

  async #untilTaken({ nodeId, controlPlane }: Replica): Promise<void> {
    const id = `s${this.#published}`;
    await eventually(`${nodeId} to take ${id}`, () => controlPlane.server.nodes.find(nodeId)?.lastAckVersion === id);
  }

  #resources(port: number, draining: readonly string[]) {
    const key = `http/${port}`;
    const backend = backendKey('web');
    const route = (path: string, session?: ir.Session): ir.Route => ({
      id: path,
      match: { path: { kind: 'prefix', value: path }, headers: [], queryParams: [] },
      rule: { action: { kind: 'forward', backends: [{ backend, weight: 1, session }], invalidStatus: 500 } },
    });
    const listener = {
      key,
      transport: 'tcp' as const,
      bind: { address: '127.0.0.1', port },
      chains: [{ kind: 'http' as const, name: 'http', table: key }],
    };
    const exact = [virtualHost('h.test', [route('/plain'), route('/', this.#session)])];
    const snapshot = snapshotOf({ listeners: [listener], tables: [table(key, { exact })], backends: { web: 1 } });
    const endpoints = [...this.#endpoints.values()].map(({ name, port: at }) => ({
      address: '127.0.0.1',
      port: at,
      health: draining.includes(name) ? ('draining' as const) : ('ready' as const),
    }));
    return translateAll({ ...snapshot, endpoints: immutable.Map([[backend, { backend, endpoints }]]) });
  }
}

function closeNow(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
