import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { guardStopCount, guardStopName, guardsName, guardsSlot } from '../../contracts/index.ts';
import { CompositeSchema, HTTPFaultSchema, packAny, SetFilterStateSchema } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { keptSwitchedOff } from './access/switched-off.ts';
import {
  actionOf,
  compositeWith,
  emptySlot,
  type FilterList,
  type Matcher,
  type NamedFilter,
  type Slot,
  type TableFilter,
} from './slot.ts';
import { type KeptText, keepText, runIf, runsList, stateInput, stateIs } from './slot-lists.ts';
import { chainSteps } from './slots.ts';

/*
 * Where requests wait in `access`, what the table itself demands is one resource beside the chain, which stays as it is (steady.ts). The chain has
 * stops between the slots of routes, and the resource has a piece for each of them. Envoy makes all filters of a resource for each place that runs it, so one that
 * all stops ran would cost it 26 times as much.
 *
 * A request keeps the demands that it began with, whatever it waits for meanwhile: at the chain's head the resource says by which of its *editions*
 * the request goes, and at which stop it is to look next. The resource keeps editions of before for those that are on their way. A request whose edition
 * is gone is let in nowhere: 503.
 *
 * Envoy 1.40 replaces one piece after the other, and a request may come between. So an edition is at all stops before requests begin
 * with it: a client is sent the resource twice (ChainSlots.preparing).
 */

/** The filters of one edition, by the number of the stop. */
export type GuardLists = ReadonlyMap<number, FilterList>;

/** A place of the chain that runs a piece of the resource. */
interface GuardStop {
  readonly name: string;
  readonly number: number;
}

/** The table's own filters between two slots of routes, and the stops there. */
interface Gap {
  readonly steps: readonly TableFilter[];
  readonly stops: readonly GuardStop[];
}

/** Requests may wait at three levels, and then there is more. Envoy 1.40 goes on behind the first filter of a list that waits, so it is the last of its list. */
const mostLists = 4;

const gaps: readonly Gap[] = gapsOf(chainSteps);

function gapsOf(steps: readonly (Slot | TableFilter)[]): readonly Gap[] {
  const runs: TableFilter[][] = [];
  let isOpen = false;
  for (const step of steps) {
    const isGuard = 'guard' in step && step.guard !== undefined;
    if (isGuard && isOpen) runs.at(-1)?.push(step);
    else if (isGuard) runs.push([step]);
    isOpen = isGuard;
  }
  let count = 0;
  return runs.map((run) => {
    const lists = run.some(({ guard }) => guard?.mayWait) ? mostLists : 1;
    const stops = Array.from({ length: lists }, () => {
      count += 1;
      return { name: `${guardsSlot}.${count}`, number: count };
    });
    return { steps: run, stops };
  });
}

const allStops = gaps.flatMap(({ stops }) => stops);
if (allStops.length !== guardStopCount)
  throw new Error(`guardStopCount is ${guardStopCount}, and chains have ${allStops.length} stops`);

const stopsByStep: ReadonlyMap<Slot | TableFilter, readonly GuardStop[]> = new Map(
  gaps.flatMap(({ steps: [first], stops }) => (first ? [[first, stops] as const] : [])),
);

/** What stands in the chain in the place of the step: nothing, but for the first of each gap. */
export const stopsAt = (step: Slot | TableFilter, table: string): readonly NamedFilter[] =>
  (stopsByStep.get(step) ?? []).map(({ name, number }) => ({
    name,
    typedConfig: composite(
      runIf(stateIs(nextKey, { case: 'prefix', value: `${number}.` }), guardStopName(table, number)),
    ),
  }));

/** Filter state: `STOP.EDITION`, the next stop that has filters for the request. */
const nextKey = 'gatewright.guards.next';

/** Before the resource was asked; it has no stop of that name. */
const atHead = '-';

/** What the head of the chain keeps of each request. */
export const keptAtHead: readonly KeptText[] = [keepText(nextKey, atHead), keptSwitchedOff];

/** Behind what keeps that. */
export const guardsHead = (table: string): NamedFilter => ({
  name: guardsSlot,
  typedConfig: composite(runsList(guardsName(table))),
});

const composite = (matcher: Matcher): Any => packAny(CompositeSchema, create(CompositeSchema, { matcher }));

