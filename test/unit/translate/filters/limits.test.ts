import { fromBinary } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import test from 'ava';
import { CompositeSchema, FilterChainConfigSchema, TypedExtensionConfigSchema } from '../../../../src/envoy/index.ts';
import type * as ir from '../../../../src/ir/index.ts';
import { bytesOfText } from '../../../../src/std/memory/index.ts';
import { TableSlots, translateChains } from '../../../../src/translate/chains/index.ts';
import { listsOfFilters, slotsOfFilters } from '../../../../src/translate/filters/index.ts';
import type { EnvoyResource } from '../../../../src/translate/index.ts';
import { table } from '../../../support/ir.ts';
import { listsInResource } from '../../../support/slot-lists.ts';

const bucket = (id: string, more: Partial<ir.LimitBucket> = {}): ir.LimitBucket => ({
  id,
  phase: 'afterAuth',
  key: [],
  limits: [{ requests: 1, perMs: 1000, burst: 1 }],
  status: 429,
  ...more,
});
const filters = (target: string, ...buckets: readonly ir.LimitBucket[]): ir.RouteFilters => ({
  limits: { route: { target, buckets } },
});
const place = { gateway: 'g', table: 'http/80' };

/** What a host with routes of these filters needs. */
const needs = (...all: readonly ir.RouteFilters[]) => ({
  slots: [...new Set(all.flatMap(slotsOfFilters))],
  lists: new Map(all.flatMap((each) => [...listsOfFilters(each)])),
  authorizesFirst: false,
  inBase: false,
});

/** Behind the three chains that new connections of all hosts lead through, all else. */
function chainsOf(slots: TableSlots, limits?: ir.TableLimits): readonly EnvoyResource[] {
  const content = { ...table('http/80', {}), ...(limits && { limits }) };
  const isOther = ({ name }: EnvoyResource) => /^(base|access)\//.test(name);
  return translateChains(content, slots.of('g', 'http/80')).filter((each) => !isOther(each));
}

function filtersOf(chain: EnvoyResource | undefined) {
  const extension = chain && fromBinary(TypedExtensionConfigSchema, bytesOfText(chain.body));
  const config = extension?.typedConfig && anyUnpack(extension.typedConfig, FilterChainConfigSchema);
  return config?.defaultFilterChain?.filters ?? [];
}
const names = (chain: EnvoyResource | undefined): string[] => filtersOf(chain).map(({ name }) => name);

/** Which lists a slot has, each with its filters. */
function listsIn(chain: EnvoyResource | undefined, slot: string): Record<string, string[]> {
  const found = filtersOf(chain).find(({ name }) => name === slot)?.typedConfig;
  const lists = (found && anyUnpack(found, CompositeSchema)?.namedFilterChains) ?? {};
  return Object.fromEntries(
    Object.entries(lists).map(([name, { typedConfig }]) => [name, typedConfig.map((filter) => filter.name)]),
  );
}

/** The same of a slot that has its lists beside the chain. */
const listsBeside = (resources: readonly EnvoyResource[], slot: string) =>
  listsInResource(bytesOfText(resources.find(({ name }) => name === `lists/${slot}/http/80`)?.body ?? ''));

test('a table without limits has no filter for them', (t) => {
  const [entry, , traffic] = chainsOf(new TableSlots());
  t.deepEqual([names(entry), names(traffic)], [[], []]);
});

test('a table has the filters of the phases and levels that something uses, and no others', (t) => {
  const slots = new TableSlots();
  const limits: ir.TableLimits = {
    levels: [
      { level: 'gateway', target: 'Gateway/n/g', buckets: [bucket('n/p/early', { phase: 'beforeAuth' })] },
      { level: 'listener', target: 'Gateway/n/g/l', buckets: [bucket('n/p/late')] },
    ],
  };
  const [entry, , traffic] = chainsOf(slots, limits);
  t.deepEqual(names(entry), ['gatewright.gw.guard', 'gatewright.guard.passed']);
  t.deepEqual(names(traffic), ['gatewright.ls.limits', 'gatewright.limits.passed']);
});

