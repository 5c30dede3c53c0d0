import type { ClientBase } from 'pg';
import type { BudgetRow } from '../../data.ts';
import { type Addition, attemptAdditions, requestAdditions, type TableName, tableNames, tables } from '../rows.ts';
import type { Entry } from '../usage-store.ts';
import { digestOf, storable } from './digest.ts';

/** Rows of a table: a type and the values of each column. */
type Columns = Readonly<Record<string, readonly [type: string, values: readonly unknown[]]>>;

/** `INSERT` of whole columns, whatever the number of rows. `rest`: what follows, such as `ON CONFLICT …`. */
async function insert(client: ClientBase, table: string, columns: Columns, rest: string) {
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const types = Object.values(columns).map(([type], index) => `$${index + 1}::${type}[]`);
  const sql = `INSERT INTO ${table} (${names.join(', ')}) SELECT * FROM unnest(${types.join(', ')}) ${rest}`;
  return client.query(
    sql,
    Object.values(columns).map(([, values]) => values),
  );
}

/** Those entries that were never kept before, which are remembered from now on. The same one twice is new once. */
export async function newOf(
  client: ClientBase,
  schema: string,
  entries: readonly Entry[],
  now: number,
): Promise<readonly Entry[]> {
  const byKey = new Map(entries.map((entry) => [digestOf(entry.seenKey).toString('hex'), entry]));
  // Replicas that get the same entries lock them in the same order.
  const keys = [...byKey.keys()].sort();
  const columns: Columns = {
    key: ['bytea', keys.map((key) => Buffer.from(key, 'hex'))],
    at: ['bigint', keys.map(() => now)],
  };
  const { rows } = await insert(client, `"${schema}".seen`, columns, 'ON CONFLICT DO NOTHING RETURNING key');
  const fresh = new Set(rows.map(({ key }: { key: Buffer }) => byKey.get(key.toString('hex'))));
  return entries.filter((entry) => fresh.has(entry));
}

/** Adds what the entries say to all sums, and keeps them as traces. Gives the budgets that they count for, with what all replicas used. */
export async function addEntries(
  client: ClientBase,
  schema: string,
  entries: readonly Entry[],
): Promise<readonly BudgetRow[]> {
  const additions = entries.flatMap(({ record, key }) =>
    record.kind === 'request' ? requestAdditions(record) : attemptAdditions(record, key),
  );
  for (const table of tableNames)
    await addAll(
      client,
      schema,
      table,
      additions.filter((addition) => addition.table === table),
    );
  await addTraces(client, schema, entries);
  return addBudgets(
    client,
    schema,
    entries.flatMap(({ budgets }) => budgets),
  );
}

type Values = Addition['values'];

/** Adds rows to the sums of one table. */
async function addAll(
  client: ClientBase,
  schema: string,
  table: TableName,
  additions: readonly Addition[],
): Promise<void> {
  const { dimensions, counts } = tables[table];
  const sums = new Map<string, { readonly id: Buffer; readonly values: Values }>();
  for (const { values } of additions) {
    const clean = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? storable(value) : value]),
    ) as Values;
    const id = digestOf(...dimensions.map((name) => clean[name]));
    const key = `${values.at} ${id.toString('hex')}`;
    const known = sums.get(key)?.values;
    sums.set(key, { id, values: known ? added(known, clean, counts) : clean });
  }
  if (sums.size === 0) return;
  const rows = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  const column = (name: string) => rows.map(({ values }) => values[name] ?? null);
  const columns: Columns = {
    at: ['bigint', column('at')],
    id: ['bytea', rows.map(({ id }) => id)],
    ...Object.fromEntries(
      dimensions.map((name) => [name, [name === 'bucket' ? 'integer' : 'text', column(name)]] as const),
    ),
    ...Object.fromEntries(counts.map((name) => [name, ['bigint', column(name)]] as const)),
  };
  await insert(client, `"${schema}".${table} AS kept`, columns, addingUp(counts));
}

