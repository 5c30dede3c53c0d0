import * as ir from '../../ir/index.ts';
import { bucketsWithout, limitChain, limitType, type SlotList } from '../filters/index.ts';
import type { ChainKind, Origin } from '../resource/index.ts';

type Lists = ReadonlyMap<string, SlotList>;

/** What of the limits of a table, and of its routes, a chain may have. */
interface Limits {
  readonly kind: ChainKind;
  readonly table: ir.TableLimits | undefined;
  readonly lists: Lists;
}

const bucketsIn = ({ kind, table, lists }: Limits): readonly ir.LimitBucket[] => [
  ...(table?.levels ?? []).flatMap(({ buckets }) => buckets.filter(({ phase }) => limitChain(phase) === kind)),
  ...[...lists.values()].flatMap(({ buckets }) => buckets),
];

/** The buckets in a chain. One is the same wherever its policy is for something. */
export const limitOrigins = (limits: Limits): readonly Origin[] =>
  [...new Map(bucketsIn(limits).map((bucket) => [bucket.id, bucket]))].map(([key, bucket]) => ({
    kind: 'limit',
    key,
    digest: ir.digestOf(bucket),
  }));

/** Those that Envoy's words speak of: they begin with the type of a filter. Where several have it, all of them are meant. */
export const limitsNamedIn = (limits: Limits, message: string): readonly string[] => [
  ...new Set(
    bucketsIn(limits).flatMap((bucket) => (message.includes(`(${limitType(bucket)}ValidationError`) ? bucket.id : [])),
  ),
];

/** A table without the buckets: they are left out, as those are that their policy has wrong. */
export function limitsWithout(table: ir.TableLimits | undefined, ids: ReadonlySet<string>): ir.TableLimits | undefined {
  if (!table?.levels.some(({ buckets }) => buckets.some(({ id }) => ids.has(id)))) return table;
  const levels = table.levels.map((level) => ({ ...level, buckets: bucketsWithout(level.buckets, ids) }));
  return { ...table, levels: levels.filter(({ buckets }) => buckets.length > 0) };
}

export const listsWithout = (lists: Lists, ids: ReadonlySet<string>): Lists =>
  new Map([...lists].map(([use, list]) => [use, list.without(ids)]));
