import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import type { Condition } from '../../src/gateway-api/index.ts';
import { startEnvoy, xdsBootstrap } from './envoy.ts';
import { type CountingBackend, send, startBackend } from './http.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, service } from './objects.ts';
import { startReplica, type TestReplica, type TestReplicaOptions } from './replica.ts';
import { until } from './until.ts';
import type { AnyObject } from './world.ts';

const waitMs = 240_000;

/** Slow machines ask that often too. */
const leastAsked = 30;

/** Two Gateways, `edge` and `other`, that share a Service, with healthy stock Envoys. */
export class RejectionWorld {
  readonly replicas: TestReplica[];
  readonly backend: CountingBackend;
  /** Of the Gateways' one listener each. */
  readonly ports: Readonly<Record<'edge' | 'other', number>>;
  readonly #t: ExecutionContext;
  readonly #xdsPorts: readonly number[];
  readonly #adminPorts: readonly number[];
  readonly #more: Partial<TestReplicaOptions>;
  #objects = new Map<string, AnyObject>();
  #changes = 0;

  private constructor(t: ExecutionContext, parts: Pick<RejectionWorld, 'backend' | 'ports'> & Hidden) {
    this.#t = t;
    this.backend = parts.backend;
    this.ports = parts.ports;
    this.#xdsPorts = parts.xdsPorts;
    this.#adminPorts = parts.adminPorts;
    this.#more = parts.more;
    this.replicas = [];
  }

  static async start(
    t: ExecutionContext,
    { replicas = 1, empty = false, ...more }: Partial<TestReplicaOptions> & WorldOptions = {},
  ): Promise<RejectionWorld> {
    const backend = await startBackend(t, (_, response) => response.setHeader('connection', 'close').end('ok'));
    const ports = { edge: await freePort(), other: await freePort() };
    const free = () => Promise.all(Array.from({ length: replicas }, () => freePort()));
    const world = new RejectionWorld(t, { backend, ports, xdsPorts: await free(), adminPorts: await free(), more });
    if (!empty) world.put(...world.content());
    for (let index = 0; index < replicas; index += 1) await world.startReplica(index);
    return world;
  }

  /** Everything that is served at the beginning. */
  content(): AnyObject[] {
    return [
      gatewayClass(),
      gateway('edge', [{ port: this.ports.edge }]),
      gateway('other', [{ port: this.ports.other }]),
      service('web'),
      endpointSlice('web', ['127.0.0.1'], { port: this.backend.port }),
      route('shop', 'edge', 'a.test', '/'),
      route('shared', 'other', 'b.test', '/'),
    ];
  }

