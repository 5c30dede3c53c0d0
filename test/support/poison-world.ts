import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { BuildTrigger } from '../../src/app/control-plane/build-trigger.ts';
import { handleNodeEvent } from '../../src/app/control-plane/handle-node-event.ts';
import { Publisher } from '../../src/app/control-plane/publisher.ts';
import { unencodable as reportUnencodable } from '../../src/app/control-plane/unencodable.ts';
import { Electorate } from '../../src/cluster/replicas/index.ts';
import { kindModules } from '../../src/controllers/index.ts';
import { type Condition, type KindName, keyOf } from '../../src/gateway-api/index.ts';
import { Builder, Graph } from '../../src/graph/index.ts';
import * as ir from '../../src/ir/index.ts';
import { systemClock } from '../../src/std/queue/index.ts';
import type { Steps } from '../../src/std/steps/index.ts';
import { type GatewayChange, Translator } from '../../src/translate/index.ts';
import type { NodeEvent } from '../../src/xds/index.ts';
import { type EnvoyProcess, startEnvoy, xdsBootstrap } from './envoy.ts';
import { type HttpAnswer, send } from './http.ts';
import { controllerName } from './objects.ts';
import { disguised, spoilLimits } from './spoilt-limits.ts';
import { until } from './until.ts';
import type { AnyObject } from './world.ts';
import { startXds } from './xds.ts';

/** Spoils what the graph let through, so that Envoy gets what its static checks would have caught. By name. */
export type Poisons = Readonly<Record<string, (route: ir.Route) => ir.Route>>;

/** A route that sets this header to the name of a poison is spoilt behind the graph's back. */
export const poisonHeader = 'x-poison';

/** The name of a Service, or Secret, that is spoilt. */
export const poisoned = 'poisoned';

/** Of a Service, the Service whose endpoints are meant, or an HTTPS listener: what they come to cannot be encoded. */
export const unencodable = { backend: 'no-backend', endpoints: 'no-endpoints', listener: 'no-listener' } as const;

/** The translator with poison in what it is given. What is spoilt keeps the digest by which the graph knows it. */
class PoisonTranslator extends Translator {
  readonly #poisons: Poisons;

  constructor(poisons: Poisons) {
    super();
    this.#poisons = poisons;
  }