test('what routes of one target name is in the slot once, and goes with the last of them', (t) => {
  const slots = new TableSlots();
  const [one, other] = [
    needs(filters('HTTPRoute/n/a', bucket('n/p/x'))),
    needs(filters('HTTPRoute/n/b', bucket('n/p/y'))),
  ];
  t.true(slots.changed(place, undefined, one));
  t.false(slots.changed(place, undefined, one), 'a second host of the same route');
  t.true(slots.changed(place, undefined, other));
  const [entry, , traffic] = chainsOf(slots);
  t.deepEqual(names(entry), []);
  t.deepEqual(names(traffic), ['gatewright.rt.limits', 'gatewright.limits.passed']);
  t.deepEqual(listsIn(traffic, 'gatewright.rt.limits'), {
    'HTTPRoute/n/a': ['mark', 'n/p/x'],
    'HTTPRoute/n/b': ['mark', 'n/p/y'],
  });
  t.false(slots.changed(place, one, undefined));
  t.true(slots.changed(place, one, undefined));
  t.deepEqual(listsIn(chainsOf(slots)[2], 'gatewright.rt.limits'), { 'HTTPRoute/n/b': ['mark', 'n/p/y'] });
  t.true(slots.changed(place, other, undefined));
  t.deepEqual(names(chainsOf(slots)[2]), []);
});

test('a route resolved again with the same limits changes no chain, and other limits do', (t) => {
  const slots = new TableSlots();
  const before = needs(filters('HTTPRoute/n/a', bucket('n/p/x')));
  slots.changed(place, undefined, before);
  const again = needs(filters('HTTPRoute/n/a', bucket('n/p/x')));
  t.false(slots.changed(place, before, again));
  t.true(slots.changed(place, again, needs(filters('HTTPRoute/n/a', bucket('n/p/x', { status: 503 })))));
});

test('a chain keeps the lists that a client has, in the newest form, and forgets those that it knows by name only', (t) => {
  const slots = new TableSlots();
  slots.changed(
    place,
    undefined,
    needs(filters('HTTPRoute/n/a', bucket('n/p/x')), filters('HTTPRoute/n/b', bucket('n/p/y'))),
  );
  const [, , before] = chainsOf(slots);
  const later = new TableSlots();
  later.changed(place, undefined, needs(filters('HTTPRoute/n/b', bucket('n/p/z'))));
  const [, , after] = chainsOf(later);
  const held = before?.slots;
  const fitting = after?.slots?.with(held?.names ?? [], [], held?.lists);
  t.deepEqual(listsIn(fitting, 'gatewright.rt.limits'), {
    'HTTPRoute/n/a': ['mark', 'n/p/x'],
    'HTTPRoute/n/b': ['mark', 'n/p/z'],
  });
  t.true(fitting?.slots?.names.has('gatewright.rt.limits/HTTPRoute/n/a'));
  const unknown = after?.slots?.with(['gatewright.rt.limits/HTTPRoute/n/c']);
  t.is(unknown, after, 'of a list that only a name is known of, there is nothing to keep');
});

test('filters of a list come in the order of the policies, behind what they look at', (t) => {
  const slots = new TableSlots();
  const keyed = bucket('n/p/x', { key: [{ kind: 'host' }, { kind: 'route' }, { kind: 'cookie', name: 'sid' }] });
  slots.changed(place, undefined, needs(filters('HTTPRoute/n/a', bucket('n/p/y'), keyed)));
  t.deepEqual(listsIn(chainsOf(slots)[2], 'gatewright.rt.limits'), {
    'HTTPRoute/n/a': ['mark', 'keys', 'key-headers', 'n/p/y', 'n/p/x'],
  });
});

