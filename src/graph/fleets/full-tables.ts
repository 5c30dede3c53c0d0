import * as ir from '../../ir/index.ts';
import type { FullListener, ResolvedListener, TableShape } from '../model/index.ts';

/** By id of the table: parts for which requests wait at every level of it. */
export type FullTables = ReadonlyMap<string, readonly ir.AccessPart[]>;

/**
 * Proxies have places for three filters of a part in which requests wait, one for each level of a table. One more is needed while a demand moves between the
 * table and its routes, and has none where all levels have such a demand (docs/adr/0013-filter-chains.md).
 */
export const fullTablesOf = (tables: Iterable<TableShape>): FullTables =>
  new Map(
    [...tables].flatMap(({ id, access }) => {
      const parts = access ? fullPartsOf(access) : [];
      return parts.length > 0 ? [[id, parts] as const] : [];
    }),
  );

const fullPartsOf = ({ demands }: ir.TableGuards): readonly ir.AccessPart[] =>
  ir.waitingParts.filter((part) =>
    ir.tableLevels.every((level) => demands.some((demand) => demand.level === level && ir.partWaits(part, demand))),
  );

/** Which of some listeners have their routes in such a table. */
export const fullListenersOf = (listeners: readonly ResolvedListener[], tables: FullTables): readonly FullListener[] =>
  listeners.flatMap(({ owner, name, port, table }) => {
    const parts = table === undefined ? undefined : tables.get(table);
    return parts ? [{ owner, name, port, parts }] : [];
  });
