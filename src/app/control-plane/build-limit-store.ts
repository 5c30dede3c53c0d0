import { readFileSync } from 'node:fs';
import { type Config, readTokenFile } from '../../config/index.ts';
import { type LimitStore, type ValkeySecrets, ValkeyStore } from '../../shared-limits/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import type { Core } from './core.ts';

type ValkeyConfig = NonNullable<Config['rateLimits']['valkey']>;

/** Where the configuration wants shared rate limits to be kept; undefined: here. */
export function buildLimitStore({ config, clock, logger }: Core): LimitStore | undefined {
  const { valkey } = config.rateLimits;
  if (!valkey) return undefined;
  const log = componentLogger(logger, 'rate-limits');
  const { url, username, serverName, insecureSkipVerify, keyPrefix } = valkey;
  return new ValkeyStore({
    server: { url: new URL(url), username, serverName, insecureSkipVerify, secrets: () => secretsOf(valkey) },
    keyPrefix,
    clock,
    onLost: (why) =>
      log.error({ why }, 'shared rate limits go by onFailure of their policies: no connection to Valkey'),
    onConnected: () => log.info('connected to Valkey; shared rate limits are kept there again'),
  });
}

function secretsOf({ password, passwordFile, caFile, certFile, keyFile }: ValkeyConfig): ValkeySecrets {
  const read = (path: string | undefined): string | undefined => path && readFileSync(path, 'utf8');
  return {
    password: (passwordFile === undefined ? password : readTokenFile(passwordFile))?.reveal(),
    ca: read(caFile),
    cert: read(certFile),
    key: read(keyFile),
  };
}
