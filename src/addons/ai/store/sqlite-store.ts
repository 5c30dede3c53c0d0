import { chmodSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { AiData, AiQuestion, AttemptTrace, BudgetRow, LatencyRow, RequestRow, Trace, UsageRow } from '../data.ts';
import type { RequestRecord } from '../records.ts';
import { type Addition, attemptAdditions, requestAdditions, type TableName, tableNames, tables } from './rows.ts';
import { floorTo, hourMs, kept, minuteMs } from './usage-store.ts';

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS seen (key TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS requests (
    at INTEGER, route TEXT, model TEXT,
    requests INTEGER, failed INTEGER, limited INTEGER, fallback INTEGER, durationMs INTEGER,
    PRIMARY KEY (at, route, model)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS usage (
    at INTEGER, route TEXT, service TEXT, model TEXT, responseModel TEXT, key TEXT,
    requests INTEGER, errors INTEGER, unmetered INTEGER,
    input INTEGER, output INTEGER, cached INTEGER, cacheWrite INTEGER, reasoning INTEGER,
    cost INTEGER, unpricedRequests INTEGER, unpricedTokens INTEGER,
    PRIMARY KEY (at, route, service, model, responseModel, key)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS latency (
    at INTEGER, kind TEXT, subject TEXT, bucket INTEGER, count INTEGER,
    PRIMARY KEY (at, kind, subject, bucket)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS traces (id TEXT PRIMARY KEY, at INTEGER NOT NULL, record TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS traces_at ON traces (at);
  CREATE TABLE IF NOT EXISTS attempts (
    id TEXT, service TEXT, at INTEGER NOT NULL, record TEXT NOT NULL, PRIMARY KEY (id, service, at)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS attempts_at ON attempts (at);
  CREATE TABLE IF NOT EXISTS budgets (
    policy TEXT, key TEXT, per TEXT, start INTEGER, tokens INTEGER, cost INTEGER,
    PRIMARY KEY (policy, key, per, start)) WITHOUT ROWID;
`;

/** Adds to the stored sums. Usage without a known cost leaves the stored cost unchanged. */
const adding = Object.fromEntries(tableNames.map((table) => [table, addingTo(table)])) as Record<TableName, string>;

function addingTo(table: TableName): string {
  const { dimensions, counts } = tables[table];
  const columns = [...dimensions, ...counts];
  const sums = counts.map((name) =>
    name === 'cost'
      ? 'cost = coalesce(cost + excluded.cost, cost, excluded.cost)'
      : `${name} = ${name} + excluded.${name}`,
  );
  return `
  INSERT INTO ${table} (at, ${columns.join(', ')})
  VALUES (:at, ${columns.map((name) => `:${name}`).join(', ')})
  ON CONFLICT DO UPDATE SET ${sums.join(', ')}`;
}

/**
 * Usage in one SQLite file: minutes for two days, hours for a month, and the newest traces. A report that arrives twice counts once. One
 * process uses the file; without a file, the data lasts as long as the process.
 */
export class SqliteStore {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** `file` is made for its owner alone. Throws when it cannot be opened. */
  constructor(file: string | undefined) {
    this.#db = new DatabaseSync(file ?? ':memory:');
    if (file !== undefined) chmodSync(file, 0o600);
    this.#db.exec(schema);
  }

  /** Does all of it, or nothing. */
  together(work: () => void): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#db.exec('COMMIT');
    } catch (error) {
      // A disk that is full ends the transaction by itself.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  /** Whether this report was seen before; it is remembered from now on. */
  isKnown(key: string, now: number): boolean {
    return this.#run('INSERT OR IGNORE INTO seen (key, at) VALUES (:key, :at)', { key, at: now }) === 0;
  }

  addRequest(record: RequestRecord): void {
    this.#add(requestAdditions(record));
    this.#run('INSERT OR REPLACE INTO traces (id, at, record) VALUES (:id, :at, :record)', {
      id: record.id,
      at: record.at,
      record: JSON.stringify(record),
    });
  }

  /** `key`: see `Entry`. */
  addAttempt(record: AttemptTrace, key: string): void {
    this.#add(attemptAdditions(record, key));
    this.#run('INSERT OR REPLACE INTO attempts (id, service, at, record) VALUES (:id, :service, :at, :record)', {
      id: record.id,
      service: record.service,
      at: record.at,
      record: JSON.stringify(record),
    });
  }

  addBudget({ policy, key, per, start, tokens, cost }: BudgetRow): void {
    this.#run(
      `INSERT INTO budgets (policy, key, per, start, tokens, cost) VALUES (:policy, :key, :per, :start, :tokens, :cost)
       ON CONFLICT DO UPDATE SET tokens = tokens + excluded.tokens, cost = cost + excluded.cost`,
      { policy, key, per, start, tokens, cost },
    );
  }

  /** What was used of a budget in the window that began then. */
  budget(policy: string, key: string, per: string, start: number): { readonly tokens: number; readonly cost: number } {
    const found = this.#all(
      'SELECT tokens, cost FROM budgets WHERE policy = :policy AND key = :key AND per = :per AND start = :start',
      { policy, key, per, start },
    ) as { tokens: number; cost: number }[];
    return found[0] ?? { tokens: 0, cost: 0 };
  }

  read({ from, to, stepMs, traces }: AiQuestion): AiData {
    const times = { from: floorTo(from, minuteMs), to };
    const sums = (counts: readonly string[]) => counts.map((name) => `sum(${name}) AS ${name}`).join(', ');
    const grouped = (table: TableName) => {
      const { dimensions, counts } = tables[table];
      return this.#all(
        `SELECT at / :step * :step AS at, ${dimensions.join(', ')}, ${sums(counts)} FROM ${table}
         WHERE at >= :from AND at < :to GROUP BY 1, ${dimensions.join(', ')} ORDER BY 1`.replaceAll(
          ':step',
          String(stepMs),
        ),
        times,
      );
    };
    return {
      requests: grouped('requests') as unknown as RequestRow[],
      usage: grouped('usage') as unknown as UsageRow[],
      latency: this.#all(
        `SELECT kind, subject, bucket, sum(count) AS count FROM latency WHERE at >= :from AND at < :to GROUP BY 1, 2, 3`,
        times,
      ) as unknown as LatencyRow[],
      traces: traces > 0 ? this.#traces(traces) : [],
      strays: traces > 0 ? this.#strays(traces) : [],
      budgets: this.#all('SELECT * FROM budgets WHERE start >= :from', {
        from: to - kept.hoursMs,
      }) as unknown as BudgetRow[],
    };
  }

  /** Forgets what is old. */
  prune(now: number): void {
    this.together(() => {
      this.#run('DELETE FROM seen WHERE at < :before', { before: now - kept.seenMs });
      for (const table of tableNames) {
        const before = floorTo(now - kept.minutesMs, hourMs);
        const rows = this.#all(`SELECT * FROM ${table} WHERE at < :before AND at % ${hourMs} != 0`, { before });
        this.#run(`DELETE FROM ${table} WHERE at < :before AND at % ${hourMs} != 0`, { before });
        for (const row of rows) this.#run(adding[table], { ...row, at: floorTo(Number(row.at), hourMs) });
        this.#run(`DELETE FROM ${table} WHERE at < :before`, { before: now - kept.hoursMs });
      }
      this.#run('DELETE FROM budgets WHERE start < :before', { before: now - kept.hoursMs });
    });
    this.pruneTraces();
  }

  pruneTraces(): void {
    const oldest = this.#all('SELECT at FROM traces ORDER BY at DESC LIMIT 1 OFFSET :kept', { kept: kept.traces });
    const before = oldest[0]?.at;
    if (before === undefined || before === null) return;
    this.#run('DELETE FROM traces WHERE at <= :before', { before });
    this.#run('DELETE FROM attempts WHERE at <= :before', { before });
  }

  close(): void {
    this.#db.close();
  }

  #traces(limit: number): Trace[] {
    const rows = this.#all('SELECT id, record FROM traces ORDER BY at DESC, id LIMIT :limit', { limit });
    return rows.map(({ id, record }) => ({
      request: JSON.parse(String(record)) as RequestRecord,
      attempts: this.#all('SELECT record FROM attempts WHERE id = :id ORDER BY at', { id: String(id) }).map(
        (row) => JSON.parse(String(row.record)) as AttemptTrace,
      ),
    }));
  }

  #strays(limit: number): AttemptTrace[] {
    const sql = 'SELECT record FROM attempts WHERE id NOT IN (SELECT id FROM traces) ORDER BY at DESC LIMIT :limit';
    return this.#all(sql, { limit }).map(({ record }) => JSON.parse(String(record)) as AttemptTrace);
  }

  #add(additions: readonly Addition[]): void {
    for (const { table, values } of additions) this.#run(adding[table], values);
  }

  #run(sql: string, values: Record<string, SQLInputValue>): number {
    return Number(this.#prepared(sql).run(values).changes);
  }

  #all(sql: string, values: Record<string, SQLInputValue>): Record<string, SQLInputValue>[] {
    return this.#prepared(sql).all(values) as Record<string, SQLInputValue>[];
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}