  override *translating(snapshot: ir.Snapshot, changes: Iterable<ir.Change>): Steps<GatewayChange[]> {
    return yield* super.translating(
      { ...snapshot, gateways: snapshot.gateways.map(withSpoiltListeners) },
      [...changes].map((change) => this.#spoil(change)),
    );
  }

  #spoil(change: ir.Change): ir.Change {
    const { after } = change;
    if (!after) return change;
    if (change.kind === 'virtualHost') {
      const host = after as ir.VirtualHost;
      return { ...change, after: { ...host, routes: host.routes.map((route) => this.#spoilRoute(route)) } };
    }
    if (change.kind === 'backend' && (after as ir.Backend).service === poisoned) {
      const tls = { serverName: 'x'.repeat(300), names: [], authorities: 'none' };
      return { ...change, after: disguised({ ...(after as ir.Backend), tls }, after) };
    }
    if (change.kind === 'backend' && (after as ir.Backend).service === unencodable.backend) {
      const tuning = { limits: { connections: -1 } };
      return { ...change, after: disguised({ ...(after as ir.Backend), tuning }, after) };
    }
    if (change.kind === 'endpoints' && change.key.includes(`/${unencodable.endpoints}/`)) {
      const endpoints = [{ address: '127.0.0.1', port: -1, health: 'ready' as const }];
      return { ...change, after: disguised({ ...(after as ir.Endpoints), endpoints }, after) };
    }
    if (change.kind === 'secret' && change.key.endsWith(`/${poisoned}`)) {
      const certificateChain = new ir.Sensitive(Buffer.from('-----BEGIN CERTIFICATE-----\nAAAA\n'));
      return { ...change, after: disguised({ ...(after as ir.Secret), certificateChain }, after) };
    }
    return change;
  }

  #spoilRoute(from: ir.Route): ir.Route {
    const route = withSpoiltFilters(from);
    const name = route.rule.filters?.requestHeaders?.set.find((header) => header.name === poisonHeader)?.value;
    const spoil = name === undefined ? undefined : this.#poisons[name];
    return spoil ? disguised(spoil(route), route) : route;
  }
}

/** The name of an HTTPS listener that is spoilt. */
export const poisonedListener = 'poisoned-listener';

const withSpoiltListeners = (gateway: ir.Fleet): ir.Fleet => ({
  ...gateway,
  tables: gateway.tables.map(({ traffic, limits, ...table }) => ({
    ...table,
    fallback: table.fallback.map((host) => ({ ...host, routes: host.routes.map(withSpoiltFilters) })),
    ...(limits && { limits: { ...limits, levels: limits.levels.map(spoilLimits) } }),
    ...(traffic && {
      traffic: {
        ...traffic,
        parts: traffic.parts.map((part) => ({ ...part, filters: spoilTraffic(part.filters) as ir.TrafficFilters })),
      },
    }),
  })),
  listeners: gateway.listeners.map((listener) =>
    disguised({ ...listener, chains: listener.chains.map(spoilChain) }, listener),
  ),
});

/** Faults for requests with this header, and a limit of so many bytes, are spoilt. */
export const poisonedTraffic = { header: 'x-poisoned-fault', maxBytes: 666, unencodableBytes: 667 } as const;

/** What policies of traffic have, with values that Envoy has no room for. */
function spoilTraffic({ faults, requestBody, ...others }: ir.RouteTraffic): ir.RouteTraffic {
  const isBadFault = typeof faults === 'object' && faults.header?.name === poisonedTraffic.header;
  const maxBytes = typeof requestBody === 'object' ? requestBody.maxBytes : undefined;
  const badBytes = new Map<number, number>([
    [poisonedTraffic.maxBytes, 0],
    [poisonedTraffic.unencodableBytes, -1],
  ]).get(maxBytes ?? 0);
  return {
    ...others,
    ...(faults && { faults: isBadFault ? disguised({ abort: { status: 99, perMillion: 0 } }, faults) : faults }),
    ...(requestBody && {
      requestBody: badBytes === undefined ? requestBody : disguised({ maxBytes: badBytes }, requestBody as object),
    }),
  };
}

function withSpoiltFilters(route: ir.Route): ir.Route {
  const { filters } = route.rule;
  if (!filters?.traffic && !filters?.limits) return route;
  const { traffic, limits } = filters;
  const spoilt = {
    ...filters,
    ...(traffic && { traffic: spoilTraffic(traffic) }),
    ...(limits && {
      limits: {
        ...(limits.route && { route: spoilLimits(limits.route) }),
        ...(limits.rule && { rule: spoilLimits(limits.rule) }),
      },
    }),
  };
  const rule = { ...route.rule, filters: spoilt };
  return disguised({ ...route, rule }, route);
}

/** TLS parameters that only Envoy finds wrong. */
function spoilChain(chain: ir.Chain): ir.Chain {
  if (chain.name === unencodable.listener) return disguised({ ...chain, maxConnections: -1 }, chain);
  if (chain.kind !== 'http' || !chain.tls || chain.name !== poisonedListener) return chain;
  return disguised({ ...chain, tls: { ...chain.tls, parameters: { cipherSuites: ['NO-SUCH-CIPHER'] } } }, chain);
}

/** Graph, builder, translator, xDS server and a real Envoy of the Gateway `default/edge`; only the poison is ours. */
export class PoisonWorld {
  readonly graph: Graph;
  readonly #builder: Builder;
  readonly #xdsPort: number;
  /** Of Envoy, by the Gateway's port. */
  readonly ports: ReadonlyMap<number, number>;
  readonly events: readonly NodeEvent[];
  #envoy: EnvoyProcess | undefined;

  private constructor(parts: Pick<PoisonWorld, 'graph' | 'ports' | 'events'> & Hidden) {
    this.graph = parts.graph;
    this.ports = parts.ports;
    this.events = parts.events;
    this.#builder = parts.builder;
    this.#xdsPort = parts.xdsPort;
  }

  /** `gatewayPorts` are those of the Gateway's listeners. */
  static async start(t: ExecutionContext, poisons: Poisons, gatewayPorts: readonly number[]): Promise<PoisonWorld> {
    const { server, port: xdsPort, events } = await startXds(t);
    const ports = new Map<number, number>();
    for (const port of gatewayPorts) ports.set(port, await freePort());
    const bind = (_gateway: unknown, port: number) => ({ address: '127.0.0.1', port: ports.get(port) ?? 0 });
    const graph = new Graph({ controllerName, kinds: kindModules, bind });
    const trigger = new BuildTrigger(graph);
    const translator = new PoisonTranslator(poisons);
    const publisher = new Publisher({
      translator,
      xds: server,
      *onStatuses() {},
      onResolved() {},
      ...reportUnencodable(graph, trigger),
    });
    const failures: unknown[] = [];
    const builder = new Builder({
      graph,
      quietMs: 10,
      maxMs: 100,
      publish: (result) => publisher.publish(result),
      onFailed: (error) => failures.push(error),
    });
    const feed = { nodeChanged() {}, nodeApplied() {} };
    trigger.asks(builder);
    const electorate = new Electorate({
      find: ({ nodeId, cluster }) => server.nodes.find(nodeId, cluster),
      hold(rejection) {
        server.suspect(rejection.gateway, rejection);
        graph.hold(rejection);
      },
      release(rejection) {
        server.clear(rejection.gateway, rejection);
        graph.release(rejection);
        builder.changed();
      },
      clock: systemClock,
      graceMs: 10_000,
    });
    t.teardown(() => electorate.stop());
    const databases = { look() {} };
    server.onNode((event) => handleNodeEvent(event, { publisher, graph, trigger, electorate, databases, feed }));
    t.teardown(() => {
      builder.stop();
      if (failures.length > 0) throw failures[0];
    });
    const world = new PoisonWorld({ graph, ports, events, builder, xdsPort });
    t.teardown(() => world.#envoy?.stop());
    return world;
  }

  /** Starts Envoy, or another one in the place of the one that runs. */
  async startEnvoy(nodeId: string, variant: 'delta' | 'sotw' = 'delta'): Promise<EnvoyProcess> {
    await this.#envoy?.stop();
    const bootstrap = xdsBootstrap({ xds: this.#xdsPort, nodeId, cluster: 'default/edge', variant });
    this.#envoy = await startEnvoy({ bootstrap });
    return this.#envoy;
  }

  put(...objects: readonly AnyObject[]): void {
    for (const object of objects) this.graph.upsert(object.kind as KindName, object as never);
    this.#builder.open();
    this.#builder.changed();
  }

  remove(...objects: readonly AnyObject[]): void {
    for (const object of objects) this.graph.remove(object.kind as KindName, keyOf(object));
    this.#builder.changed();
  }

  ask(host: string, path: string, port = 80): Promise<HttpAnswer> {
    return send(this.ports.get(port) as number, { host, path });
  }

  /** Waits until the path answers 200; gives the milliseconds that it took. */
  async answers(host: string, path: string): Promise<number> {
    const began = performance.now();
    await until(`${host}${path} to answer`, async () => (await this.ask(host, path)).status === 200, waitMs);
    return performance.now() - began;
  }

  /** A condition of the first parent of a route. */
  routeCondition(name: string, type: string): Condition | undefined {
    const status = this.graph.statusOf('HTTPRoute', `default/${name}`);
    return status && 'parents' in status ? status.parents[0]?.conditions.find((each) => each.type === type) : undefined;
  }

  /** Waits for a condition of a listener, or of a route. */
  awaits(what: string, condition: () => Condition | undefined, status: 'True' | 'False'): Promise<Condition> {
    return until(
      what,
      () => {
        const found = condition();
        return found?.status === status && found;
      },
      waitMs,
    );
  }
}

interface Hidden {
  readonly builder: Builder;
  readonly xdsPort: number;
}

/** For a machine that others use as well. */
const waitMs = 240_000;

/** Slow machines ask that often too. */
const leastAsked = 30;

/** Asks again and again, until it is stopped, and `leastAsked` times; gives what was not answered 200. */
export function watch(world: PoisonWorld, targets: readonly (readonly [host: string, path: string])[]) {
  const wrong: string[] = [];
  let asked = 0;
  let stopped = false;
  const running = (async () => {
    while (!stopped || asked < leastAsked) {
      for (const [host, path] of targets) {
        const answer = await world.ask(host, path).catch(({ message }: Error) => ({ status: 0, body: message }));
        asked += 1;
        if (answer.status !== 200) wrong.push(`${host}${path}: ${answer.status} ${answer.body}`);
      }
      await delay(5);
    }
  })();
  return {
    async stop(): Promise<{ readonly asked: number; readonly wrong: readonly string[] }> {
      stopped = true;
      await running;
      return { asked, wrong };
    },
  };
}
