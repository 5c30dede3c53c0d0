import { stat } from 'node:fs/promises';
import { type AdminAuthConfig, readTokenFile, type SecretText } from '../../config/index.ts';
import type { Logger } from '../../telemetry/index.ts';

/** The token that requests must carry now; undefined when none is configured. */
export type TokenSource = () => Promise<SecretText | undefined>;

/**
 * The configured token. One in a file is read at once, and again whenever the file changes; while the file is missing or
 * empty the last token stays valid, so that a rotation in two steps neither opens nor closes the API. Throws a
 * ConfigError when the file cannot be read at the start.
 */
export function createTokenSource({ bearerToken, bearerTokenFile }: AdminAuthConfig, logger: Logger): TokenSource {
  if (bearerTokenFile === undefined) return async () => bearerToken;
  let token = readTokenFile(bearerTokenFile);
  let seen: string | undefined;
  return async () => {
    const signature = await signatureOf(bearerTokenFile);
    if (signature === seen) return token;
    seen = signature;
    try {
      token = readTokenFile(bearerTokenFile);
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
