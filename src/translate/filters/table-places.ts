import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { CompositeSchema, packAny, SetFilterStateSchema } from '../../envoy/index.ts';
import type { ChainKind } from '../resource/index.ts';
import {
  emptySlot,
  type Matcher,
  type NamedFilter,
  type Slot,
  stepOfChain,
  type TableContent,
  type TableFilter,
} from './slot.ts';
import { hasOwn, keepText, ownKey, runIf, runsList } from './slot-lists.ts';

/*
 * Where requests wait in a chain, it stays as it is (steady.ts), and what a table itself has of limits and traffic is beside it: one resource for each place,
 * which is there always. So a request that has waited in front meets the newest. At the head of the chain, another resource says which places
 * have anything: to find out at each of them would cost a request three times as much.
 */

/** A place of a chain in which requests wait, whose content a table has in a resource. */
export interface TablePlace {
  /** In the chain: also that of the slot, whose routes so have something else in its place. */
  readonly name: string;
  readonly chain: ChainKind;
  /** The table with nothing but what the place is made from. */
  readonly only: (table: TableContent) => TableContent;
  /** What the resource has, of such a table. */
  readonly contentOf: (table: TableContent) => Any;
  /** Whether that is anything. */
  readonly isFilled: (table: TableContent) => boolean;
  /** What the chain has in the place. */
  readonly inChain: (resource: string) => Any;
}

/** Undefined: all that the step has is in the chain. */
export const tablePlaceOf = (step: Slot | TableFilter): TablePlace | undefined =>
  'name' in step ? placeOfSlot(step) : placeOfFilter(step);

function placeOfSlot({ name, chain, ofTable, filter, isFilledBy }: Slot): TablePlace | undefined {
  if (!ofTable) return undefined;
  const { only, withMatcher = composite } = ofTable;
  return {
    name,
    chain,
    only,
    contentOf: (table) => filter(table, [], new Map()),
    isFilled: (table) => isFilledBy?.(table) ?? false,
    inChain: (resource) => withMatcher(runIf(hasOwn(name), resource)),
  };
}

function placeOfFilter({ chain, apart, filterOf }: TableFilter): TablePlace | undefined {
  if (!apart) return undefined;
  const { name, only } = apart;
  const own = (table: TableContent) => filterOf(only(table), new Set(), true)?.filter;
  return {
    name,
    chain,
    only,
    contentOf: (table) => own(table) ?? emptySlot(),
    isFilled: (table) => own(table) !== undefined,
    inChain: (resource) => composite(runIf(hasOwn(name), resource)),
  };
}

const composite = (matcher: Matcher): Any => packAny(CompositeSchema, create(CompositeSchema, { matcher }));

/** The place at the head of a chain whose resource says which places have anything. */
export const headName = (chain: ChainKind): string => `gatewright.own.${chain}`;

/** What stands there. */
export const headInChain = (chain: ChainKind, resource: string): NamedFilter => ({
  name: headName(chain),
  typedConfig: composite(runsList(resource)),
});

/** What the resource has, by the names of these places. */
export const headContent = (names: readonly string[]): Any =>
  names.length === 0
    ? emptySlot()
    : stepOfChain(
        'own',
        packAny(
          SetFilterStateSchema,
          create(SetFilterStateSchema, { onRequestHeaders: names.map((name) => keepText(ownKey(name), 'y')) }),
        ),
      );
