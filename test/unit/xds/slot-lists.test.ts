import { fromBinary } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import test from 'ava';
import fc from 'fast-check';
import { slotListsPrefix } from '../../../src/contracts/index.ts';
import {
  CompositePerRouteSchema,
  CompositeSchema,
  ScopedRouteConfigurationSchema,
  typeUrls,
} from '../../../src/envoy/index.ts';
import type * as ir from '../../../src/ir/index.ts';
import { lingerMs } from '../../support/chain-world.ts';
import { EdgeTable, tableChains, tableKey } from '../../support/edge-table.ts';
import { forwardAuthBy } from '../../support/ir.ts';
import { repetitions } from '../../support/repetitions.ts';
import { filtersOfChain, ledToBy, listsInResource } from '../../support/slot-lists.ts';

const { extension, scopedRoute } = typeUrls;
const key = tableKey;
const chains = tableChains;
const hosts = ['x.test', 'y.test'] as const;
type Host = (typeof hosts)[number];

const forwardAuth: ir.ForwardAuth = forwardAuthBy('auth', { timeoutMs: 1000, statusOnError: 503 });
const bucket = (id: string, requests: number, phase: ir.LimitPhase): ir.LimitBucket => ({
  id: `n/${id}/b`,
  phase,
  key: [],
  limits: [{ requests, perMs: 1000, burst: 1 }],
  status: 429,
});

/** What a host's only route is to meet. */
interface Demands {
  readonly waits: boolean;
  /** Requests in a second; 0: no limit. */
  readonly late: number;
  readonly early: number;
  readonly total: number;
}

const filtersOf = (host: Host, { waits, late, early, total }: Demands): ir.RouteFilters => {
  const buckets = [
    ...(late > 0 ? [bucket(host, late, 'afterAuth')] : []),
    ...(early > 0 ? [bucket(host, early, 'beforeAuth')] : []),
  ];
  return {
    ...(waits && { access: { route: { forwardAuth } } }),
    ...(buckets.length > 0 && { limits: { route: { target: host, buckets } } }),
    ...(total > 0 && { traffic: { bandwidth: { total: { answerKiB: total, of: host } } } }),
  };
};

/** What the table itself has: requests in a second, and bytes of a body; 0: nothing. */
interface Own {
  readonly early: number;
  readonly late: number;
  readonly bytes: number;
  readonly total: number;
}
const nothing: Own = { early: 0, late: 0, bytes: 0, total: 0 };

function contentOf({ early, late, bytes, total }: Own): Partial<ir.RouteTable> {
  const buckets = [
    ...(late > 0 ? [bucket('edge', late, 'afterAuth')] : []),
    ...(early > 0 ? [bucket('edge', early, 'beforeAuth')] : []),
  ];
  const filters: ir.TrafficFilters = {
    ...(bytes > 0 && { requestBody: { maxBytes: bytes } }),
    ...(total > 0 && { bandwidth: { total: { answerKiB: total } } }),
  };
  const sources = Object.fromEntries(Object.keys(filters).map((name) => [name, 'n/edge']));
  return {
    ...(buckets.length > 0 && { limits: { levels: [{ level: 'gateway', target: 'edge', buckets }] } }),
    ...(bytes + total > 0 && { traffic: { parts: [{ filters, sources }] } }),
  };
}

/** What lists are to be there for the routes that the client has. */
class Table extends EdgeTable {
  constructor() {
    super();
    // Nothing else holds what policies say.
    this.world.client.canReject = (name) => isListed(name) && this.bytes(extension, name) !== undefined;
  }

  /** The host's route is to meet this from now on; undefined: the host is gone. */
  become(host: Host, demands: Demands | undefined): void {
    this.serve(host, demands && filtersOf(host, demands));
  }

  /** The table itself is to have this from now on. */
  have(own: Own): void {
    this.demand(contentOf(own));
  }

  protected override taken(): void {
    const { unmet, waiting } = this.#scopes();
    if (unmet.length > 0) throw new Error(`${unmet} are not met`);
    this.expectSteady(waiting);
  }

