/** What errors of servers, and of connections to them, mean for those who configured them. */
const hints: readonly (readonly [words: RegExp, hint: string])[] = [
  [/password authentication|no password supplied|SASL/i, 'set aiUsage.postgres.username and passwordFile'],
  [/does not support SSL/, 'let the server use TLS; tls: false only where the network between is trusted'],
  [/no pg_hba.conf entry.*no encryption/, 'the server wants TLS: remove tls: false of aiUsage.postgres'],
  [/certificate|self.signed|altnames/i, 'its certificate is not trusted: set aiUsage.postgres.caFile, or serverName'],
  [
    /permission denied for database/,
    'give the user the right to create a schema, or make aiUsage.postgres.schema for it',
  ],
  [/permission denied/, 'let the user own the schema of aiUsage.postgres'],
  [/read-only transaction/, 'it is a standby, which cannot be written: name the primary in aiUsage.postgres.url'],
  [/database ".*" does not exist/, 'create the database, or name another one in aiUsage.postgres.url'],
];

/** Why the server is of no use, in words for a log. */
export function hintOf(error: Error, { host }: URL): string {
  // Where a name has several addresses, each has an error of its own.
  const { message, errors: [first] = [] } = error as Partial<AggregateError>;
  const text = message || String(first?.message ?? error.name);
  const hint = hints.find(([words]) => words.test(text))?.[1];
  return `${host}: ${text.slice(0, 300)}${hint === undefined ? '' : `; ${hint}`}`;
}
