import { SecretText } from '../secret-text.ts';
import { checkKeyPair, rejectKey } from './key-pair.ts';
import { flag, text } from './leaf.ts';

const path = (of: string) => text(`the path of a PEM file with ${of}`).optional();

/** By what a server that keeps data lets the control plane in, and by what it is known. `variable`: where its password may be. */
export const databaseLogin = (variable: string) => ({
  password: text(`a password, best written as "\${${variable}}"`)
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
});

interface Login {
  readonly password?: SecretText | undefined;
  readonly passwordFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

export function checkDatabaseLogin(
  { password, passwordFile, certFile, keyFile }: Login,
  context: Parameters<typeof rejectKey>[0],
): void {
  checkKeyPair({ certFile, keyFile }, context);
  if (password !== undefined && passwordFile !== undefined)
    rejectKey(context, 'passwordFile', 'one of password and passwordFile: remove the other');
}

/** Whether a text is a URL of a server with nothing in it that belongs elsewhere. `path`: what may be behind the host. */
export function isDatabaseUrl(value: string, protocols: readonly string[], path: RegExp): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(value);
  const isPlain = username === '' && password === '' && search === '' && hash === '';
  return protocols.includes(protocol) && hostname !== '' && isPlain && path.test(pathname);
}