/** What tables demand, and demanded before. */
interface Demanded {
  readonly own: ir.TableGuards | undefined;
  readonly former: readonly ir.TableGuards[];
  /** Names of the slots of the chain. */
  readonly slots: ReadonlySet<string>;
}

/** The lists of an edition; undefined: requests would wait for more than there are stops. */
export function guardLists(demanded: Demanded): GuardLists | undefined {
  const lists = new Map<number, FilterList>();
  for (const { steps, stops } of gaps) {
    const inGap = listsOf(steps, demanded);
    if (inGap.length > stops.length) return undefined;
    inGap.forEach((filters, index) => {
      const stop = stops[index];
      if (stop) lists.set(stop.number, { filters });
    });
  }
  return lists;
}

function listsOf(steps: readonly TableFilter[], { own, former, slots }: Demanded): readonly NamedFilter[][] {
  const all = [...former, ...(own ? [own] : [])];
  const lists: NamedFilter[][] = [];
  let isFull = true;
  for (const { guard } of steps) {
    const filters = all.flatMap((guards) => guard?.of(guards, slots, former.length === 0) ?? []);
    for (const { filter, waits } of uniqueOf(filters)) {
      if (isFull) lists.push([filter]);
      else lists.at(-1)?.push(filter);
      isFull = waits;
    }
  }
  return lists;
}

/** What was demanded before is so still, as a rule. */
const uniqueOf = <F extends { readonly filter: NamedFilter }>(filters: readonly F[]): readonly F[] =>
  filters.length < 2
    ? filters
    : [
        ...new Map(
          filters.map((each) => [Buffer.from(each.filter.typedConfig.value).toString('latin1'), each]),
        ).values(),
      ];

/** An edition, by a name that no other has. */
export interface GuardEdition {
  readonly id: string;
  readonly lists: GuardLists;
}

/** What the resource itself has, which the chain's head runs: requests that come now go by this edition. */
export function guardsContent(now: GuardEdition | undefined): Any {
  const [first] = now ? stopsOf(now) : [];
  if (!now || first === undefined) return emptySlot();
  return compositeWith(
    { onNoMatch: actionOf({ filterChainName: startName }) },
    new Map([[startName, { filters: [goTo(first, now.id)] }]]),
  );
}

/** What its piece for a stop has: the list of each edition that has one there. A request whose edition is gone is denied. */
export function guardStopContent(stop: number, editions: readonly GuardEdition[]): Any {
  const lists = new Map(editions.flatMap((edition) => listAt(stop, edition)).sort(byText));
  const map = Object.fromEntries([...lists.keys()].map((name) => [name, actionOf({ filterChainName: name })] as const));
  const onNoMatch = actionOf({ typedConfig: { name: 'gone', typedConfig: gone() } });
  if (lists.size === 0) return compositeWith({ onNoMatch }, lists);
  const matcher: Matcher = {
    onNoMatch,
    matcherType: {
      case: 'matcherTree',
      value: {
        input: { name: 'next', typedConfig: stateInput(nextKey) },
        treeType: { case: 'exactMatchMap', value: { map } },
      },
    },
  };
  return compositeWith(matcher, lists);
}

const startName = 'start';

type NamedList = readonly [name: string, list: FilterList];

const byText = ([one]: NamedList, [other]: NamedList): number => (one < other ? -1 : 1);

const stopsOf = ({ lists }: GuardEdition): readonly number[] => [...lists.keys()].sort((one, other) => one - other);

const placeOf = (stop: number, id: string): string => `${stop}.${id}`;

/** It says first where the request is to look next: what stands behind a filter that waits would not run. */
function listAt(stop: number, { id, lists }: GuardEdition): readonly NamedList[] {
  const list = lists.get(stop);
  if (!list) return [];
  const next = stopsOf({ id, lists }).find((other) => other > stop);
  return [[placeOf(stop, id), { filters: [goTo(next, id), ...list.filters] }]];
}

const goTo = (stop: number | undefined, id: string): NamedFilter => ({
  name: 'next',
  typedConfig: packAny(
    SetFilterStateSchema,
    create(SetFilterStateSchema, {
      onRequestHeaders: [keepText(nextKey, stop === undefined ? 'passed' : placeOf(stop, id))],
    }),
  ),
});

const gone = (): Any =>
  packAny(
    HTTPFaultSchema,
    create(HTTPFaultSchema, {
      abort: { errorType: { case: 'httpStatus', value: 503 }, percentage: { numerator: 100 } },
    }),
  );
