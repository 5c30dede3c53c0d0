import type { ClientBase } from 'pg';
import { tableNames, tables } from '../rows.ts';
import { floorTo, hourMs, kept } from '../usage-store.ts';
import { addingUp } from './writes.ts';

/** Any number that no other program locks by. */
const lockClass = 748_293_012;

/** Makes hours of old minutes, and forgets what is older than that. One replica does it at a time. */
export async function pruneAll(client: ClientBase, schema: string, now: number): Promise<void> {
  const { rows } = await client.query('SELECT pg_try_advisory_xact_lock($1, hashtext($2)) AS mine', [
    lockClass,
    schema,
  ]);
  if (!rows[0].mine) return;
  await client.query(`DELETE FROM "${schema}".seen WHERE at < $1`, [now - kept.seenMs]);
  for (const table of tableNames) {
    await client.query(hoursOf(schema, table), [floorTo(now - kept.minutesMs, hourMs)]);
    await client.query(`DELETE FROM "${schema}".${table} WHERE at < $1`, [now - kept.hoursMs]);
  }
  await client.query(`DELETE FROM "${schema}".budgets WHERE start < $1`, [now - kept.hoursMs]);
}

function hoursOf(schema: string, table: (typeof tableNames)[number]): string {
  const { dimensions, counts } = tables[table];
  const names = dimensions.map((name) => `"${name}"`).join(', ');
  const columns = counts.map((name) => `"${name}"`).join(', ');
  const sums = counts.map((name) => `sum("${name}")::bigint`).join(', ');
  return `
    WITH minutes AS (
      DELETE FROM "${schema}".${table} WHERE at < $1 AND at % ${hourMs} != 0 RETURNING *)
    INSERT INTO "${schema}".${table} AS kept (at, id, ${names}, ${columns})
    SELECT at / ${hourMs} * ${hourMs}, id, ${names}, ${sums} FROM minutes GROUP BY 1, id, ${names}
    ${addingUp(counts)}`;
}

/** Forgets all but the newest traces. */
export async function pruneOldTraces(client: ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query(`SELECT at FROM "${schema}".traces ORDER BY at DESC LIMIT 1 OFFSET $1`, [
    kept.traces,
  ]);
  const before = rows[0]?.at;
  if (before === undefined) return;
  await client.query(`DELETE FROM "${schema}".traces WHERE at <= $1`, [before]);
  await client.query(`DELETE FROM "${schema}".attempts WHERE at <= $1`, [before]);
}
