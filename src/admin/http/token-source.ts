import { stat } from 'node:fs/promises';
import { readTokenFile, type SecretText } from '../../config/index.ts';
import type { Logger } from '../../telemetry/index.ts';

/** The token that requests must carry now; undefined when none is configured. */
export type TokenSource = () => Promise<SecretText | undefined>;

/** Where a token is configured: itself, or the path of a file. */
export interface TokenPlace {
  readonly token?: SecretText | undefined;
  readonly file?: string | undefined;
}

/**
 * The configured token. One in a file is read at once, and again whenever the file changes; while the file is missing or
 * empty the last token stays valid, so that a rotation in two steps neither opens nor closes the API. Throws a
 * ConfigError when the file cannot be read at the start.
 */
export function createTokenSource({ token: fixed, file }: TokenPlace, logger: Logger): TokenSource {
  if (file === undefined) return async () => fixed;
  let token = readTokenFile(file);
  let seen: string | undefined;
  return async () => {
    const signature = await signatureOf(file);
    if (signature === seen) return token;
    seen = signature;
    try {
      token = readTokenFile(file);
    } catch (err) {
      logger.warn({ err }, 'admin token file cannot be read; the last token stays valid');
    }
    return token;
  };
}

async function signatureOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch {
    return 'missing';
  }
}
