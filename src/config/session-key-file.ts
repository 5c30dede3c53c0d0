import { readFileSync } from 'node:fs';
import { ConfigError } from './config-error.ts';

/** As long as the tokens' hash function is wide. */
const leastBytes = 32;

const advice = 'write at least 32 random bytes into it, for example with openssl rand -base64 32';

/**
 * The key for sticky sessions that a file holds, without line breaks at its end. Throws a ConfigError when the file cannot be read
 * or holds less than 32 bytes.
 */
export function readSessionKey(path: string): Buffer {
  const text = read(path);
  const key = text.subarray(0, lengthWithoutBreaks(text));
  if (key.length < leastBytes)
    throw new ConfigError(`session key file ${path} holds ${key.length} bytes, too few for a key; ${advice}`);
  return key;
}

/** As readSessionKey; undefined when there is no such file. */
export function findSessionKey(path: string): Buffer | undefined {
  try {
    return readSessionKey(path);
  } catch (error) {
    if (error instanceof ConfigError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT')
      return undefined;
    throw error;
  }
}

function lengthWithoutBreaks(text: Buffer): number {
  let length = text.length;
  while (length > 0 && (text[length - 1] === 0x0a || text[length - 1] === 0x0d)) length -= 1;
  return length;
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new ConfigError(`session key file ${path} cannot be read (${code}); create it or correct the path`, {
      cause,
    });
  }
}
