import { readFileSync } from 'node:fs';
import { readTokenFile, type SecretText } from '../../config/index.ts';

interface Login {
  readonly password?: Pick<SecretText, 'reveal'> | undefined;
  readonly passwordFile?: string | undefined;
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

interface DatabaseSecrets {
  readonly password?: string | undefined;
  /** PEM */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** What the files of a configured server hold now. Throws what says which of them cannot be read. */
export function databaseSecrets({ password, passwordFile, caFile, certFile, keyFile }: Login): DatabaseSecrets {
  const read = (path: string | undefined): string | undefined => path && readFileSync(path, 'utf8');
  return {
    password: (passwordFile === undefined ? password : readTokenFile(passwordFile))?.reveal(),
    ca: read(caFile),
    cert: read(certFile),
    key: read(keyFile),
  };
}
