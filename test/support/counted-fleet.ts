import type { ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import type { DataPlaneAgent } from '../../src/agent/index.ts';
import { startAgent } from './agent-world.ts';
import { type CountingBackend, send, startBackend } from './http.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, service } from './objects.ts';
import { startReplica, type TestReplica } from './replica.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { untilFits } from './until.ts';
import type { AnyObject } from './world.ts';

const services = ['one', 'two'] as const;
/** Each of the first half leads to the first Service, the others to the second. */
const routes = services.flatMap((to) => ['a', 'b', 'c'].map((letter) => ({ name: `${to}-${letter}`, to })));
/** Of no route. */
const nowhere = 'nowhere.test';
const atOnce = 16;

function objectsOf(port: number, backends: readonly CountingBackend[]): AnyObject[] {
  const inDefault = { namespace: 'default' };
  return [
    gatewayClass(),
    gateway('edge', [{ port }]),
    ...services.flatMap((name, at) => {
      const target = backends[at]?.port;
      return [service(name), endpointSlice(name, ['127.0.0.1'], target === undefined ? {} : { port: target })];
    }),
    ...routes.map(({ name, to }) =>
      httpRoute(name, { hostnames: [`${name}.test`], rules: [{ backendRefs: [{ name: to, port: 80 }] }] }, inDefault),
    ),
  ];
}

/** One of two. */
export type Which = 0 | 1;

/** A proxy with its own way to a replica, which can be led to the other one. */
export interface FleetProxy {
  readonly agent: DataPlaneAgent;
  readonly way: TcpProxy;
}

/** Two replicas, and proxies of one Gateway that share its port, with a ledger of what was sent. */
export class CountedFleet {
  /** Requests by route, and by `no_route`. */
  readonly sent = new Map<string, number>();
  readonly #t: ExecutionContext;
  readonly #port: number;
  readonly #adminPorts: readonly [number, number];
  readonly #backends: readonly CountingBackend[];
  readonly #replicas = new Map<Which, TestReplica>();

  private constructor(
    t: ExecutionContext,
    port: number,
    adminPorts: readonly [number, number],
    backends: readonly CountingBackend[],
  ) {
    this.#t = t;
    this.#port = port;
    this.#adminPorts = adminPorts;
    this.#backends = backends;
  }

  static async start(t: ExecutionContext): Promise<CountedFleet> {
    const backends = await Promise.all(services.map(() => startBackend(t)));
    const fleet = new CountedFleet(t, await freePort(), [await freePort(), await freePort()], backends);
    await Promise.all([fleet.#startReplica(0), fleet.#startReplica(1)]);
    await fleet.#acquainted();
    return fleet;
  }

  replica(which: Which): TestReplica {
    const replica = this.#replicas.get(which);
    if (replica === undefined) throw new Error(`replica ${which} is away`);
    return replica;
  }

  /** Stops a replica in good order; its proxies go nowhere until their ways are led elsewhere. */
  async stopReplica(which: Which): Promise<void> {
    const replica = this.replica(which);
    this.#replicas.delete(which);
    await replica.stop();
  }

  /** Starts one again, with nothing that it knew. */
  async restartReplica(which: Which): Promise<void> {
    await this.#startReplica(which);
    await this.#acquainted();
  }

  /** Starts a proxy that asks a replica; resolves when it serves. */
  async startProxy(nodeId: string, which: Which): Promise<FleetProxy> {
    const way = await TcpProxy.start(this.#xdsPort(which));
    this.#t.teardown(() => way[Symbol.asyncDispose]());
    const options = { nodeId, cluster: 'default/edge', reusePort: true, trafficIntervalMs: 300 };
    const agent = await startAgent(this.#t, `127.0.0.1:${way.port}`, options);
    await agent.ready(AbortSignal.timeout(100_000));
    return { agent, way };
  }

  /** Leads a proxy to a replica: its connections break, as when a pod ends behind a Service. */
  lead({ way }: FleetProxy, which: Which): void {
    way.lead(this.#xdsPort(which));
    way.cut();
    way.heal();
  }

  /** Requests to each route, a number of its own, and one to a host of no route; each on a connection of its own, so that all proxies get some. */
  async send(round: number): Promise<void> {
    const wanted = routes.flatMap(({ name }, at) =>
      Array.from({ length: 20 + ((at * 7 + round * 11) % 23) }, () => name),
    );
    const hosts = [...wanted.map((name) => `${name}.test`), nowhere];
    const one = async () => {
      for (let host = hosts.pop(); host !== undefined; host = hosts.pop()) {
        const { status } = await send(this.#port, { host });
        if (status !== (host === nowhere ? 404 : 200)) throw new Error(`${status} for ${host}`);
        const name = host === nowhere ? 'no_route' : host.slice(0, -'.test'.length);
        this.sent.set(name, (this.sent.get(name) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, one));
  }

  get total(): number {
    return [...this.sent.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Requests by backend as `/v1/traffic` names it: what each of them saw, and what never got to one. */
  get answered(): ReadonlyMap<string, number> {
    return new Map([
      ...services.map((name, at) => [`${name}:80`, this.#backends[at]?.requests.length ?? 0] as const),
      ['no_backend', this.sent.get('no_route') ?? 0] as const,
    ]);
  }

  #xdsPort(which: Which): number {
    return this.replica(which).control.ports.xds;
  }

  async #startReplica(which: Which): Promise<void> {
    const replica = await startReplica(this.#t, {
      identity: `replica-${which}`,
      port: this.#adminPorts[which],
      peers: this.#adminPorts,
      objects: objectsOf(this.#port, this.#backends),
    });
    this.#replicas.set(which, replica);
  }

  async #acquainted(): Promise<void> {
    await untilFits(
      'the replicas to know each other',
      () => Promise.all([...this.#replicas.values()].map((replica) => replica.json('/v1/replicas'))),
      (lists: readonly (readonly { readonly state: string }[])[]) =>
        lists.every((list) => list.some(({ state }) => state === 'connected')),
    );
  }
}
