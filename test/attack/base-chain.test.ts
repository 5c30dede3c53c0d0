import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { HttpConnectionManagerSchema, ListenerSchema, packAny, typeUrls } from '../../src/envoy/index.ts';
import type * as ir from '../../src/ir/index.ts';
import { bytesOfText } from '../../src/std/memory/index.ts';
import { type EnvoyResource, encodedResource } from '../../src/translate/resource/index.ts';
import { startAgent, startControlPlane, type TestControlPlane, untilReady } from '../support/agent-world.ts';
import { askingClients, byHttp1, byHttp2, type Protocol } from '../support/asking-clients.ts';
import { startBackend } from '../support/http.ts';
import { forwardAuthBy, route, snapshotOf, table, tableGuards, translateAll, virtualHost } from '../support/ir.ts';
import { ask } from '../support/ir-proxy.ts';
import { until } from '../support/until.ts';

/**
 * Hosts whose routes demand nothing meet the chain `base`, also while requests of others wait for servers. Which chain a request meets is said by its host's
 * scope: at no moment may a host that demands something be without it, or a host that demands nothing be answered an error.
 */

const noClient: ir.Access = { clientIPs: { allow: [], deny: [] } };
const asks: ir.Access = { forwardAuth: forwardAuthBy('denying') };
const guards: readonly ir.Access[] = [noClient, asks];

/** What hosts demand, and the table of all of them. */
interface State {
  /** Of the host that moves. */
  readonly moves?: ir.Access;
  readonly table?: ir.Access;
  /** Whether another host asks a server; by default it does. */
  readonly isCalm?: boolean;
  readonly more?: Partial<ir.VirtualHost>;
  readonly client?: ir.ClientSettings;
}

const [moving, plain, asking, wild] = ['moves.test', 'plain.test', 'asks.test', 'a.wild.test'];
const served = (name: string, path = '/', access?: ir.Access): ir.Route =>
  route(`default/${name}/rule/0/match/0`, path, access && { filters: { access: { route: access } } });

/** A header that the proxy writes itself before it passes the request on. */
const said = 'x-forwarded-port';
const whereClientSays = (to: ir.Route): ir.Route => ({
  ...to,
  match: { ...to.match, headers: [{ name: said, match: { kind: 'exact', value: '1' } }] },
});

function hostsOf({ moves, isCalm = false, more = {} }: State) {
  return {
    exact: [
      virtualHost(moving, [served(moves ? 'guarded' : 'open', '/', moves)], more),
      virtualHost(plain, [served('plain')]),
      virtualHost(asking, [served('asks', '/', isCalm ? undefined : asks)]),
      virtualHost(wild, [served('own', '/own'), whereClientSays(served('own', '/said'))], { fallThrough: true }),
    ],
    fallback: [virtualHost('*.wild.test', [served('wild', '/', noClient)])],
  };
}

/** A real agent and Envoy. */
class World {
  readonly port: number;
  readonly controlPlane: TestControlPlane;
  /** Requests that the server which is asked before a route is chosen has not answered; calling one lets it in. */
  readonly paused: (() => void)[] = [];
  /** What is published, once the proxy has it. */
  moment = '';
  /** How the listener is written. */
  listenerOf: (listener: EnvoyResource) => EnvoyResource = (listener) => listener;
  readonly #backends: Readonly<Record<string, number>>;
  #count = 0;

  constructor(controlPlane: TestControlPlane, port: number, backends: Readonly<Record<string, number>>) {
    this.controlPlane = controlPlane;
    this.port = port;
    this.#backends = backends;
  }

  static async start(
    t: ExecutionContext,
    state: State,
    { listenerOf, lingerMs }: { listenerOf?: World['listenerOf']; lingerMs?: number } = {},
  ): Promise<World> {
    t.timeout(600_000);
    const web = await startBackend(t);
    const denying = await startBackend(t, (_, response) => response.writeHead(403).end('denied'));
    const pausing = await startBackend(t, (_, response) => void world.paused.push(() => response.end()));
    const controlPlane = await startControlPlane(t, undefined, lingerMs === undefined ? {} : { lingerMs });
    const backends = { web: web.port, denying: denying.port, pausing: pausing.port };
    const world: World = new World(controlPlane, await freePort(), backends);
    if (listenerOf) world.listenerOf = listenerOf;
    const first = world.become(state, 'first');
    const agent = await startAgent(t, controlPlane.address, { concurrency: 2 });
    await untilReady(agent);
    await first;
    return world;
  }

