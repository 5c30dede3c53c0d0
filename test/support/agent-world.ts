import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { pino } from 'pino';
import { freePort } from '../../scripts/free-port.ts';
import { DataPlaneAgent, type DataPlaneAgentOptions } from '../../src/agent/index.ts';
import { SecretText } from '../../src/config/index.ts';
import type { EnvoyResource } from '../../src/translate/index.ts';
import { type Authenticator, type CertificateSource, XdsServer, type XdsServerOptions } from '../../src/xds/index.ts';
import { cluster, endpoints, httpListener, routes } from './agent-resources.ts';
import { envoyPath } from './envoy.ts';
import { unscraped } from './metrics.ts';
import { until } from './until.ts';

/** The Gateway that every agent here serves. */
export const gateway = 'test/edge';

/** How the control plane shows who it is, and finds out who its clients are. */
export interface ControlPlaneIdentity {
  readonly certificates: CertificateSource;
  readonly authenticator?: Authenticator;
}

/** A real xDS server that can go away and come back on the same port, with what was published. */
export class TestControlPlane {
  /** How many resources were sent since the last start. */
  resourcesSent = 0;
  /** How many bytes they took. */
  bytesSent = 0;
  readonly #identity: ControlPlaneIdentity | undefined;
  readonly #options: Pick<XdsServerOptions, 'lingerMs'>;
  #server: XdsServer | undefined;
  #port = 0;
  #published = new Map<string, EnvoyResource>();
  #id = '';