  /** Starts one in the place of the one that was there. */
  async startReplica(index: number): Promise<void> {
    const xds = { listen: `127.0.0.1:${this.#xdsPorts[index]}`, insecure: !this.#more.access };
    const replica = await startReplica(this.#t, {
      identity: `replica-${index}-${this.#changes++}`,
      port: this.#adminPorts[index] ?? 0,
      peers: this.#adminPorts.length > 1 ? this.#adminPorts : [],
      objects: [...this.#objects.values()],
      ...this.#more,
      config: { xds },
    });
    this.replicas[index] = replica;
  }

  xdsPort(index = 0): number {
    return this.#xdsPorts[index] ?? 0;
  }

  put(...objects: readonly AnyObject[]): void {
    for (const object of objects) this.#objects.set(`${object.kind} ${object.metadata.name}`, object);
    for (const replica of this.replicas) replica.put(...objects);
  }

  async startEnvoy(nodeId: string, of: 'edge' | 'other' = 'edge', index = 0): Promise<void> {
    const bootstrap = xdsBootstrap({ xds: this.xdsPort(index), nodeId, cluster: `default/${of}` });
    const envoy = await startEnvoy({ bootstrap });
    this.#t.teardown(() => envoy.stop());
  }

  ask(of: 'edge' | 'other', path = '/') {
    return send(this.ports[of], { host: of === 'edge' ? 'a.test' : 'b.test', path });
  }

  async serves(of: 'edge' | 'other', path = '/'): Promise<void> {
    await until(
      `${of}${path} to be served`,
      async () => (await this.ask(of, path).catch(() => undefined))?.status === 200,
      waitMs,
    );
  }

  /** Changes the host of `edge` so many times, one after the other; gives how long each took to reach the healthy Envoy, in milliseconds. */
  async change(times = 10): Promise<number[]> {
    const took: number[] = [];
    for (let turn = 0; turn < times; turn += 1) {
      const path = `/change-${this.#changes++}`;
      const began = performance.now();
      const object = route(`turn-${turn}`, 'edge', 'a.test', path, this.#changes);
      const redirect = { matches: [{ path: { type: 'PathPrefix', value: path } }], filters: [redirectTo(path)] };
      this.put({ ...object, spec: { ...object.spec, rules: [redirect] } } as never);
      const wanted = `http://moved.test${path}`;
      await until(path, async () => (await this.ask('edge', path)).headers.location === wanted, waitMs);
      took.push(performance.now() - began);
    }
    return took;
  }

  /** Conditions whose desired status was ever False, after the first `from` of them. */
  falseOnes(from: readonly number[]): string[] {
    return this.replicas.flatMap(({ desired }, index) =>
      desired.slice(from[index] ?? 0).flatMap(({ place, status }) =>
        conditionsOf(status)
          .filter(({ status: is }) => is === 'False')
          .map(({ type, message }) => `${place} ${type}: ${message}`),
      ),
    );
  }

  condition(kind: string, name: string, type: string, index = 0): Condition | undefined {
    return conditionsOf(this.replicas[index]?.statuses.get(`${kind} default/${name}`)).find(
      (each) => each.type === type,
    );
  }

  /** Asks both Gateways again and again until it is stopped, and `leastAsked` times; gives what was not answered 200. */
  watch(...of: readonly ('edge' | 'other')[]) {
    const wrong: string[] = [];
    let [asked, stopped] = [0, false];
    const running = (async () => {
      while (!stopped || asked < leastAsked) {
        for (const each of of) {
          const answer = await this.ask(each).catch(({ message }: Error) => ({ status: 0, body: message }));
          asked += 1;
          if (answer.status !== 200) wrong.push(`${each}: ${answer.status} ${answer.body}`);
        }
        await delay(5);
      }
    })();
    return async () => {
      stopped = true;
      await running;
      return { asked, wrong };
    };
  }
}

interface WorldOptions {
  readonly replicas?: number;
  /** Nothing is there yet. */
  readonly empty?: boolean;
}

interface Hidden {
  readonly xdsPorts: readonly number[];
  readonly adminPorts: readonly number[];
  readonly more: Partial<TestReplicaOptions>;
}

export const route = (name: string, of: string, host: string, path: string, generation = 1) =>
  httpRoute(
    name,
    {
      parentRefs: [{ name: of }],
      hostnames: [host],
      rules: [{ matches: [{ path: { type: 'PathPrefix', value: path } }], backendRefs: [{ name: 'web', port: 80 }] }],
    } as never,
    { generation },
  );

const redirectTo = (path: string) => ({
  type: 'RequestRedirect',
  requestRedirect: {
    hostname: 'moved.test',
    scheme: 'http',
    port: 80,
    path: { type: 'ReplaceFullPath', replaceFullPath: path },
  },
});

function conditionsOf(status: unknown): Condition[] {
  const {
    conditions = [],
    parents = [],
    listeners = [],
  } = (status ?? {}) as {
    conditions?: Condition[];
    parents?: { conditions: Condition[] }[];
    listeners?: { conditions: Condition[] }[];
  };
  return [conditions, ...parents.map((each) => each.conditions), ...listeners.map((each) => each.conditions)].flat();
}

export const figures = (took: readonly number[]): string => {
  const sorted = [...took].sort((a, b) => a - b);
  const at = (part: number) => Math.round(sorted[Math.floor(part * (sorted.length - 1))] ?? 0);
  return `a change reached the healthy Envoy in ${at(0.5)} ms (median), ${at(1)} ms (max)`;
};
