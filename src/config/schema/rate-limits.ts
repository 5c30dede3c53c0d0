import * as z from 'zod';
import { checkDatabaseLogin, databaseLogin, isDatabaseUrl } from './database-login.ts';
import { rejectKey } from './key-pair.ts';
import { text } from './leaf.ts';

const urlError = 'a URL such as "rediss://valkey.infra.svc:6379", with no user or password in it';

const isServer = (value: string): boolean => isDatabaseUrl(value, ['redis:', 'rediss:'], /^(\/\d{0,4})?$/);

const valkey = z
  .strictObject({
    url: z
      .string({ error: urlError })
      .refine(isServer, { error: urlError })
      .describe(
        'The server: `redis://HOST:PORT`, or `rediss://` for TLS; a number behind it names a database, such as `/1`.',
      ),
    username: text('a user of the server').optional().describe('Its user. Default: the server’s default user.'),
    ...databaseLogin('VALKEY_PASSWORD'),
    keyPrefix: text('a text such as "gatewright:"')
      .max(64, { error: 'a text of at most 64 characters' })
      .default('gatewright:')
      .describe(
        'What all keys begin with. Control planes with the same one count together: each of several clusters can have one of its own.',
      ),
  })
  .superRefine((value, context) => {
    checkDatabaseLogin(value, context);
    const tlsKey = value.caFile !== undefined ? 'caFile' : value.certFile !== undefined ? 'certFile' : undefined;
    if (tlsKey !== undefined && value.url.startsWith('redis:'))
      rejectKey(context, tlsKey, 'a url that begins with rediss:// beside it, for TLS');
  });

/** Where rate limits are kept that proxies share. */
export const rateLimits = z
  .strictObject({
    valkey: valkey
      .optional()
      .describe('A Valkey 7.2, Redis 7.0, or newer, that keeps the buckets. Default: control planes keep them.'),
  })
  .prefault({})
  .describe('Rate limits that proxies share (`counting: Shared`): [rate-limits.md](rate-limits.md#valkey-or-redis).');