  constructor(identity?: ControlPlaneIdentity, options: Pick<XdsServerOptions, 'lingerMs'> = {}) {
    this.#identity = identity;
    this.#options = options;
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  get server(): XdsServer {
    if (!this.#server) throw new Error('the control plane is away');
    return this.#server;
  }

  async start(): Promise<void> {
    this.resourcesSent = 0;
    this.bytesSent = 0;
    this.#port ||= await freePort();
    const pushed = ({ resources, bytes }: { readonly resources: number; readonly bytes: number }) => {
      this.resourcesSent += resources;
      this.bytesSent += bytes;
    };
    const server = new XdsServer({
      logger: pino({ level: 'silent' }),
      metrics: { ...unscraped(), pushed },
      authenticator: this.#identity?.authenticator,
      bindRetryMs: 100,
      ...this.#options,
    });
    this.#server = server;
    this.#send([...this.#published.values()], []);
    await server.listen(this.address, this.#identity?.certificates);
  }

  /** Everything a proxy is to have now. */
  publish(id: string, resources: readonly EnvoyResource[]): void {
    const before = this.#published;
    const key = ({ typeUrl, name }: EnvoyResource) => `${typeUrl} ${name}`;
    this.#published = new Map(resources.map((resource) => [key(resource), resource]));
    this.#id = id;
    const removals = [...before].filter(([each]) => !this.#published.has(each)).map(([, resource]) => resource);
    // Chains with the same bytes may be of tables that demand something else.
    const upserts = resources.filter((each) => each.slots || before.get(key(each))?.version !== each.version);
    this.#send(upserts, removals);
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.close();
  }

  #send(upserts: readonly EnvoyResource[], removals: readonly EnvoyResource[]): void {
    if (this.#id === '') return;
    this.#server?.publish({
      marker: { id: this.#id, generatedAt: new Date(), gateways: 1, listeners: 1, routes: 1, backends: 1 },
      changes: [{ gateway, upserts, removals }],
      digests: new Map([[gateway, this.#id]]),
    });
  }
}

/** A started control plane, which goes with the test. */
export async function startControlPlane(
  t: Pick<ExecutionContext, 'teardown'>,
  identity?: ControlPlaneIdentity,
  options?: Pick<XdsServerOptions, 'lingerMs'>,
): Promise<TestControlPlane> {
  const controlPlane = new TestControlPlane(identity, options);
  t.teardown(() => controlPlane.stop());
  await controlPlane.start();
  return controlPlane;
}

/** A started agent with a real Envoy of one worker, which goes with the test. */
export async function startAgent(
  t: Pick<ExecutionContext, 'teardown'>,
  xdsAddress: string,
  options: Partial<DataPlaneAgentOptions> = {},
): Promise<DataPlaneAgent> {
  const agent = new DataPlaneAgent({
    nodeId: 'node-1',
    cluster: gateway,
    version: '1.2.3',
    xdsAddress,
    adminListen: { host: '127.0.0.1', port: 0 },
    adminAuth: { tokens: [async () => new SecretText(agentToken)] },
    envoyPath: envoyPath(),
    concurrency: 1,
    drainTimeMs: 5000,
    logger: pino({ level: process.env.AGENT_TEST_LOG ?? 'silent' }),
    ...options,
  });
  t.teardown(() => agent.stop({ drain: false }));
  await agent.start();
  return agent;
}

/** A backend that answers `backend`; a request to `/slow` waits for `finish`. */
export interface TestBackend {
  readonly port: number;
  /** Resolves when a slow request has come in; calling what it gives answers it. */
  slowRequest(): Promise<() => void>;
}

/** A started backend, which goes with the test. */
export async function startBackend(t: ExecutionContext, text = 'backend'): Promise<TestBackend> {
  const waiting: ServerResponse[] = [];
  const server = createServer((incoming, response) => {
    if (incoming.url === '/slow') waiting.push(response);
    else response.end(text);
  });
  // Envoy may be about to use a connection that would be closed for having been idle.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    slowRequest: async () => {
      const response = await eventually('the slow request', () => waiting.shift());
      return () => response.end(text);
    },
  };
}

/** A control plane that has `backend` on `port` for a data plane that comes, as snapshot `s1`. */
export async function publishedWorld(t: ExecutionContext) {
  const [backend, controlPlane, port] = [await startBackend(t), await startControlPlane(t), await freePort()];
  const listener = httpListener(port);
  const resources = [listener, routes(listener.name, 'c'), cluster('c'), endpoints('c', backend.port)];
  controlPlane.publish('s1', resources);
  return { backend, controlPlane, port, listener, resources };
}

/** A data plane that serves it. */
export async function servingWorld(t: ExecutionContext, options: Partial<DataPlaneAgentOptions> = {}) {
  const world = await publishedWorld(t);
  const agent = await startAgent(t, world.controlPlane.address, options);
  await untilReady(agent);
  return { agent, ...world };
}

/** A data plane with two listeners to one backend, where another program has the port of one (`bad`) until `free` is called. */
export async function worldWithTakenPort(t: ExecutionContext, options: Partial<DataPlaneAgentOptions> = {}) {
  const [backend, controlPlane, port] = [await startBackend(t), await startControlPlane(t), await freePort()];
  const taken = await freePort();
  const squatter = createTcpServer().listen(taken, '127.0.0.1');
  await once(squatter, 'listening');
  const free = () => void squatter.close();
  t.teardown(free);
  const [good, bad] = [httpListener(port), httpListener(taken)];
  const kept = [cluster('c'), endpoints('c', backend.port)];
  controlPlane.publish('s1', [good, bad, routes(good.name, 'c'), routes(bad.name, 'c'), ...kept]);
  const agent = await startAgent(t, controlPlane.address, options);
  return { agent, controlPlane, port, taken, bad, kept, free };
}

/** What /readyz answers once it says that the listener of this port alone is not bound: Envoy may open others a moment later. */
export function untilNotBound(agent: DataPlaneAgent, port: number): Promise<Answer> {
  return eventually('the reason', async () => {
    const readyz = await ask(agent.adminPort, '/readyz');
    return readyz.body.includes(`not bound: listener http/${port}:`) && readyz;
  });
}

/** An empty folder that goes with the test. */
export function folder(t: Pick<ExecutionContext, 'teardown'>): string {
  const path = mkdtempSync(join(tmpdir(), 'gatewright-agent-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** An answer with its body read. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** What the reports of agents here ask for, beside what they make up themselves. */
export const agentToken = 'token-of-the-agents-of-tests';

/** One request to the admin API of an agent, or to that on a port, with `agentToken`. */
export const askReport = (agent: DataPlaneAgent | number, path: string, method = 'GET'): Promise<Answer> =>
  ask(typeof agent === 'number' ? agent : agent.adminPort, path, method, { authorization: `Bearer ${agentToken}` });

/** One request on a connection of its own to 127.0.0.1. */
export function ask(port: number, path: string, method = 'GET', headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** The same of a client that would keep its connection: only a proxy that drains answers with `connection: close`. */
export const askToKeep = (port: number): Promise<Answer> => ask(port, '/', 'GET', { connection: 'keep-alive' });

/** A record of the agent's admin API. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at single fields of records whose types the API does not export
export async function record(agent: DataPlaneAgent, path: string): Promise<any> {
  const { status, body } = await askReport(agent, `/api/v1/${path}`);
  if (status !== 200) throw new Error(`${path}: ${status} ${body}`);
  return JSON.parse(body);
}

/** `until` with the patience that an agent, its Envoy and its control plane need on a busy machine. */
export const eventually = until;

/** Waits until the agent says it is ready. */
export const untilReady = (agent: DataPlaneAgent): Promise<unknown> =>
  eventually('the data plane to be ready', async () => (await ask(agent.adminPort, '/readyz')).status === 200);

/** Waits until the port gives this answer. */
export const untilServes = (port: number, text: string): Promise<unknown> =>
  eventually(`${text} on port ${port}`, async () => (await ask(port, '/')).body === text);
