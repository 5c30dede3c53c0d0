import type { SecretText } from './secret-text.ts';
import { readTokenFile } from './token-file.ts';

/** How a section of the configuration says who calls a server; at most one of them. */
export interface Authorizations {
  readonly authorization?: SecretText | undefined;
  readonly authorizationFile?: string | undefined;
}

/** The `Authorization` header to send; undefined: none. The file is read now. Throws a ConfigError when it cannot be. */
export const authorizationOf = ({ authorization, authorizationFile }: Authorizations): string | undefined =>
  (authorizationFile === undefined ? authorization : readTokenFile(authorizationFile))?.reveal();
