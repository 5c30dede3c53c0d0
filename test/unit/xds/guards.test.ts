import { fromBinary } from '@bufbuild/protobuf';
import { type Any, anyUnpack } from '@bufbuild/protobuf/wkt';
import test from 'ava';
import fc from 'fast-check';
import { guardStopCount, guardStopName, guardsName, wholeOf } from '../../../src/contracts/index.ts';
import {
  CompositeSchema,
  HTTPFaultSchema,
  ScopedRouteConfigurationSchema,
  SetFilterStateSchema,
  TypedExtensionConfigSchema,
  typeUrls,
} from '../../../src/envoy/index.ts';
import type * as ir from '../../../src/ir/index.ts';
import { baseName, chainName, earlierName, lingerMs } from '../../support/chain-world.ts';
import { EdgeTable, tableKey } from '../../support/edge-table.ts';
import { forwardAuthBy } from '../../support/ir.ts';
import { repetitions } from '../../support/repetitions.ts';
import { filtersOfChain, ledToBy, once } from '../../support/slot-lists.ts';

/**
 * What a table demands where requests wait: with anything published and interrupted, no chain is replaced, a request meets no less than in one of the states
 * that were to be, and one that waits finds what it began with.
 */

const { extension, scopedRoute } = typeUrls;
const resource = guardsName(tableKey);
const stops = Array.from({ length: guardStopCount }, (_, index) => index + 1);
const accessChains = [chainName, baseName, earlierName];
const hosts = ['x.test', 'y.test'] as const;
type Host = (typeof hosts)[number];
const levels = ['gateway', 'listenerSet', 'listener'] as const satisfies readonly ir.TableLevel[];

const forwardAuth: ir.ForwardAuth = forwardAuthBy('auth', { timeoutMs: 1000, statusOnError: 503 });

/** A demand is a number: its client may not come in. */
interface State {
  /** Of levels of the table, the outermost first; 0: none. */
  readonly own: readonly number[];
  /** The Gateway asks a server. */
  readonly asks: boolean;
  readonly routes: Readonly<Record<Host, { readonly demand: number; readonly waits: boolean } | undefined>>;
}

const address = (demand: number): string => `10.0.0.${demand}`;
const denying = (demand: number): ir.Access => ({
  clientIPs: {
    deny: [{ address: address(demand), prefixLength: 32 }],
  },
});

function tableOf({ own, asks }: State): Partial<ir.RouteTable> {
  const demands = levels.flatMap((level, at): ir.TableAccess[] => {
    const demand = own[at] ?? 0;
    const asked = asks && level === 'gateway' ? { forwardAuth } : {};
    if (demand === 0 && !asks) return [];
    const content = { ...(demand > 0 && denying(demand)), ...asked };
    return Object.keys(content).length === 0 ? [] : [{ level, source: level, overridable: [], ...content }];
  });
  return demands.length > 0 ? { access: { demands } } : {};
}

const filtersOf = ({ demand, waits }: { demand: number; waits: boolean }): ir.RouteFilters => {
  const route = { ...(demand > 0 && denying(demand)), ...(waits && { forwardAuth }) };
  return Object.keys(route).length > 0 ? { access: { route } } : {};
};

const metIn = (host: Host, { own, routes }: State): ReadonlySet<number> =>
  new Set([...own, routes[host]?.demand ?? 0].filter((demand) => demand > 0));

const allDemands = [1, 2, 3, 4];

/** What was rejected lets no request in, so that all demands are met. */
const demandsIn = (bytes: Uint8Array): readonly number[] => {
  const text = Buffer.from(bytes).toString('latin1');
  return text.includes(HTTPFaultSchema.typeName)
    ? allDemands
    : allDemands.filter((demand) => text.includes(address(demand)));
};

/** A list of the resource, or of one of its pieces. */
interface GuardList {
  /** `STOP.EDITION`, or `start`. */
  readonly name: string;
  /** The list that a request looks for behind it. */
  readonly next: string;
  readonly demands: readonly number[];
}

const listsOf = once((bytes): readonly GuardList[] => {
  const { typedConfig } = fromBinary(TypedExtensionConfigSchema, bytes);
  const chains = (typedConfig && anyUnpack(typedConfig, CompositeSchema)?.namedFilterChains) ?? {};
  return Object.entries(chains).map(
    ([
      name,
      {
        typedConfig: [goesOn, ...filters],
      },
    ]) => ({
      name,
      next: nextIn(goesOn?.typedConfig),
      demands: filters.flatMap((filter) => demandsIn(filter.typedConfig?.value ?? nothing)),
    }),
  );
});

