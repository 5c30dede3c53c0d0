import * as ir from '../../../ir/index.ts';
import type { EnvoyFilter } from '../envoy-filter.ts';
import { type HostStep, stepByHost } from '../host-step.ts';
import { identityUse } from '../identity.ts';
import { nameInSlot, type Slot, type SlotList, slotWithLists, stepOfChain, type TableFilter } from '../slot.ts';
import { slotWithItem } from '../slot-item.ts';
import { namedLists } from '../slot-lists.ts';
import { waitingForBucket } from '../steady.ts';
import { type LimitCount, limitCounts, limitList, passedList } from './limit-list.ts';
import { phases } from './phases.ts';

const tags = { gateway: 'gw', listenerSet: 'set', listener: 'ls', route: 'rt', rule: 'ru' } as const;
type RouteLevel = 'route' | 'rule';
const routeLevels: readonly RouteLevel[] = ['route', 'rule'];

/** One step of a chain. What asks the agent or a service waits for it, so each such filter has one of its own. */
interface Place<L extends ir.AccessLevel = ir.AccessLevel> {
  readonly level: L;
  readonly phase: ir.LimitPhase;
  readonly count: LimitCount;
}

const placesOf = <L extends ir.AccessLevel>(level: L, phase: ir.LimitPhase): Place<L>[] =>
  limitCounts.map((count) => ({ level, phase, count }));

const nameOf = ({ level, phase, count }: Place): string =>
  `gatewright.${tags[level]}.${phases[phase].name}${suffixOf(count)}`;

function suffixOf(count: LimitCount): string {
  if (count === 'proxy') return '';
  if (count === 'concurrent') return '.concurrent';
  return count === 'service' ? '.service' : `.shared.${count}`;
}

/** Namespace of a route's metadata. */
const listNames = 'gatewright.limits.lists';

const slotOf = (place: Place<RouteLevel>): Slot => ({
  name: nameOf(place),
  chain: phases[place.phase].chain,
  hasLists: true,
  apart: { namespace: listNames },
  filter: (_table, _items, lists) => slotWithLists(lists),
});

/** What all requests to listeners of a level count against. */
const ofTable = ({ level, phase, count }: Place<ir.TableLevel>): TableFilter => ({
  chain: phases[phase].chain,
  apart: {
    name: nameOf({ level, phase, count }),
    only: ({ limits }) => (limits ? { limits: onlyOf(limits, { level, phase, count }) } : {}),
  },
  filterOf({ limits }) {
    const name = nameOf({ level, phase, count });
    const steps = (limits?.levels ?? []).flatMap((each): HostStep[] => {
      const content = each.level === level ? limitList(each, phase, count) : undefined;
      return content ? [{ content, hosts: each.hostnames }] : [];
    });
    const [first] = steps;
    if (!first) return undefined;
    const filter = first.hosts ? stepByHost(name, steps, limits?.hostnames ?? []) : stepOfChain(name, first.content);
    return { name, filter };
  },
});

const onlyOf = (limits: ir.TableLimits, { level, phase, count }: Place<ir.TableLevel>): ir.TableLimits => ({
  ...limits,
  levels: limits.levels.flatMap((each) => {
    const { buckets = [] } = (each.level === level && limitList(each, phase, count)) || {};
    return buckets.length > 0 ? { ...each, buckets } : [];
  }),
});

/** From the Gateway to the rule. */
const stepsOf = (phase: ir.LimitPhase): readonly (Slot | TableFilter)[] => [
  ...ir.tableLevels.flatMap((level) => placesOf(level, phase).map(ofTable)),
  ...routeLevels.flatMap((level) => placesOf(level, phase).map(slotOf)),
];

const routePlaces = ir.limitPhases.flatMap((phase) => routeLevels.flatMap((level) => placesOf(level, phase)));

interface Used {
  readonly limits: ir.TableLimits | undefined;
  /** Names of slots that routes use. */
  readonly slots: ReadonlySet<string>;
}

/** Whether the table or its routes have limits in a phase, of such a count. */
const hasLimits = (used: Used, phase: ir.LimitPhase, counts: readonly LimitCount[]): boolean =>
  routePlaces.some((place) => place.phase === phase && counts.includes(place.count) && used.slots.has(nameOf(place))) ||
  (used.limits?.levels ?? []).some((level) => counts.some((count) => limitList(level, phase, count)));

/** There while anything of the table has limits in the phase. */
const passedOf = (phase: ir.LimitPhase): TableFilter => ({
  chain: phases[phase].chain,
  filterOf({ limits }, slots) {
    const name = `gatewright.${phases[phase].name}.passed`;
    const used = { limits, slots };
    return hasLimits(used, phase, limitCounts)
      ? { name, filter: stepOfChain(name, passedList(hasLimits(used, phase, ['service']))) }
      : undefined;
  },
});

/** In front of what access policies demand: they guard the servers that these ask. */
export const guardSteps = [...stepsOf('beforeAuth'), passedOf('beforeAuth')];

/** Behind it: they know the headers that access policies write. */
export const limitSteps: readonly (Slot | TableFilter)[] = [...stepsOf('afterAuth'), passedOf('afterAuth')];

/** A list in a slot, which routes call by the name of its target. */
interface UsedList {
  readonly slot: string;
  readonly target: string;
  readonly list: SlotList;
}

const listsOf = (limits: ir.RouteLimits): readonly UsedList[] =>
  routePlaces.flatMap((place) => {
    const { target, buckets } = limits[place.level] ?? {};
    if (target === undefined || !buckets) return [];
    const list = limitList({ target, buckets }, place.phase, place.count);
    return list ? [{ slot: nameOf(place), target, list }] : [];
  });

/** The lists are in the chains of the table, and count for all hosts of a route together. No change of a route fills them again. */
export const limits: EnvoyFilter<'limits'> = {
  slots: (value) =>
    listsOf(value).flatMap(({ slot, target, list }) => [
      slot,
      slotWithItem(slot, target),
      ...list.buckets.flatMap(waitingForBucket),
      ...(ir.countByIdentity(list.buckets) ? [identityUse] : []),
    ]),
  lists: (value) => new Map(listsOf(value).map(({ slot, target, list }) => [slotWithItem(slot, target), list])),
  metadata: (value) =>
    namedLists(
      listNames,
      listsOf(value).map(({ slot, target }) => [slot, target]),
    ),
  perRoute: (value) => Object.fromEntries(listsOf(value).map(({ slot, target }) => [slot, nameInSlot(target)])),
};
