import { create } from '@bufbuild/protobuf';
import { TypedExtensionConfigSchema, typeUrls } from '../../envoy/index.ts';
import * as ir from '../../ir/index.ts';
import {
  listsContent,
  listsSource,
  type Slot,
  type SlotList,
  slotAndItem,
  slots,
  type TableContent,
} from '../filters/index.ts';
import { unreachedListener } from '../inner/index.ts';
import {
  type ChainKind,
  type ChainList,
  type EnvoyResource,
  guardsName,
  guardsSlot,
  namesSentFor,
  type Provenance,
  resourceOf,
  slotListsListenerName,
  slotListsName,
} from '../resource/index.ts';
import { translateGuards } from './guards.ts';
import { limitOrigins, limitsNamedIn, listsWithout } from './limit-origins.ts';
import { placesAtOf, translateTablePlaces } from './table-places.ts';

type Lists = ReadonlyMap<string, SlotList>;

/** What routes of a table use. */
export interface UsedSlots {
  /** Names of slots, also with items (slot-item.ts). */
  readonly names: ReadonlySet<string>;
  /** By such a name, each of the lists that routes call by it. */
  readonly lists: Lists;
}

/** What all routes of a table use. */
export interface SlotsOfTable extends UsedSlots {
  /** Those of `names` that routes of hosts use which meet `base`. */
  readonly inBase: ReadonlySet<string>;
}

/** Slots of a chain that may have lists. */
const listSlots = (kind: ChainKind): readonly Slot[] => slots.filter(({ chain, apart }) => chain === kind && apart);

/** By slot, the resource that has its lists; and by place, the one that has what the table has there. */
export const listsAtOf = (kind: ChainKind, table: string): ReadonlyMap<string, string> =>
  new Map([
    ...listSlots(kind).map(({ name }) => [name, slotListsName(name, table)] as const),
    ...placesAtOf(kind, table),
    ...(kind === 'access' ? [[guardsSlot, guardsName(table)] as const] : []),
  ]);

interface Parts {
  readonly slot: Slot;
  readonly table: TableContent & Pick<ir.RouteTable, 'id'>;
  /** Of this slot, by what routes use. */
  readonly lists: Lists;
}

/** ECDS: for each slot of a chain that may have lists, those that routes of the table use; and what the table itself has. */
export const translateBeside = (kind: ChainKind, table: Parts['table'], used: UsedSlots): readonly EnvoyResource[] => [
  ...listSlots(kind).map((slot) => slotLists({ slot, table, lists: listsIn(slot, used) })),
  ...translateTablePlaces(kind, table),
  ...(kind === 'access' ? [translateGuards(table)] : []),
];

const listsIn = (slot: Slot, { names, lists }: UsedSlots): Lists =>
  new Map(
    [...names].flatMap((use): [string, SlotList][] => {
      const list = isItem(slot, use) && (lists.get(use) ?? itemAlone(slot, use));
      return list ? [[use, list]] : [];
    }),
  );

function isItem({ name }: Slot, use: string): boolean {
  const [slot, item] = slotAndItem(use);
  return slot === name && item !== undefined;
}

/** An item of a slot that makes its lists of items. */
function itemAlone({ hasLists }: Slot, use: string): SlotList | undefined {
  if (hasLists) return undefined;
  const alone: SlotList = { digest: ir.digestOf({ use }), filters: [], buckets: [], without: () => alone };
  return alone;
}

function slotLists(parts: Parts): EnvoyResource {
  const { slot, table, lists } = parts;
  const name = slotListsName(slot.name, table.id);
  const byItem = new Map([...lists].map(([use, list]) => [slotAndItem(use)[1] ?? '', list]));
  const message = create(TypedExtensionConfigSchema, { name, typedConfig: listsContent(slot, table, byItem) });
  const provenance = provenanceOf(parts);
  const made: EnvoyResource = {
    ...resourceOf(typeUrls.extension, name, TypedExtensionConfigSchema, message),
    ...(provenance && { provenance }),
    slots: {
      names: new Set(lists.keys()),
      lists,
      own: new Map(),
      demands: new Map(),
      // A list that only an earlier control plane knew is none that a scope of this one names.
      with(more, _, theirs = new Map()) {
        const kept = [...more].flatMap((use): [string, ChainList][] => {
          const list = isItem(slot, use) && !lists.has(use) && (theirs.get(use) ?? itemAlone(slot, use));
          return list ? [[use, list]] : [];
        });
        return kept.length === 0 ? made : slotLists({ ...parts, lists: new Map([...lists, ...kept]) });
      },
      withAll: () => made,
      demandsIn: () => new Map(),
    },
  };
  return made;
}

function provenanceOf(parts: Parts): Provenance | undefined {
  const { slot, lists } = parts;
  if (![...lists.values()].some(({ buckets }) => buckets.length > 0)) return undefined;
  const limits = { kind: slot.chain, table: undefined, lists };
  return {
    origins: () => limitOrigins(limits),
    namedIn: (message) => limitsNamedIn(limits, message),
    without: (_name, keys) => slotLists({ ...parts, lists: listsWithout(lists, keys) }),
  };
}

/**
 * LDS: what begins the subscriptions to lists of slots. Envoy 1.40 begins none that a filter chain brings to a listener that is open already, and answers 500
 * where it lacks what a filter is to run.
 */
export const slotListsListener = (table: string, kinds: readonly ChainKind[]): EnvoyResource =>
  unreachedListener(
    slotListsListenerName(table),
    kinds
      .flatMap((kind) => [...listsAtOf(kind, table).values()].flatMap(namesSentFor))
      .map((name) => ({ name, configType: { case: 'configDiscovery', value: listsSource() } })),
  );