  /** Resolves when the proxy has it. */
  async become(state: State, moment: string): Promise<void> {
    this.moment = '';
    this.#count += 1;
    const id = `s${this.#count}`;
    this.controlPlane.publish(id, this.#resources(state));
    await until(`${moment} to be applied`, () => this.controlPlane.server.nodes.find('node-1')?.lastAckVersion === id);
    this.moment = moment;
  }

  #resources(state: State): readonly EnvoyResource[] {
    const key = `http/${this.port}`;
    const first = state.more?.preRoutingAuth && { preRoutingAuth: true as const };
    const client = state.client && { client: state.client };
    const chains = [{ kind: 'http' as const, name: 'http', table: key, ...first, ...client }];
    const listener: ir.Listener = { key, transport: 'tcp', bind: { address: '127.0.0.1', port: this.port }, chains };
    const content = { ...table(key, hostsOf(state)), ...(state.table && { access: tableGuards(state.table) }) };
    return translateAll(snapshotOf({ listeners: [listener], tables: [content], backends: this.#backends })).map(
      (resource) => (resource.name === key ? this.listenerOf(resource) : resource),
    );
  }

  async statusOf(host: string, path = '/', headers: Record<string, string> = {}): Promise<number> {
    return (await ask(this.port, { host: `${host}:${this.port}`, path, headers })).status;
  }

  clients(host: string, by: Protocol) {
    return askingClients(this.port, `${host}:${this.port}`, by, () => this.moment);
  }
}

const turnsOfAll = 12;
/** Meanwhile clients ask on connections that they have. */
const askedAtMoment = 10;
const open = 'open';
const guarded = 'guarded';
const linesIn = (seen: ReadonlyMap<string, number>): readonly string[] => [...seen.keys()];
const passed = (seen: ReadonlyMap<string, number>, moment: string): readonly string[] =>
  linesIn(seen).filter((line) => line.startsWith('200') && line.endsWith(moment));
/** What no client may see: neither of the host that moves nor of the others. */
const strange = (seen: ReadonlyMap<string, number>, route: RegExp): readonly string[] =>
  linesIn(seen).filter((line) => !route.test(line));

/** A host of which a policy comes and goes, while another one has none. */
async function comeAndGo(t: ExecutionContext, world: World, by: Protocol, isCalm = (_turn: number) => false) {
  const [moves, others] = [world.clients(moving, by), world.clients(plain, by)];
  for (let turn = 0; turn < turnsOfAll; turn += 1) {
    const access = guards[turn % guards.length] ?? noClient;
    await world.become({ moves: access, isCalm: isCalm(turn) }, guarded);
    for (let asked = 0; asked < askedAtMoment; asked += 1) t.is(await world.statusOf(moving), 403);
    t.is(await world.statusOf(plain), 200);
    await world.become({ isCalm: isCalm(turn) }, open);
    for (let asked = 0; asked < askedAtMoment; asked += 1) t.is(await world.statusOf(moving), 200);
  }
  const [ofMoving, ofPlain] = [await moves(), await others()];
  t.log(Object.fromEntries(ofMoving), Object.fromEntries(ofPlain));
  t.deepEqual(passed(ofMoving, guarded), []);
  t.true(passed(ofMoving, open).length > 0);
  t.deepEqual(strange(ofMoving, /^(200 open|403( guarded)?)(, |$)/), []);
  t.deepEqual(strange(ofPlain, /^200 plain(, |$)/), []);
}

const comesAndGoes = test.macro({
  exec: async (t, by: Protocol) => comeAndGo(t, await World.start(t, {}), by),
  title: (_, by: Protocol) => `a policy of a host that comes and goes under load, while another host asks: ${by.name}`,
});
test(comesAndGoes, byHttp2);
test(comesAndGoes, byHttp1);

test('the same while the host that asks begins and ceases to, and what is not used goes at once', async (t) => {
  const world = await World.start(t, { isCalm: true }, { lingerMs: 0 });
  await comeAndGo(t, world, byHttp1, (turn) => turn % 3 > 0);
});

test('what the table demands holds on all hosts, also where it takes over what a route demanded', async (t) => {
  const world = await World.start(t, { table: noClient });
  const clients = world.clients(moving, byHttp1);
  const places: readonly State[] = [
    { moves: noClient },
    { table: noClient },
    { moves: asks },
    { table: asks },
    { table: asks, moves: noClient },
    { table: noClient, isCalm: true },
    { moves: asks, isCalm: true },
  ];
  for (let turn = 0; turn < places.length * 4; turn += 1) {
    const state = places[turn % places.length] ?? {};
    await world.become(state, 'denied');
    const isForAll = state.table !== undefined;
    t.is(await world.statusOf(moving), 403);
    t.is(await world.statusOf(plain), isForAll ? 403 : 200);
    t.is(await world.statusOf(wild, '/own'), isForAll ? 403 : 200);
    t.is(await world.statusOf(plain, '/', { connection: 'upgrade', upgrade: 'websocket' }), isForAll ? 403 : 200);
  }
  const seen = await clients();
  t.log(Object.fromEntries(seen));
  t.deepEqual(strange(seen, /^403/), []);
});

test('a request that goes on from a host without demands to a wider one meets those of that one', async (t) => {
  const world = await World.start(t, {});
  for (const table of [undefined, noClient, undefined]) {
    await world.become(table ? { table } : {}, 'published');
    const own = table ? 403 : 200;
    for (const host of [wild, wild.toUpperCase()]) {
      t.is(await world.statusOf(host, '/own'), own);
      t.is(await world.statusOf(host, '/other'), 403);
    }
    t.is((await ask(world.port, { host: wild, path: '/own' })).status, own, 'its scope is found late');
  }
});

test('a header that the proxy rewrites leads no request from a host without demands past those of a wider one', async (t) => {
  const more = { preRoutingAuth: [{ ...forwardAuthBy('pausing'), requestHeaders: [], responseHeaders: [] }] };
  const world = await World.start(t, { more, client: { forwarded: { add: ['X-Forwarded-Port'] } } });
  t.is(await world.statusOf(wild, '/said'), 403);
  const { status, route: found } = await ask(world.port, {
    host: `${wild}:${world.port}`,
    path: '/said',
    headers: { [said]: '1' },
  });
  t.deepEqual([status, found], [200, served('own').id], 'it stays with the route that was found');
});

test('a request that waits while its route is still to be chosen meets the demands that came meanwhile', async (t) => {
  const more = { preRoutingAuth: [{ ...forwardAuthBy('pausing'), requestHeaders: [], responseHeaders: [] }] };
  const world = await World.start(t, { more });
  for (const moves of [noClient, undefined, asks]) {
    const waiting = world.statusOf(moving);
    await until('the request to wait', () => world.paused.length === 1);
    await world.become(moves ? { more, moves } : { more }, 'published');
    for (const release of world.paused.splice(0)) release();
    t.is(await waiting, moves ? 403 : 200);
    t.is(await world.statusOf(plain), 200);
  }
});

/** As an earlier release wrote it: one chain of who may come in, for all hosts. */
function earlier(resource: EnvoyResource): EnvoyResource {
  const listener = fromBinary(ListenerSchema, bytesOfText(resource.body));
  for (const { configType } of listener.filterChains.flatMap(({ filters }) => filters)) {
    const manager = configType.case === 'typedConfig' && anyUnpack(configType.value, HttpConnectionManagerSchema);
    if (!manager || configType.case !== 'typedConfig') continue;
    manager.httpFilters = manager.httpFilters.filter(({ name }) => !name.startsWith('base/'));
    for (const filter of manager.httpFilters) filter.name = filter.name.replace(/^auth\//, 'access/');
    configType.value = packAny(HttpConnectionManagerSchema, manager) as typeof configType.value;
  }
  return encodedResource(typeUrls.listener, resource.name, toBinary(ListenerSchema, listener));
}

test('a listener of an earlier release, and one that takes its place under load, lets nothing in that is demanded', async (t) => {
  const world = await World.start(t, { table: noClient }, { listenerOf: earlier });
  t.is(await world.statusOf(plain), 403);
  await world.become({}, open);
  await comeAndGo(t, world, byHttp1);
  const [moves, others] = [world.clients(moving, byHttp1), world.clients(plain, byHttp1)];
  await world.become({ moves: asks }, guarded);
  world.listenerOf = (listener) => listener;
  for (const access of [noClient, asks, noClient]) await world.become({ moves: access }, guarded);
  const [ofMoving, ofPlain] = [await moves(), await others()];
  t.log(Object.fromEntries(ofMoving), Object.fromEntries(ofPlain));
  t.deepEqual(passed(ofMoving, guarded), []);
  t.deepEqual(strange(ofPlain, /^200 plain(, |$)/), []);
});
