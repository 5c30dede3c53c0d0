import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import type * as ir from '../../src/ir/index.ts';
import type { EnvoyResource } from '../../src/translate/index.ts';
import { startAgent, startControlPlane, type TestControlPlane, untilReady } from '../support/agent-world.ts';
import { askingClients, byHttp1, byHttp2, type Protocol } from '../support/asking-clients.ts';
import { startBackend } from '../support/http.ts';
import { backendKey, rule, snapshotOf, table, translateAll, virtualHost } from '../support/ir.ts';
import { ask } from '../support/ir-proxy.ts';
import { repetitions, thorough } from '../support/repetitions.ts';
import { until } from '../support/until.ts';

const host = 'a.test';
const auth: ir.ExternalAuth = {
  backend: backendKey('auth'),
  protocol: 'http',
  authority: 'auth',
  requestHeaders: [],
  responseHeaders: [],
};

/** A route whose responses name it. */
const route = (id: string, filters: ir.RouteFilters = {}): ir.Route => ({
  id,
  match: { path: { kind: 'prefix', value: '/' }, headers: [], queryParams: [] },
  rule: rule({
    filters: { ...filters, responseHeaders: { set: [{ name: 'x-route', value: id }], add: [], remove: [] } },
  }),
});
const open = route('default/open/rule/0/match/0');
const guarded = route('default/guarded/rule/0/match/0', { externalAuth: [auth] });

/** One host behind a real agent and Envoy, with a server that lets no request in, or asks for time first. */
class World {
  readonly port: number;
  readonly controlPlane: TestControlPlane;
  /** Requests that the server which is asked before a route is chosen has not answered; calling one lets it in. */
  readonly paused: (() => void)[] = [];
  readonly #backends: Readonly<Record<string, number>>;
  #count = 0;

  constructor(controlPlane: TestControlPlane, port: number, backends: Readonly<Record<string, number>>) {
    this.controlPlane = controlPlane;
    this.port = port;
    this.#backends = backends;
  }

  static async start(t: ExecutionContext, concurrency: number, more: Partial<ir.VirtualHost> = {}): Promise<World> {
    const web = await startBackend(t);
    const denying = await startBackend(t, (_, response) => response.writeHead(403).end('denied'));
    const controlPlane = await startControlPlane(t, undefined, { lingerMs: 0 });
    const pausing = await startBackend(t, (_, response) => void world.paused.push(() => response.end()));
    const backends = { web: web.port, auth: denying.port, pausing: pausing.port };
    const world: World = new World(controlPlane, await freePort(), backends);
    world.publish(open, more);
    const agent = await startAgent(t, controlPlane.address, { concurrency });
    await untilReady(agent);
    await world.applied();
    return world;
  }

  get node() {
    return this.controlPlane.server.nodes.find('node-1');
  }

  publish(served: ir.Route, more: Partial<ir.VirtualHost> = {}): void {
    this.#count += 1;
    this.controlPlane.publish(`s${this.#count}`, this.resources(served, more));
  }

  resources(served: ir.Route, more: Partial<ir.VirtualHost> = {}): readonly EnvoyResource[] {
    const key = `http/${this.port}`;
    const first = more.preRoutingAuth && { preRoutingAuth: true as const };
    const chains = [{ kind: 'http' as const, name: 'http', table: key, ...first }];
    const listener: ir.Listener = { key, transport: 'tcp', bind: { address: '127.0.0.1', port: this.port }, chains };
    const exact = [virtualHost(host, [served], more)];
    return translateAll(
      snapshotOf({ listeners: [listener], tables: [table(key, { exact })], backends: this.#backends }),
    );
  }

  applied(): Promise<unknown> {
    return until('the snapshot to be applied', () => this.node?.lastAckVersion === `s${this.#count}`);
  }

  /** Resolves when Envoy has taken a filter chain again. */
  chainTaken(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = this.controlPlane.server.onNode((event) => {
      if (event.kind !== 'acked' || event.typeUrl !== typeUrls.extension) return;
      stop();
      resolve();
    });
    return promise;
  }
}

const turnsOfAll = repetitions({ few: 4, all: 12 });

const comesAndGoes = test.macro({
  async exec(t, spelling: string, concurrency: number, by: Protocol) {
    const world = await World.start(t, concurrency);
    const stop = askingClients(world.port, `${spelling}:${world.port}`, by);
    for (let turns = 0; turns < turnsOfAll; turns += 1) {
      world.publish(guarded);
      await world.applied();
      const { status } = await ask(world.port, { host: `${spelling}:${world.port}` });
      t.is(status, 403);
      world.publish(open);
      const narrowed = world.chainTaken();
      await world.applied();
      await narrowed;
    }
    const seen = await stop();
    t.log(Object.fromEntries(seen));
    t.deepEqual(
      [...seen.keys()].filter((line) => !['200 open', '403', '403 guarded'].includes(line)),
      [],
    );
    t.true((seen.get('200 open') ?? 0) > 0);
  },
  title: (_, spelling: string, concurrency: number, by: Protocol) =>
    `a guard that comes and goes under load lets no request past it: ${spelling}, workers: ${concurrency}, ${by.name}`,
});

thorough(test)(comesAndGoes, host, 1, byHttp1);
thorough(test)(comesAndGoes, host, 2, byHttp1);
thorough(test)(comesAndGoes, host.toUpperCase(), 2, byHttp1);
test(comesAndGoes, host.toUpperCase(), 2, byHttp2);

test('a request that waits while its route is still to be chosen meets the guard that came meanwhile', async (t) => {
  const first = { preRoutingAuth: [{ ...auth, backend: backendKey('pausing') }] };
  const world = await World.start(t, 1, first);
  const asking = ask(world.port, { host: `${host}:${world.port}` });
  await until('the request to wait', () => world.paused.length === 1);
  world.publish(guarded, first);
  await world.applied();
  world.paused.pop()?.();
  const { status } = await asking;
  t.is(status, 403, 'its filter chain was made before the guard came');
});