/** What follows an `INSERT INTO … AS kept` into a table of sums. */
export const addingUp = (counts: readonly string[]): string =>
  `ON CONFLICT (at, id) DO UPDATE SET ${counts.map(adding).join(', ')}`;

/** Usage without a known cost leaves the cost as it is. */
const adding = (name: string): string =>
  name === 'cost'
    ? 'cost = coalesce(kept.cost + excluded.cost, kept.cost, excluded.cost)'
    : `"${name}" = kept."${name}" + excluded."${name}"`;

function added(a: Values, b: Values, counts: readonly string[]): Values {
  const sum = (name: string) => (a[name] === null ? b[name] : Number(a[name]) + Number(b[name] ?? 0));
  return { ...a, ...Object.fromEntries(counts.map((name) => [name, sum(name) ?? null])) };
}

async function addTraces(client: ClientBase, schema: string, entries: readonly Entry[]): Promise<void> {
  const records = new Map(
    entries.map(({ record }) => {
      const service = record.kind === 'attempt' ? storable(record.service) : '';
      const row = { id: storable(record.id), service, at: record.at, record: JSON.stringify(record) };
      return [JSON.stringify([record.kind, row.id, service, service && row.at]), { kind: record.kind, row }] as const;
    }),
  );
  const rowsOf = (kind: string) =>
    [...records].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, { kind: own, row }]) => (own === kind ? [row] : []));
  const [traces, attempts] = [rowsOf('request'), rowsOf('attempt')];
  const text = (values: readonly string[]) => ['text', values] as const;
  if (traces.length > 0)
    await insert(
      client,
      `"${schema}".traces`,
      {
        id: text(traces.map(({ id }) => id)),
        at: ['bigint', traces.map(({ at }) => Math.round(at))],
        record: text(traces.map(({ record }) => record)),
      },
      'ON CONFLICT (id) DO UPDATE SET at = excluded.at, record = excluded.record',
    );
  if (attempts.length > 0)
    await insert(
      client,
      `"${schema}".attempts`,
      {
        id: text(attempts.map(({ id }) => id)),
        service: text(attempts.map(({ service }) => service)),
        at: ['double precision', attempts.map(({ at }) => at)],
        record: text(attempts.map(({ record }) => record)),
      },
      'ON CONFLICT (id, service, at) DO UPDATE SET record = excluded.record',
    );
}

async function addBudgets(
  client: ClientBase,
  schema: string,
  rows: readonly BudgetRow[],
): Promise<readonly BudgetRow[]> {
  const sums = new Map<string, BudgetRow & { readonly id: Buffer }>();
  for (const row of rows) {
    const { policy, key, per, start } = row;
    const id = digestOf(policy, key, per, start);
    const known = sums.get(id.toString('hex'));
    const [tokens, cost] = [row.tokens + (known?.tokens ?? 0), row.cost + (known?.cost ?? 0)];
    sums.set(id.toString('hex'), { policy: storable(policy), key: storable(key), per, start, tokens, cost, id });
  }
  if (sums.size === 0) return [];
  const sorted = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  const column = <Name extends keyof BudgetRow>(name: Name) => sorted.map((row) => row[name]);
  const columns: Columns = {
    id: ['bytea', sorted.map(({ id }) => id)],
    policy: ['text', column('policy')],
    key: ['text', column('key')],
    per: ['text', column('per')],
    start: ['bigint', column('start')],
    tokens: ['bigint', column('tokens')],
    cost: ['bigint', column('cost')],
    changed: ['timestamptz', sorted.map(() => 'now')],
  };
  const result = await insert(
    client,
    `"${schema}".budgets AS kept`,
    columns,
    `ON CONFLICT (id) DO UPDATE SET tokens = kept.tokens + excluded.tokens, cost = kept.cost + excluded.cost,
       changed = clock_timestamp() RETURNING policy, key, per, start, tokens, cost`,
  );
  return result.rows;
}
