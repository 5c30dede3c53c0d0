import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import type { ResourceStore } from '../../src/admin/index.ts';
import { buildAddOns } from '../../src/app/addons/build-add-ons.ts';
import {
  buildCore,
  type ControlPlane,
  type Core,
  type CoreOptions,
  connect,
  createMetrics,
  type Proxies,
  startControlPlane,
} from '../../src/app/control-plane/index.ts';
import type { ReplicaTiming } from '../../src/cluster/replicas/index.ts';
import { type ConfigInput, configSchema } from '../../src/config/index.ts';
import { type Kind, keyOf, kinds, type Status } from '../../src/gateway-api/index.ts';
import type { ResourceEvent, Source, SourceListener } from '../../src/sources/index.ts';
import { DeltaClient } from './grpc.ts';
import { logLines } from './log-lines.ts';
import { request } from './request.ts';
import type { AnyObject } from './world.ts';

/** A source that reports what a test puts into it. */
export class TestSource implements Source {
  readonly #objects = new Map<string, AnyObject>();
  #listener: SourceListener | undefined;

  put(object: AnyObject): void {
    const type = this.#objects.has(placeOf(object)) ? 'modified' : 'added';
    this.#objects.set(placeOf(object), object);
    this.#listener?.event(eventOf(type, object));
  }

  async run(listener: SourceListener, signal: AbortSignal): Promise<void> {
    this.#listener = listener;
    for (const object of this.#objects.values()) listener.event(eventOf('added', object));
    for (const kind of Object.values(kinds)) listener.synced(kind);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  }
}

/** Proxies that are there as soon as they are asked for, at an address of this machine. */
export const testProxies = (core: Pick<Core, 'setDataPlane'>): Proxies => ({
  ensure: ({ key }) => core.setDataPlane(key, { addresses: [{ type: 'IPAddress', value: '127.0.0.1' }], message: '' }),
  remove: (key) => core.setDataPlane(key, undefined),
  complete() {},
  parts: async () => ({ parts: [], warnings: [] }),
});

const placeOf = (object: AnyObject): string => `${object.kind} ${keyOf(object)}`;

const eventOf = (type: ResourceEvent['type'], object: AnyObject): ResourceEvent => ({
  type,
  kind: kinds[object.kind as keyof typeof kinds] as Kind,
  object: object as never,
});

const nothingManaged: ResourceStore = {
  statuses: 'computed',
  list: async () => [],
  find: async () => undefined,
  apply: () => Promise.reject(new Error('not here')),
  replace: () => Promise.reject(new Error('not here')),
  remove: () => Promise.reject(new Error('not here')),
};

/** A whole control plane of which only the source and the writing are the test's own. */
export interface TestReplica {
  readonly control: ControlPlane;
  readonly identity: string;
  /** Of Layout 1. */
  readonly port: number;
  put(...objects: readonly AnyObject[]): void;
  /** Desired statuses by kind and key. */
  readonly statuses: ReadonlyMap<string, Status | undefined>;
  /** The same, all that were ever desired, in order. */
  readonly desired: readonly { readonly place: string; readonly status: Status | undefined }[];
  /** All lines that it logged. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  get(path: string, port?: 'layout1' | 'layout2' | 'metrics'): Promise<Response>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at single fields of answers
  json(path: string, port?: 'layout1' | 'layout2'): Promise<any>;
  stop(): Promise<void>;
}

export interface TestReplicaOptions {
  readonly identity: string;
  /** Layout 1's, from `freePort`. */
  readonly port: number;
  readonly peers: readonly number[];
  readonly objects: readonly AnyObject[];
  readonly config?: ConfigInput;
  readonly timing?: Partial<ReplicaTiming>;
  readonly token?: string;
  /** Without it xDS is plain text. */
  readonly access?: CoreOptions['identity'];
}

/** Starts one, which goes with the test. */
export async function startReplica(t: ExecutionContext, options: TestReplicaOptions): Promise<TestReplica> {
  const { identity, port, peers, timing, token } = options;
  const anyPort = '127.0.0.1:0';
  const config = configSchema.parse({
    xds: { listen: anyPort, insecure: true },
    admin: { listen: `127.0.0.1:${port}`, layout2Listen: anyPort },
    metrics: { listen: anyPort },
    replicas: { peers: peers.map((peer) => `127.0.0.1:${peer}`) },
    ...options.config,
  });
  const source = new TestSource();
  for (const object of options.objects) source.put(object);
  const statuses = new Map<string, Status | undefined>();
  const desired: TestReplica['desired'][number][] = [];
  const { logger, lines } = logLines();
  const core = buildCore({
    config,
    logger,
    version: 'test',
    metrics: createMetrics({ process: false }),
    definitions: () => [],
    bind: (_gateway, listened) => ({ address: '127.0.0.1', port: listened }),
    leadership: () => ({ identity, isLeader: true }),
    identity: options.access,
    replicaTiming: timing,
  });
  const connected = connect(core, {
    proxies: testProxies(core),
    statuses: {
      setDesired({ kind, key, status }) {
        statuses.set(`${kind} ${key}`, status);
        desired.push({ place: `${kind} ${key}`, status });
      },
    },
  });
  // Nothing is set here, so there is never such a directory.
  const settings = { directory: join(tmpdir(), `gatewright-settings-${identity}`) };
  const addOns = buildAddOns(connected, { settings, allowLoopback: true });
  const control = await startControlPlane(connected, { source, resources: nothingManaged, addOns });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= control.stop();
    return stopped;
  };
  t.teardown(stop);
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const get: TestReplica['get'] = (path, on = 'layout1') =>
    request(`http://127.0.0.1:${control.ports[on]}${path}`, { headers });
  return {
    control,
    identity,
    port,
    put: (...objects) => {
      for (const object of objects) source.put(object);
    },
    statuses,
    desired,
    log: lines,
    get,
    json: async (path, on) => (await get(path, on)).json(),
    stop,
  };
}

