import * as z from 'zod';
import { SecretText } from '../secret-text.ts';
import { checkKeyPair, rejectKey } from './key-pair.ts';
import { flag, text } from './leaf.ts';

const urlError = 'a URL such as "rediss://valkey.infra.svc:6379", with no user or password in it';

function isServer(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(value);
  const isPlain = username === '' && password === '' && search === '' && hash === '';
  return ['redis:', 'rediss:'].includes(protocol) && hostname !== '' && isPlain && /^(\/\d{0,4})?$/.test(pathname);
}

const path = (of: string) => text(`the path of a PEM file with ${of}`).optional();

const valkey = z
  .strictObject({
    url: z
      .string({ error: urlError })
      .refine(isServer, { error: urlError })
      .describe(
        'The server: `redis://HOST:PORT`, or `rediss://` for TLS; a number behind it names a database, such as `/1`.',
      ),
    username: text('a user of the server').optional().describe('Its user. Default: the server’s default user.'),
    password: text(`a password, best written as "\${VALKEY_PASSWORD}"`)
      .transform((value) => new SecretText(value))
      .meta({ type: 'string' })
      .optional()
      .describe('The user’s password. Use an environment variable here, or the file.'),
    passwordFile: text('the path of a file that holds the password')
      .optional()
      .describe('A file that holds the password, such as a mounted Secret; read again for each connection.'),
    caFile: path('certificates of authorities').describe(
      'Authorities of its certificate in PEM. Default: those of the system.',
    ),
    serverName: text('a host name').optional().describe('Name in its certificate, if it is not the URL’s host.'),
    certFile: path('a certificate').describe('A certificate for the server, in PEM (mutual TLS).'),
    keyFile: path('a private key').describe('The private key of `certFile`.'),
    insecureSkipVerify: flag().prefault(false).describe('Accepts any certificate.'),
    keyPrefix: text('a text such as "gatewright:"')
      .max(64, { error: 'a text of at most 64 characters' })
      .default('gatewright:')
      .describe(
        'What all keys begin with. Control planes with the same one count together: each of several clusters can have one of its own.',
      ),
  })
  .superRefine(({ password, passwordFile, url, caFile, certFile, keyFile }, context) => {
    checkKeyPair({ certFile, keyFile }, context);
    if (password !== undefined && passwordFile !== undefined)
      rejectKey(context, 'passwordFile', 'one of password and passwordFile: remove the other');
    const tlsKey = caFile !== undefined ? 'caFile' : certFile !== undefined ? 'certFile' : undefined;
    if (tlsKey !== undefined && url.startsWith('redis:'))
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
