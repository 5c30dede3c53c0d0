import type { ClientBase } from 'pg';
import { tableNames, tables } from '../rows.ts';

/** Raised when tables change their shape. */
const version = 1;
/** Any number that no other program locks by. */
const lockClass = 748_293_011;

/** Dimensions may be longer together than an index takes, so the key is their digest. */
const counted = (schema: string) =>
  tableNames.map((table) => {
    const { dimensions, counts } = tables[table];
    const columns = [
      ...dimensions.map((name) => `"${name}" ${name === 'bucket' ? 'integer' : 'text'} NOT NULL`),
      ...counts.map((name) => `"${name}" bigint${name === 'cost' ? '' : ' NOT NULL'}`),
    ];
    return `CREATE TABLE ${schema}.${table} (at bigint, id bytea, ${columns.join(', ')}, PRIMARY KEY (at, id));`;
  });

const definitions = (schema: string): string => `
  CREATE TABLE ${schema}.version (version integer NOT NULL);
  INSERT INTO ${schema}.version VALUES (${version});
  CREATE TABLE ${schema}.seen (key bytea PRIMARY KEY, at bigint NOT NULL);
  CREATE INDEX ON ${schema}.seen (at);
  ${counted(schema).join('\n')}
  CREATE TABLE ${schema}.traces (id text PRIMARY KEY, at bigint NOT NULL, record text NOT NULL);
  CREATE INDEX ON ${schema}.traces (at);
  CREATE TABLE ${schema}.attempts (
    id text, service text, at double precision, record text NOT NULL, PRIMARY KEY (id, service, at));
  CREATE INDEX ON ${schema}.attempts (at);
  CREATE TABLE ${schema}.budgets (
    id bytea PRIMARY KEY, policy text NOT NULL, key text NOT NULL, per text NOT NULL, start bigint NOT NULL,
    tokens bigint NOT NULL, cost bigint NOT NULL, changed timestamptz NOT NULL);
  CREATE INDEX ON ${schema}.budgets (changed);`;

/**
 * Makes the tables where there are none. Replicas that start together make them once. Rejects where a newer release has made them, and where the
 * user may not; the connection may then be in the middle of a transaction.
 */
export async function ensureTables(client: ClientBase, schema: string): Promise<void> {
  const quoted = `"${schema}"`;
  if (!(await areThere(client, quoted))) await makeOnce(client, schema, quoted);
  await checkVersion(client, quoted);
}

async function areThere(client: ClientBase, quoted: string): Promise<boolean> {
  const { rows } = await client.query('SELECT to_regclass($1) IS NOT NULL AS there', [`${quoted}.version`]);
  return rows[0].there;
}

async function makeOnce(client: ClientBase, schema: string, quoted: string): Promise<void> {
  await client.query('BEGIN');
  await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [lockClass, schema]);
  if (!(await areThere(client, quoted)))
    await client.query(`${await createSchema(client, schema)}${definitions(quoted)}`);
  await client.query('COMMIT');
}

/** A user without the right to make schemas may use one that is there. */
async function createSchema(client: ClientBase, schema: string): Promise<string> {
  const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  return rowCount === 0 ? `CREATE SCHEMA "${schema}";` : '';
}

async function checkVersion(client: ClientBase, quoted: string): Promise<void> {
  const { rows } = await client.query(`SELECT version FROM ${quoted}.version`);
  if (rows[0]?.version !== version)
    throw new Error(
      `the tables in schema ${quoted} have version ${rows[0]?.version}, and this release knows ${version}: use another schema or a newer release`,
    );
}
