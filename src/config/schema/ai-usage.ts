import * as z from 'zod';
import { checkDatabaseLogin, databaseLogin, isDatabaseUrl } from './database-login.ts';
import { rejectKey } from './key-pair.ts';
import { flag, text } from './leaf.ts';

const urlError = 'a URL such as "postgres://postgres.infra.svc:5432/gatewright", with no user or password in it';
const schemaError = 'a name of small letters, digits and _, of at most 63';

const isDatabase = (value: string): boolean => isDatabaseUrl(value, ['postgres:', 'postgresql:'], /^\/[^/]+$/);

const postgres = z
  .strictObject({
    url: z
      .string({ error: urlError })
      .refine(isDatabase, { error: urlError })
      .describe('Server and database: `postgres://HOST:PORT/DATABASE`.'),
    username: text('a user of the server').default('gatewright').describe('Its user.'),
    tls: flag()
      .prefault(true)
      .describe('Whether connections use TLS. Without it, the network between can read and change them.'),
    ...databaseLogin('POSTGRES_PASSWORD'),
    schema: z
      .string({ error: schemaError })
      .regex(/^[a-z_][a-z0-9_]{0,62}$/, { error: schemaError })
      .default('gatewright')
      .describe(
        'Schema that holds the tables, made if it is not there. Control planes with the same one count together: each of several clusters can have one of its own.',
      ),
  })
  .superRefine((value, context) => {
    checkDatabaseLogin(value, context);
    const tlsKey = value.caFile !== undefined ? 'caFile' : value.certFile !== undefined ? 'certFile' : undefined;
    if (tlsKey !== undefined && !value.tls) rejectKey(context, tlsKey, 'no tls: false beside it');
  });

/** Where usage of AI services is kept. */
export const aiUsage = z
  .strictObject({
    postgres: postgres
      .optional()
      .describe(
        'A PostgreSQL 13 or newer that all replicas keep it in. Default: each has a file in `state.directory`.',
      ),
  })
  .prefault({})
  .describe('Usage of AI services: [ai.md](ai.md#postgresql).');