function nextIn(config: Any | undefined): string {
  const kept = config && anyUnpack(config, SetFilterStateSchema)?.onRequestHeaders[0]?.value;
  const { format } = (kept?.case === 'formatString' && kept.value) || {};
  const next = format?.case === 'textFormatSource' ? format.value.specifier.value : undefined;
  if (typeof next !== 'string') throw new Error('a list does not say where a request is to look next');
  return next;
}

const editionOf = (list: string): string => list.slice(list.indexOf('.') + 1);

const nothing = new Uint8Array();

class Guarded extends EdgeTable {
  #now: State = { own: [], asks: false, routes: { 'x.test': undefined, 'y.test': undefined } };
  #since: State[] = [this.#now];
  /** By edition that requests may have begun with, the newest last: the lists that they meet. */
  #editions = new Map<string, readonly string[]>();
  #remembers = true;

  constructor() {
    super();
    // All else is the same whatever is demanded, so no demand makes an Envoy reject it, and it would not be sent again.
    this.world.client.canReject = (name, bytes) =>
      name === resource || wholeOf(name) === resource || (accessChains.includes(name) && ledToBy(bytes).size === 0);
  }

  publish(state: State): void {
    this.#since.push(state);
    this.#now = state;
    this.demand(
      tableOf(state),
      hosts.map((host) => {
        const route = state.routes[host];
        return [host, route && filtersOf(route)] as const;
      }),
    );
  }

  /** Requests that wait are forgotten: of another stream nothing is known, and in time they end. */
  forgetting(change: () => void): void {
    this.#remembers = false;
    change();
    this.deliver();
    this.#remembers = true;
    this.#editions.clear();
  }

