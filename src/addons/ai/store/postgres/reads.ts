import type { ClientBase } from 'pg';
import type {
  AiData,
  AiQuestion,
  AttemptTrace,
  BudgetRow,
  LatencyRow,
  RequestRow,
  Trace,
  UsageRow,
} from '../../data.ts';
import type { RequestRecord } from '../../records.ts';
import { type TableName, tables } from '../rows.ts';
import { floorTo, kept, minuteMs } from '../usage-store.ts';

/** Answers a question, within a transaction that sees one moment. */
export async function readAll(client: ClientBase, schema: string, question: AiQuestion): Promise<AiData> {
  const { from, to, stepMs, traces } = question;
  const times = [floorTo(from, minuteMs), to];
  const grouped = async <Row>(table: TableName): Promise<Row[]> => {
    const { dimensions, counts } = tables[table];
    const names = dimensions.map((name) => `"${name}"`).join(', ');
    const sums = counts.map((name) => `sum("${name}")::bigint AS "${name}"`).join(', ');
    const { rows } = await client.query(
      `SELECT at / $3::bigint * $3::bigint AS at, ${names}, ${sums} FROM "${schema}".${table}
       WHERE at >= $1 AND at < $2 GROUP BY 1, ${names} ORDER BY 1`,
      [...times, stepMs],
    );
    return rows;
  };
  return {
    requests: await grouped<RequestRow>('requests'),
    usage: await grouped<UsageRow>('usage'),
    latency: await latencyOf(client, schema, times),
    traces: traces > 0 ? await tracesOf(client, schema, traces) : [],
    strays: traces > 0 ? await straysOf(client, schema, traces) : [],
    budgets: await budgetsSince(client, schema, to - kept.hoursMs),
  };
}

/** Budgets whose windows began then or later. `changedAfter`: only those that changed since, in milliseconds. */
export async function budgetsSince(
  client: ClientBase,
  schema: string,
  from: number,
  changedAfter = 0,
): Promise<BudgetRow[]> {
  const { rows } = await client.query(
    `SELECT policy, key, per, start, tokens, cost FROM "${schema}".budgets
     WHERE start >= $1 AND changed >= to_timestamp($2::double precision / 1000)`,
    [from, changedAfter],
  );
  return rows;
}

/** The server's clock, in milliseconds. */
export async function clockOf(client: ClientBase): Promise<number> {
  const { rows } = await client.query('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now');
  return rows[0].now;
}

async function latencyOf(client: ClientBase, schema: string, times: readonly number[]): Promise<LatencyRow[]> {
  const { rows } = await client.query(
    `SELECT kind, subject, bucket, sum(count)::bigint AS count FROM "${schema}".latency
     WHERE at >= $1 AND at < $2 GROUP BY 1, 2, 3`,
    [...times],
  );
  return rows;
}

async function tracesOf(client: ClientBase, schema: string, limit: number): Promise<Trace[]> {
  const requests = await client.query(
    `SELECT id, record FROM "${schema}".traces ORDER BY at DESC, id COLLATE "C" LIMIT $1`,
    [limit],
  );
  const attempts = await client.query(
    `SELECT id, record FROM "${schema}".attempts WHERE id = ANY($1::text[]) ORDER BY at`,
    [requests.rows.map(({ id }) => id)],
  );
  const byId = Map.groupBy(attempts.rows as readonly { id: string; record: string }[], ({ id }) => id);
  return requests.rows.map(({ id, record }: { id: string; record: string }) => ({
    request: JSON.parse(record) as RequestRecord,
    attempts: (byId.get(id) ?? []).map((attempt) => JSON.parse(attempt.record) as AttemptTrace),
  }));
}

async function straysOf(client: ClientBase, schema: string, limit: number): Promise<AttemptTrace[]> {
  const { rows } = await client.query(
    `SELECT record FROM "${schema}".attempts AS attempt
     WHERE NOT EXISTS (SELECT FROM "${schema}".traces WHERE id = attempt.id) ORDER BY at DESC LIMIT $1`,
    [limit],
  );
  return rows.map(({ record }) => JSON.parse(record) as AttemptTrace);
}
