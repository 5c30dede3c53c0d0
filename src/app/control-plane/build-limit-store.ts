import { type LimitStore, ValkeyStore } from '../../shared-limits/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import type { Core } from './core.ts';
import { databaseSecrets } from './database-secrets.ts';

/** Where the configuration wants shared rate limits to be kept; undefined: here. */
export function buildLimitStore({ config, clock, logger }: Core): LimitStore | undefined {
  const { valkey } = config.rateLimits;
  if (!valkey) return undefined;
  const log = componentLogger(logger, 'rate-limits');
  const { url, username, serverName, insecureSkipVerify, keyPrefix } = valkey;
  return new ValkeyStore({
    server: { url: new URL(url), username, serverName, insecureSkipVerify, secrets: () => databaseSecrets(valkey) },
    keyPrefix,
    clock,
    onLost: (why) =>
      log.error({ why }, 'shared rate limits go by onFailure of their policies: no connection to Valkey'),
    onConnected: () => log.info('connected to Valkey; shared rate limits are kept there again'),
  });
}
