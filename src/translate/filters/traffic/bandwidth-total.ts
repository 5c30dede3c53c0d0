import { create, type JsonObject } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { BandwidthLimitSchema, BandwidthLimit_EnableMode as EnableMode, packAny } from '../../../envoy/index.ts';
import * as ir from '../../../ir/index.ts';
import { type HostStep, matcherByHost } from '../host-step.ts';
import {
  compositeWith,
  matcherOf,
  nameInSlot,
  type Slot,
  type SlotList,
  switchedOff,
  type TableContent,
} from '../slot.ts';
import { slotWithItem } from '../slot-item.ts';
import { namedLists, noList } from '../slot-lists.ts';

/** What all requests together have of it. Each direction waits by itself, so each has a slot of its own. */
interface Direction {
  readonly slot: string;
  readonly mode: EnableMode;
  readonly kibOf: (value: ir.Bandwidth) => number | undefined;
}

const requests: Direction = {
  slot: 'gatewright.traffic.bandwidth.request',
  mode: EnableMode.REQUEST,
  kibOf: ({ total }) => total?.requestKiB,
};
const answers: Direction = {
  slot: 'gatewright.traffic.bandwidth.response',
  mode: EnableMode.RESPONSE,
  kibOf: ({ total }) => total?.answerKiB,
};
const directions: readonly Direction[] = [requests, answers];

const limit = (mode: EnableMode, kib: number): Any =>
  packAny(
    BandwidthLimitSchema,
    create(BandwidthLimitSchema, { statPrefix: 'gatewright', enableMode: mode, limitKbps: BigInt(kib) }),
  );

/** Namespace of a route's metadata. */
const listNames = 'gatewright.bandwidth.lists';

/** It is in the chain once, whatever routes name it: all of them count together, and none of their changes begins the count again. */
const slotOf = ({ slot, mode, kibOf }: Direction): Slot => ({
  name: slot,
  chain: 'traffic',
  hasLists: true,
  apart: {
    namespace: listNames,
    runsOwn: (table) => tableMatcher(table, { slot, mode, kibOf }) !== undefined,
    otherwise: (table) => tableMatcher(table, { slot, mode, kibOf }),
  },
  filter: (table, _items, lists) => compositeWith(tableMatcher(table, { slot, mode, kibOf }), lists),
  isFilledBy: ({ traffic }) => traffic?.parts.some(({ filters }) => kibIn(filters, kibOf) !== undefined) ?? false,
});

export const requestsTotalSlot = slotOf(requests);
export const answersTotalSlot = slotOf(answers);

const kibIn = ({ bandwidth }: ir.TrafficFilters, kibOf: Direction['kibOf']): number | undefined =>
  bandwidth && kibOf(bandwidth);

/** What a policy is for counts together, also where others of its listeners differ. */
function tableMatcher({ traffic }: TableContent, { slot, mode, kibOf }: Direction) {
  const parts = (traffic?.parts ?? []).filter(({ filters }) => kibIn(filters, kibOf) !== undefined);
  const steps = [...Map.groupBy(parts, ({ sources }) => sources.bandwidth ?? '')].flatMap(([, own]): HostStep[] => {
    const kib = own[0] && kibIn(own[0].filters, kibOf);
    if (kib === undefined) return [];
    const isForAll = own.some(({ hostnames }) => hostnames === undefined);
    return [
      { content: limit(mode, kib), hosts: isForAll ? undefined : own.flatMap(({ hostnames = [] }) => hostnames) },
    ];
  });
  const [first] = steps;
  if (!first) return undefined;
  return first.hosts ? matcherByHost(slot, steps, traffic?.hostnames ?? []) : matcherOf(slot, first.content);
}

interface UsedTotal {
  readonly slot: string;
  readonly item: string;
  readonly list: SlotList;
}

const lists = new WeakMap<ir.Bandwidth, readonly UsedTotal[]>();

function usedBy(value: ir.Bandwidth): readonly UsedTotal[] {
  const found =
    lists.get(value) ??
    directions.flatMap(({ slot, mode, kibOf }): UsedTotal[] => {
      const [kib, item] = [kibOf(value), value.total?.of];
      return kib === undefined || item === undefined ? [] : [{ slot, item, list: listOf(slot, mode, kib) }];
    });
  lists.set(value, found);
  return found;
}

/** Nothing in it is of a form that proxies reject: it has a number. */
function listOf(name: string, mode: EnableMode, kib: number): SlotList {
  const list: SlotList = {
    digest: ir.digestOf({ name, kib }),
    filters: [{ name, typedConfig: limit(mode, kib) }],
    buckets: [],
    without: () => list,
  };
  return list;
}

/** Names of the types of its filters. */
export const typesOfTotal = ({ total }: ir.Bandwidth): readonly string[] =>
  total ? [BandwidthLimitSchema.typeName.split('.').at(-1) ?? ''] : [];

/** As a policy has it, whatever route it is for. */
export const withoutTarget = (value: ir.Bandwidth): ir.Bandwidth => {
  if (value.total?.of === undefined) return value;
  const { of: _, ...total } = value.total;
  return { ...value, total };
};

type Own = ir.RouteTraffic['bandwidth'];

const usedByRoute = (own: Own): readonly UsedTotal[] =>
  own === undefined || typeof own === 'string' ? [] : usedBy(own);

export const slotsOfTotal = (own: Own): readonly string[] =>
  usedByRoute(own).flatMap(({ slot, item }) => [slot, slotWithItem(slot, item)]);

export const listsOfTotal = (own: Own): ReadonlyMap<string, SlotList> =>
  new Map(usedByRoute(own).map(({ slot, item, list }) => [slotWithItem(slot, item), list]));

/** The same in its metadata. */
export function totalMetadata(own: Own): Readonly<Record<string, JsonObject>> {
  if (own === undefined) return {};
  const used = usedByRoute(own);
  return namedLists(
    listNames,
    directions.map(({ slot }) => [slot, used.find((each) => each.slot === slot)?.item ?? noList]),
  );
}

/** A route that has something of its own does not have what its table has. Where that has nothing, there is no such slot, and this means nothing. */
export function totalOfRoute(own: Own): Readonly<Record<string, Any>> {
  if (own === undefined) return {};
  const used = usedByRoute(own);
  return Object.fromEntries(
    directions.map(({ slot }) => {
      const found = used.find((each) => each.slot === slot);
      return [slot, found ? nameInSlot(found.item) : switchedOff()];
    }),
  );
}
