import { readFileSync } from 'node:fs';
import { ConfigError } from './config-error.ts';
import { SecretText } from './secret-text.ts';

/** The token a file holds, without surrounding white space. Throws a ConfigError when the file cannot be read or is empty. */
export function readTokenFile(path: string): SecretText {
  const token = read(path).trim();
  if (token === '') throw new ConfigError(`token file ${path} is empty; write the token into it`);
  return new SecretText(token);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new ConfigError(`token file ${path} cannot be read (${code}); create it or correct the path`, { cause });
  }
}