test('a bucket at fault is left out alone, of tables and of lists, and routes still find their list', (t) => {
  const slots = new TableSlots();
  const shared = bucket('n/p/s', { shared: 'ownPart' });
  const own = needs(filters('HTTPRoute/n/a', bucket('n/p/x'), bucket('n/p/y')));
  slots.changed(place, undefined, own);
  const limits: ir.TableLimits = {
    levels: [
      { level: 'gateway', target: 'Gateway/n/g', buckets: [bucket('n/p/g', { phase: 'beforeAuth' })] },
      { level: 'listener', target: 'Gateway/n/g/l', buckets: [bucket('n/p/x')] },
    ],
  };
  const [entry, , traffic] = chainsOf(slots, limits);
  const keysOf = (chain: EnvoyResource | undefined) =>
    chain?.provenance?.origins().map(({ kind, key }) => `${kind} ${key}`);
  t.deepEqual(keysOf(entry), ['limit n/p/g'], 'each chain has those of its phase');
  t.deepEqual(keysOf(traffic), ['limit n/p/x', 'limit n/p/y'], 'each once, wherever it is');
  const without = (...keys: readonly string[]) => traffic?.provenance?.without?.(traffic.name, new Set(keys));
  const some = without('n/p/x');
  t.deepEqual(listsIn(some, 'gatewright.rt.limits'), { 'HTTPRoute/n/a': ['mark', 'n/p/y'] });
  t.false(names(some).includes('gatewright.ls.limits'));
  t.deepEqual(keysOf(some), ['limit n/p/y']);
  t.is(without('n/p/other')?.version, traffic?.version);
  t.deepEqual(names(entry?.provenance?.without?.(entry.name, new Set(['n/p/g']))), []);
  slots.changed(place, own, needs(filters('HTTPRoute/n/a', bucket('n/p/x'), bucket('n/p/y'), shared)));
  const resources = chainsOf(slots, limits);
  t.is(keysOf(resources[2]), undefined, 'where requests wait, all of it is beside the chain');
  const ofListener = resources.find(({ name }) => name === 'lists/gatewright.ls.limits/http/80');
  t.deepEqual(keysOf(ofListener), ['limit n/p/x']);
  t.deepEqual(keysOf(ofListener?.provenance?.without?.(ofListener.name, new Set(['n/p/x']))), undefined);
  const [lists, asking] = ['', '.shared.429'].map((count) =>
    resources.find(({ name }) => name === `lists/gatewright.rt.limits${count}/http/80`),
  );
  t.deepEqual(keysOf(lists), ['limit n/p/x', 'limit n/p/y']);
  const named = (message: string) => lists?.provenance?.namedIn?.(message);
  const local =
    'failed (LocalRateLimitValidationError.RateLimits[0]: … | caused by RateLimitValidationError.Actions[1]: …)';
  t.deepEqual(named(local), ['n/p/x', 'n/p/y']);
  t.deepEqual(named('something else'), []);
  t.deepEqual(asking?.provenance?.namedIn?.('failed (RateLimitValidationError.RateLimits[0]: …)'), ['n/p/s']);
  const left = [lists, asking].flatMap(
    (each) => each?.provenance?.without?.(each.name, new Set(['n/p/x', 'n/p/s'])) ?? [],
  );
  t.deepEqual(listsBeside(left, 'gatewright.rt.limits'), { 'HTTPRoute/n/a': ['mark', 'n/p/y'] });
  t.deepEqual(listsBeside(left, 'gatewright.rt.limits.shared.429'), { 'HTTPRoute/n/a': ['mark'] });
});

/** Places of one level. */
const countings = ['', '.concurrent', '.shared.403', '.shared.429', '.shared.503', '.service'];

test('what asks the agent is the last of its list, in a place of its own for each status', (t) => {
  const slots = new TableSlots();
  const shared = bucket('n/p/s', { shared: 'ownPart', key: [{ kind: 'route' }] });
  const all = [
    bucket('n/p/own'),
    shared,
    bucket('n/p/t', { shared: 'reject' }),
    bucket('n/p/u', { shared: 'ownPart', status: 503 }),
  ];
  slots.changed(place, undefined, needs(filters('HTTPRoute/n/a', ...all)));
  const limits: ir.TableLimits = {
    levels: [{ level: 'gateway', target: 'Gateway/n/g', buckets: [bucket('n/q/g', { shared: 'ownPart' })] }],
  };
  const resources = chainsOf(slots, limits);
  t.deepEqual(
    names(resources[2]).filter((name) => name.includes('.limits')),
    [
      ...['gw', 'set', 'ls'].flatMap((level) => countings.map((counting) => `gatewright.${level}.limits${counting}`)),
      ...['rt', 'ru'].flatMap((level) => countings.map((counting) => `gatewright.${level}.limits${counting}.lists`)),
      'gatewright.limits.passed',
    ],
  );
  const filled = resources.find(({ name }) => name === 'lists/gatewright.own.traffic/http/80')?.body ?? '';
  t.deepEqual(
    countings.slice(1).filter((counting) => filled.includes(`gatewright.gw.limits${counting}`)),
    ['.shared.429'],
    'the head of the chain says where the table has something',
  );
  t.deepEqual(listsBeside(resources, 'gatewright.rt.limits'), { 'HTTPRoute/n/a': ['mark', 'n/p/own'] });
  t.deepEqual(listsBeside(resources, 'gatewright.rt.limits.shared.429'), {
    'HTTPRoute/n/a': ['mark', 'keys', 'key-headers', 'shared'],
  });
});