  /** What routes demand and requests would not meet, and whether any may wait. */
  #scopes(): { readonly unmet: readonly string[]; readonly waiting: boolean } {
    const met = new Map(chains.flatMap((name) => this.#met(name)));
    const unmet: string[] = [];
    let waiting = false;
    for (const name of this.world.client.has.get(scopedRoute)?.keys() ?? []) {
      const scope = fromBinary(ScopedRouteConfigurationSchema, this.bytes(scopedRoute, name) ?? new Uint8Array());
      for (const each of scope.routeConfiguration?.virtualHosts.flatMap(({ routes }) => routes) ?? []) {
        const lists = Object.entries(each.metadata?.filterMetadata ?? {}).flatMap(([namespace, value]) =>
          namespace.endsWith('.lists') ? Object.entries(value) : [],
        );
        const named = new Map(lists);
        for (const [slot, config] of Object.entries(each.typedPerFilterConfig)) {
          // It says that nothing is run.
          if (!anyUnpack(config, CompositePerRouteSchema)?.matcher?.onNoMatch) continue;
          waiting ||= slot === 'gatewright.rt.forwardAuth';
          const list = named.get(slot);
          const isMet = list === undefined ? met.has(slot) : met.get(slot)?.has(`${list}`);
          if (!isMet) unmet.push(`${name}: ${slot} ${list ?? ''}`);
        }
      }
    }
    return { unmet, waiting };
  }

  /** By slot, the lists that requests find there. */
  #met(chain: string): [slot: string, lists: ReadonlySet<string>][] {
    const bytes = this.bytes(extension, chain) ?? new Uint8Array();
    const led = ledToBy(bytes);
    return filtersOfChain(bytes).map(({ name, typedConfig }) => {
      const from = led.get(name);
      const here = typedConfig && anyUnpack(typedConfig, CompositeSchema)?.namedFilterChains;
      const lists = from === undefined ? here : listsInResource(this.bytes(extension, from) ?? new Uint8Array());
      return [from === undefined ? name : name.replace(/\.lists$/, ''), new Set(Object.keys(lists ?? {}))];
    });
  }
}

const plain: Demands = { waits: false, late: 0, early: 0, total: 0 };
const isListed = (name: string): boolean => name.startsWith(slotListsPrefix);
const listsOf = ({ world }: Table): string[] => [...(world.client.has.get(extension)?.keys() ?? [])].filter(isListed);

test('lists of a table whose requests begin to wait come before the chain that leads to them, and go after it', (t) => {
  const edge = new Table();
  edge.become('x.test', { ...plain, late: 1 });
  edge.deliver();
  t.deepEqual(listsOf(edge), []);
  edge.become('y.test', { ...plain, waits: true });
  edge.deliver();
  t.true(listsOf(edge).includes('lists/gatewright.rt.limits/http/80'));
  const version = edge.world.client.versions.get(extension)?.get('traffic/http/80');
  edge.become('x.test', { ...plain, late: 2, total: 7 });
  edge.deliver();
  t.is(edge.world.client.versions.get(extension)?.get('traffic/http/80'), version);
  edge.become('y.test', undefined);
  edge.deliver();
  t.is(edge.world.client.versions.get(extension)?.get('traffic/http/80'), version, 'requests may wait still');
  for (let turn = 0; turn < 4; turn += 1) {
    edge.world.pass(1);
    edge.world.pass(lingerMs);
    edge.deliver();
  }
  t.not(edge.world.client.versions.get(extension)?.get('traffic/http/80'), version);
  t.deepEqual(listsOf(edge), []);
});

test('a chain behind requests that wait is empty until something of it is used, and then stays while they may wait', (t) => {
  const edge = new Table();
  const chain = `traffic/${key}`;
  const version = () => edge.world.client.versions.get(extension)?.get(chain);
  const longAfter = () => {
    for (let turn = 0; turn < 4; turn += 1) {
      edge.world.pass(1);
      edge.world.pass(lingerMs);
      edge.deliver();
    }
    return version();
  };
  edge.become('x.test', plain);
  edge.deliver();
  const calm = version();
  edge.become('x.test', { ...plain, waits: true });
  edge.deliver();
  const empty = version();
  t.deepEqual(edge.led().get(chain), []);
  t.not(empty, calm, 'a client says which of the two it has');
  edge.become('y.test', { ...plain, late: 1 });
  edge.deliver();
  const full = version();
  t.true((edge.led().get(chain)?.length ?? 0) > 0);
  edge.become('y.test', undefined);
  edge.deliver();
  t.is(longAfter(), full, 'requests that have its filters may wait still');
  edge.become('x.test', plain);
  edge.deliver();
  t.is(longAfter(), calm);
});

test('what a client rejects as the first behind requests that wait keeps no filters from the chain', (t) => {
  for (const [what, own] of Object.entries({ limits: { late: 1 }, traffic: { total: 1 } })) {
    const edge = new Table();
    const filters = () => filtersOfChain(edge.bytes(extension, `traffic/${key}`) ?? new Uint8Array()).length;
    edge.become('x.test', { ...plain, waits: true });
    edge.deliver();
    edge.world.client.rejects.add(extension);
    edge.have({ ...nothing, ...own });
    edge.deliver();
    t.false(edge.world.client.rejects.has(extension), `${what}: it was rejected`);
    t.is(edge.world.client.spoilt.size, 0, what);
    t.true(filters() > 0, what);
    edge.become('y.test', { ...plain, late: 1 });
    edge.deliver();
    t.true(listsOf(edge).length > 0);
  }
});

