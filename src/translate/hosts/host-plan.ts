import type * as ir from '../../ir/index.ts';
import type { SlotList } from '../filters/index.ts';
import { listsOfRoute, slotsOfRoute } from '../routes/index.ts';
import { HostPartition } from './partition-host.ts';
import { type RoutesChange, routesChange } from './routes-change.ts';

/** A host with no more routes is one scope: to go on to another costs a request as much as to be compared with some hundred routes. */
const mostInOneScope = 500;
/** Of the ways to cut a host, the first is good enough whose largest part has no more routes. */
const fewInOnePart = 64;
const mostSegments = 4;

/** What was thought of a host with many routes. */
export interface HostPlan {
  readonly routes: readonly ir.Route[];
  /** How it is cut; undefined: the beginnings of paths do not separate its routes. Decided by them alone. */
  readonly cut: HostPartition | undefined;
  /** How many routes fill each slot of the table's filter chains. */
  readonly slots: ReadonlyMap<string, number>;
  /** What its routes name in slots. */
  readonly lists: ReadonlyMap<string, SlotList>;
  /** The ways that were tried, with one segment, two, and so on. */
  readonly tried: readonly HostPartition[];
}

/** Undefined for a host with few routes. `former`: of the same host before a change; what is alike needs not be thought of again. */
export function planOf({ routes }: ir.VirtualHost, former?: HostPlan): HostPlan | undefined {
  if (routes.length <= mostInOneScope) return undefined;
  const change = former && routesChange(former.routes, routes);
  return change ? nextPlan(routes, former, change) : firstPlan(routes);
}

const firstPlan = (routes: readonly ir.Route[]): HostPlan => ({
  routes,
  slots: countSlots(routes),
  lists: listsOf(routes),
  ...choose(routes, (segments) => HostPartition.of(routes, segments)),
});

function nextPlan(routes: readonly ir.Route[], former: HostPlan, change: RoutesChange): HostPlan {
  const slots = nextSlots(former.slots, change);
  return {
    routes,
    slots,
    lists: nextLists(former.lists, change, slots),
    ...choose(
      routes,
      (segments) => former.tried[segments - 1]?.next(routes, change) ?? HostPartition.of(routes, segments),
    ),
  };
}

const noLists: ReadonlyMap<string, SlotList> = new Map();

/** What routes name in slots. */
export function listsOf(routes: readonly ir.Route[]): ReadonlyMap<string, SlotList> {
  const lists = routes.map(listsOfRoute).filter(({ size }) => size > 0);
  return lists.length === 0 ? noLists : new Map(lists.flatMap((each) => [...each]));
}

function nextLists(
  former: ReadonlyMap<string, SlotList>,
  { gone, come }: RoutesChange,
  slots: HostPlan['slots'],
): ReadonlyMap<string, SlotList> {
  const added = listsOf([...come]);
  if (added.size === 0 && listsOf([...gone]).size === 0) return former;
  return new Map([...former, ...added].filter(([use]) => slots.has(use)));
}

function choose(
  routes: readonly ir.Route[],
  cutBy: (segments: number) => HostPartition,
): Pick<HostPlan, 'cut' | 'tried'> {
  const tried: HostPartition[] = [];
  // More than that in one part, and a cut is not worth what it costs requests.
  let [cut, largest]: [HostPartition | undefined, number] = [undefined, routes.length / 2];
  for (let segments = 1; segments <= mostSegments && largest > fewInOnePart; segments += 1) {
    const next = cutBy(segments);
    tried.push(next);
    if (next.largest < largest) [cut, largest] = [next, next.largest];
  }
  return { cut, tried };
}

function countSlots(
  routes: readonly ir.Route[],
  by: 1 | -1 = 1,
  counts = new Map<string, number>(),
): Map<string, number> {
  for (const slot of routes.flatMap(slotsOfRoute)) {
    const count = (counts.get(slot) ?? 0) + by;
    if (count === 0) counts.delete(slot);
    else counts.set(slot, count);
  }
  return counts;
}

function nextSlots(former: ReadonlyMap<string, number>, { gone, come }: RoutesChange): ReadonlyMap<string, number> {
  if (![...gone, ...come].some((route) => slotsOfRoute(route).length > 0)) return former;
  return countSlots(gone, -1, countSlots(come, 1, new Map(former)));
}