/** Two that know each other, with the same objects. */
export async function startTwo(
  t: ExecutionContext,
  objects: readonly AnyObject[],
  more: Partial<TestReplicaOptions> = {},
): Promise<readonly [TestReplica, TestReplica]> {
  const ports = [await freePort(), await freePort()] as const;
  const start = (identity: string, port: number) => startReplica(t, { identity, port, peers: ports, objects, ...more });
  return [await start('replica-a', ports[0]), await start('replica-b', ports[1])];
}

export interface TestProxyOptions {
  readonly nodeId: string;
  /** What it asks for; of the Gateway default/edge. */
  readonly types: readonly string[];
  /** What it has from an earlier stream, by type and name. */
  readonly has?: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Why it rejects an answer; undefined: it does not. */
  readonly rejects?: (typeUrl: string, names: readonly string[]) => string | undefined;
}

/** A proxy with an agent, as far as the control plane can see: asks for everything and answers whatever comes. */
export class TestProxy {
  readonly client: DeltaClient;
  /** Versions by type and name. */
  readonly held = new Map<string, Map<string, string>>();
  /** Names of the resources that were sent, in order. */
  readonly sent: string[] = [];
  readonly #options: TestProxyOptions;
  readonly #running: Promise<void>;
  #closed = false;

  constructor(
    t: ExecutionContext,
    replica: { readonly control: { readonly ports: { readonly xds: number } } },
    options: TestProxyOptions,
  ) {
    this.#options = options;
    const { nodeId, types, has } = options;
    const metadata = { gatewright_version: '1.0.0', gatewright_admin_port: 8082 };
    this.client = new DeltaClient({ target: replica.control.ports.xds, nodeId, cluster: 'default/edge', metadata });
    for (const typeUrl of types) {
      const initialResourceVersions = Object.fromEntries(has?.get(typeUrl) ?? []);
      this.client.send({ typeUrl, resourceNamesSubscribe: ['*'], initialResourceVersions });
    }
    this.#running = this.#run();
    t.teardown(() => this.close());
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.client.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    void this.client.ended.then(() => {
      this.#closed = true;
    });
    while (!this.#closed) {
      const response = await this.client.receive(undefined, 200).catch(() => undefined);
      if (response === undefined) continue;
      const names = response.resources.map(({ name }) => name);
      this.sent.push(...names);
      const why = this.#options.rejects?.(response.typeUrl, names);
      if (why !== undefined) {
        this.client.nack(response, why);
        continue;
      }
      const held = this.held.get(response.typeUrl) ?? new Map<string, string>();
      this.held.set(response.typeUrl, held);
      for (const { name, version } of response.resources) held.set(name, version);
      for (const name of response.removedResources) held.delete(name);
      this.client.ack(response);
    }
  }
}