test('a chain that comes back while it lingers stays', (t) => {
  const edge = new Table();
  edge.become('x.test', { ...plain, waits: true });
  edge.deliver();
  edge.become('x.test', plain);
  edge.deliver();
  edge.become('x.test', { ...plain, waits: true });
  edge.deliver();
  const lists = listsOf(edge).length;
  t.true(lists > 0);
  edge.world.pass(1);
  edge.world.pass(2 * lingerMs);
  edge.deliver();
  t.is(listsOf(edge).length, lists);
});

test('lists that linger stay as long as the listener that subscribes to them, however many they are', (t) => {
  const edge = new Table();
  edge.become('x.test', { ...plain, waits: true });
  edge.deliver();
  const lists = listsOf(edge).length;
  t.true(lists > 64, 'more than may linger otherwise');
  edge.become('x.test', plain);
  edge.deliver();
  for (let turn = 0; turn < lists; turn += 1) {
    edge.world.pass(1);
    edge.deliver();
  }
  t.is(listsOf(edge).length, lists);
  for (let turn = 0; turn < 4; turn += 1) {
    edge.world.pass(lingerMs);
    edge.deliver();
  }
  t.deepEqual(listsOf(edge), []);
});

test('what the table itself has of limits and traffic changes no chain in which requests wait', (t) => {
  const edge = new Table();
  edge.become('x.test', { ...plain, waits: true, late: 1 });
  edge.deliver();
  const versions = () => new Map(edge.world.client.versions.get(extension));
  const head = 'gatewright.own.traffic';
  for (const [own, places] of [
    [{ ...nothing, late: 1 }, [`lists/gatewright.gw.limits/${key}`, `lists/${head}/${key}`]],
    [{ ...nothing, late: 2 }, [`lists/gatewright.gw.limits/${key}`]],
    [nothing, [`lists/gatewright.gw.limits/${key}`, `lists/${head}/${key}`]],
    // In front of where they wait.
    [{ ...nothing, early: 1, bytes: 1 }, [`entry/${key}`]],
    [
      { ...nothing, early: 1, bytes: 1, total: 1 },
      [`lists/${head}/${key}`, `lists/gatewright.traffic.bandwidth.response/${key}`],
    ],
  ] as const) {
    const before = versions();
    edge.have(own);
    edge.deliver();
    const changed = [...versions()].filter(([name, version]) => before.get(name) !== version);
    t.deepEqual(changed.map(([name]) => name).sort(), [...places].sort());
  }
});

type Step =
  | { readonly kind: 'become'; readonly host: Host; readonly demands: Demands | undefined }
  | { readonly kind: 'have'; readonly own: Own }
  | { readonly kind: 'deliver'; readonly most: number }
  | { readonly kind: 'reject' }
  | { readonly kind: 'reconnect' }
  | { readonly kind: 'pass'; readonly ms: number };

const some = fc.integer({ min: 0, max: 2 });
const demands: fc.Arbitrary<Demands> = fc.record({ waits: fc.boolean(), late: some, early: some, total: some });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('become' as const),
      host: fc.constantFrom(...hosts),
      demands: fc.option(demands, { nil: undefined }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('have' as const),
      own: fc.record({ early: some, late: some, bytes: some, total: some }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('deliver' as const), most: fc.integer({ min: 0, max: 9 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reject' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reconnect' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1, 300_000, lingerMs) }),
  },
);

test('whatever lists and the table become: no chain in which requests wait is replaced, and no request misses a list or is answered 500', (t) => {
  const run = (steps: readonly Step[]): void => {
    const edge = new Table();
    for (const each of steps) {
      if (each.kind === 'become') edge.become(each.host, each.demands);
      else if (each.kind === 'have') edge.have(each.own);
      else if (each.kind === 'deliver') edge.deliver(each.most);
      else if (each.kind === 'reject') edge.world.client.rejects.add(extension);
      else if (each.kind === 'reconnect') {
        // What only an earlier stream knew of lists is not known to the next one.
        edge.deliver();
        edge.world.reconnect();
        edge.deliver();
      } else edge.world.pass(each.ms);
    }
    edge.world.client.rejects.clear();
    edge.deliver();
    for (const host of hosts) edge.become(host, undefined);
    edge.deliver();
    for (let turn = 0; turn < 4; turn += 1) {
      edge.world.pass(1);
      edge.world.pass(lingerMs);
      edge.deliver();
    }
    if (listsOf(edge).length > 0) throw new Error('lists are left');
  };
  fc.assert(fc.property(fc.array(step, { maxLength: 25 }), run), { numRuns: repetitions({ few: 20, all: 60 }) });
  t.pass();
});