  protected override taken(): void {
    const waiting = hosts.some((host) => this.#scope(host).waits);
    this.expectSteady(waiting);
    for (const host of hosts)
      for (const chain of [this.#chainOf(host), earlierName]) {
        const found = new Set([...this.tableDemands(chain), ...this.#scope(host, chain).demands]);
        if (!this.#since.some((state) => metIn(host, state).isSubsetOf(found)))
          throw new Error(`${host} meets ${[...found]} in ${chain}, and not what was to be`);
      }
  }

  /** The one that new connections lead through. */
  #chainOf(host: Host): string {
    const bytes = this.bytes(scopedRoute, `${tableKey}|${host}`);
    const scope = bytes && fromBinary(ScopedRouteConfigurationSchema, bytes);
    const isOther = scope?.routeConfiguration?.typedPerFilterConfig[baseName] !== undefined;
    return isOther ? baseName : chainName;
  }

  // Before, it may be on its way to an earlier state, although it has what is published.
  protected override settled(): void {
    if (this.isCurrent) this.#since = [this.#now];
  }

  /** The client demands just what is published. */
  get isCurrent(): boolean {
    const own = new Set(this.#now.own.filter((demand) => demand > 0));
    return (
      accessChains.every((chain) => own.symmetricDifference(new Set(this.tableDemands(chain))).size === 0) &&
      hosts.every((host) => this.#scope(host).demands.join() === demandsOfRoute(this.#now.routes[host]).join())
    );
  }

  get editions(): number {
    return new Set(stops.flatMap((stop) => this.#listsAt(stop).map(({ name }) => editionOf(name)))).size;
  }

  #listsAt(stop: number): readonly GuardList[] {
    return listsOf(this.bytes(extension, guardStopName(tableKey, stop)) ?? nothing);
  }

  #find(name: string): GuardList | undefined {
    return this.#listsAt(Number(name.split('.', 1)[0])).find((list) => list.name === name);
  }

  /** What requests that come now meet of the table's demands. */
  tableDemands(chain = chainName): readonly number[] {
    const filters = filtersOfChain(this.bytes(extension, chain) ?? nothing);
    const isBeside = this.led().get(chain)?.includes(resource);
    if (!isBeside)
      return filters
        .filter(({ name }) => name.startsWith('gatewright.'))
        .flatMap(({ typedConfig }) => demandsIn(typedConfig?.value ?? nothing));
    this.#expectEditions();
    const [start] = listsOf(this.bytes(extension, resource) ?? nothing);
    const met: string[] = [];
    const demands: number[] = [];
    for (let next = start?.next ?? 'passed'; next !== 'passed'; ) {
      const list = this.#find(next);
      if (!list) return this.#denied();
      met.push(next);
      demands.push(...list.demands);
      next = list.next;
    }
    const now = start && editionOf(start.next);
    if (now !== undefined) {
      this.#editions.delete(now);
      this.#editions.set(now, met);
    }
    return demands;
  }

  /** A request is answered 503: where the client came back with what is not known, or has rejected a part of that. */
  #denied(): readonly number[] {
    const { spoilt } = this.world.client;
    if (this.#remembers && spoilt.size === 0) throw new Error('a request that comes now finds nothing');
    return allDemands;
  }

  #expectEditions(): void {
    for (const lists of [...this.#editions.values()].slice(-3))
      if (this.#remembers && !lists.every((list) => this.#find(list)))
        throw new Error('a request that waits finds nothing');
  }

  #scope(host: Host, chain = chainName): { readonly demands: readonly number[]; readonly waits: boolean } {
    const bytes = this.bytes(scopedRoute, `${tableKey}|${host}`);
    if (!bytes) return { demands: [], waits: false };
    const scope = fromBinary(ScopedRouteConfigurationSchema, bytes);
    const names = new Set(filtersOfChain(this.bytes(extension, chain) ?? nothing).map(({ name }) => name));
    const filled = (scope.routeConfiguration?.virtualHosts ?? []).flatMap(({ routes }) =>
      routes.flatMap(({ typedPerFilterConfig }) => Object.entries(typedPerFilterConfig)),
    );
    return {
      demands: filled.flatMap(([slot, config]) => (names.has(slot) ? demandsIn(config.value) : [])),
      waits: filled.some(([slot]) => slot === 'gatewright.rt.forwardAuth'),
    };
  }
}

const demandsOfRoute = (route: { readonly demand: number } | undefined): number[] =>
  route && route.demand > 0 ? [route.demand] : [];

const quiet = { demand: 0, waits: false };
const waiting: State = { own: [], asks: false, routes: { 'x.test': quiet, 'y.test': { demand: 0, waits: true } } };

test('what a table demands changes no chain in which requests wait, and the one resource that it is in once', (t) => {
  const edge = new Guarded();
  edge.publish(waiting);
  edge.deliver();
  const versions = () => new Map(edge.world.client.versions.get(extension));
  for (const own of [[1], [2], [2, 3], [0, 3], []]) {
    const before = versions();
    edge.publish({ ...waiting, own });
    edge.deliver();
    const changed = [...versions()].filter(
      ([name, version]) => before.get(name) !== version && wholeOf(name) === undefined,
    );
    // No request waits in the chain of hosts whose routes demand nothing.
    t.deepEqual(changed.map(([name]) => name).sort(), [baseName, resource]);
    t.true(edge.isCurrent);
  }
  t.is(edge.editions, 4, 'those of before, for requests that wait');
  edge.world.pass(1);
  edge.forgetting(() => edge.world.pass(lingerMs));
  t.is(edge.editions, 0, 'in time they go');
});

test('demands in a chain move beside it when requests begin to wait, and back in time', (t) => {
  const edge = new Guarded();
  const calm: State = { ...waiting, own: [1], routes: { 'x.test': quiet, 'y.test': quiet } };
  edge.publish(calm);
  edge.deliver();
  t.is(edge.editions, 0);
  edge.publish({ ...waiting, own: [1] });
  edge.deliver();
  t.deepEqual(edge.tableDemands(), [1]);
  t.true(edge.editions > 0);
  edge.publish(calm);
  edge.deliver();
  edge.publish({ ...calm, own: [2], routes: { 'x.test': { demand: 1, waits: false }, 'y.test': quiet } });
  edge.deliver();
  t.deepEqual(edge.tableDemands(), [2], 'requests may wait still, and nothing of before is left');
  t.true(edge.editions > 0);
  for (let turn = 0; turn < 4; turn += 1) {
    edge.world.pass(1);
    edge.forgetting(() => edge.world.pass(lingerMs));
  }
  t.is(edge.editions, 0);
  t.deepEqual(edge.tableDemands(), [2]);
});

/** How a client comes to be sent a chain whose bytes have not changed. */
const askedAgain: Readonly<Record<string, (edge: Guarded) => void>> = {
  'asks for a chain once more': ({ world }) => {
    const all = [...world.chains];
    world.want(new Set(all.filter((name) => name !== chainName)));
    world.want(new Set(all));
  },
  'comes back with another version of a chain': (edge) => {
    const { world } = edge;
    // Nothing is left of editions of before: what it has beside the chain is what is published, and not sent.
    world.pass(1);
    edge.deliver();
    world.pass(lingerMs);
    edge.deliver();
    world.client.versions.get(extension)?.set(chainName, '0123456789abcdef');
    world.reconnect();
  },
};

const isHeldToNow = test.macro((t, ask: (edge: Guarded) => void) => {
  const edge = new Guarded();
  for (const own of [[1], []]) {
    edge.publish({ ...waiting, own });
    edge.deliver();
  }
  edge.forgetting(() => ask(edge));
  edge.publish({ ...waiting, routes: { ...waiting.routes, 'x.test': { demand: 2, waits: false } } });
  edge.deliver();
  t.true(edge.isCurrent, 'its scopes are not held back');
});
for (const [what, ask] of Object.entries(askedAgain))
  test(
    `a client that ${what} is held to what its table demands now, and not to what it demanded before`,
    isHeldToNow,
    ask,
  );

test('what another level demands before its rejection is known, by the same bytes, is sent and not held back for ever', (t) => {
  const edge = new Guarded();
  edge.publish(waiting);
  edge.deliver();
  const { client } = edge.world;
  const { canReject } = client;
  client.canReject = (name, bytes) => {
    if (!canReject(name, bytes)) return false;
    client.canReject = canReject;
    edge.publish({ ...waiting, own: [0, 1] });
    return true;
  };
  edge.publish({ ...waiting, own: [1] });
  client.rejects.add(extension);
  edge.deliver();
  t.false(client.rejects.has(extension), 'it was rejected');
  t.true(edge.isCurrent);
});

type Step =
  | { readonly kind: 'publish'; readonly state: State }
  | { readonly kind: 'deliver'; readonly most: number }
  | { readonly kind: 'reconnect' | 'replace' }
  | { readonly kind: 'reject' }
  | { readonly kind: 'pass'; readonly ms: number };

const demand = fc.integer({ min: 0, max: 4 });
const route = fc.option(fc.record({ demand, waits: fc.boolean() }), { nil: undefined });
const state: fc.Arbitrary<State> = fc.record({
  own: fc.array(demand, { maxLength: 3 }),
  asks: fc.boolean(),
  routes: fc.record({ 'x.test': route, 'y.test': route }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('publish' as const), state }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('deliver' as const), most: fc.integer({ min: 0, max: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('reconnect' as const, 'replace' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reject' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1, lingerMs) }) },
);

function play(edge: Guarded, each: Step): void {
  if (each.kind === 'publish') edge.publish(each.state);
  else if (each.kind === 'deliver') edge.deliver(each.most);
  else if (each.kind === 'reject') edge.world.client.rejects.add(extension);
  else {
    // What only an earlier stream knew of a chain is not known to the next one.
    edge.deliver();
    edge.forgetting(() => (each.kind === 'pass' ? edge.world.pass(each.ms) : edge.world[each.kind]()));
  }
}

function run(steps: readonly Step[]): void {
  const edge = new Guarded();
  edge.publish(waiting);
  edge.deliver();
  for (const each of steps) play(edge, each);
  edge.world.client.rejects.clear();
  for (const own of [[4, 3, 2], [1]]) {
    edge.publish({ ...waiting, own });
    edge.deliver();
  }
  if (!edge.isCurrent) throw new Error(`in the end the client demands ${edge.tableDemands()}`);
}

const nothingServed: State['routes'] = { 'x.test': undefined, 'y.test': undefined };
const published = (own: readonly number[], more: Partial<State> = {}): Step => ({
  kind: 'publish',
  state: { own, asks: false, routes: nothingServed, ...more },
});

const sequences: Readonly<Record<string, readonly Step[]>> = {
  'another level demands the same, so the newest edition is one of before with more behind it': [
    published([2]),
    { kind: 'deliver', most: 1 },
    published([0, 2], { routes: { 'x.test': undefined, 'y.test': quiet } }),
    { kind: 'deliver', most: 3 },
  ],
  'what the client is prepared for is rejected': [
    published([1]),
    { kind: 'deliver', most: 2 },
    published([], { asks: true }),
    { kind: 'reject' },
    { kind: 'pass', ms: 1 },
  ],
  'a client comes back with a chain in which requests wait, where none is published any more': [
    published([1]),
    { kind: 'reject' },
    { kind: 'reconnect' },
  ],
};

for (const [what, steps] of Object.entries(sequences))
  test(`requests meet what was to be, and what they began with: ${what}`, (t) => t.notThrows(() => run(steps)));

test('whatever a table demands, whatever waits and whatever is interrupted: requests meet what was to be, and what they began with', (t) => {
  t.notThrows(() =>
    fc.assert(fc.property(fc.array(step, { maxLength: 25 }), run), { numRuns: repetitions({ few: 4, all: 30 }) }),
  );
});
