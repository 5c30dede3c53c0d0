import type { Authorizations } from '../authorization.ts';
import { SecretText } from '../secret-text.ts';
import { flag, text } from './leaf.ts';

/** What differs between servers, in the words of their descriptions. */
export interface ServerWords {
  /** Of the environment that may hold the header, as an example. */
  readonly variable: string;
  /** What the header is for: `The Authorization header of …`. */
  readonly header: string;
  /** When a file with it is read: `read again …`. */
  readonly readAgain: string;
}

/** The credential for a server, and how its certificate is verified. */
export const serverAccess = ({ variable, header, readAgain }: ServerWords) => ({
  authorization: text(`an Authorization header, best written as "\${${variable}}"`)
    .transform((value) => new SecretText(value))
    .meta({ type: 'string' })
    .optional()
    .describe(`The \`Authorization\` header of ${header}. Use an environment variable here.`),
  authorizationFile: text('the path of a file that holds the header')
    .optional()
    .describe(`A file that holds that header, such as a mounted Secret; read again ${readAgain}.`),
  caFile: text('the path of a PEM file')
    .optional()
    .describe('Authorities of its certificate in PEM. Default: those of the system.'),
  serverName: text('a host name').optional().describe('Name in its certificate, if it is not the URL’s host.'),
  insecureSkipVerify: flag().prefault(false).describe('Accepts any certificate.'),
});

export const hasOneAuthorization = ({ authorization, authorizationFile }: Authorizations): boolean =>
  authorization === undefined || authorizationFile === undefined;

export const severalAuthorizations = { error: 'one of authorization and authorizationFile: remove the other' };
