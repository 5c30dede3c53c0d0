import { type AdminAuthConfig, ConfigError } from '../../config/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { createTokenSource } from '../http/index.ts';
import type { Tokens } from './bearer-auth.ts';
import type { Identities } from './kubernetes/person.ts';

/** Who is let in, beside what the configuration itself holds: what only a cluster has. */
export interface AdminAccess {
  /** In place of configured tokens. */
  readonly tokens?: Tokens | undefined;
  /** People by their tokens of the cluster. */
  readonly identities?: Identities | undefined;
}

/**
 * The tokens that the configuration asks for. Throws a ConfigError for a file that cannot be read, and where the
 * configuration asks for what only a cluster has and `access` is without: it must not be open then.
 */
export function tokensOf(config: AdminAuthConfig, access: AdminAccess, logger: Logger): Tokens {
  if (config.kubernetes?.enabled && access.identities === undefined)
    throw new ConfigError('adminAuth.kubernetes needs a cluster: remove it, or set bearer_token_file alone');
  if (access.tokens !== undefined) return access.tokens;
  if (config.tokenSecret !== undefined)
    throw new ConfigError('adminAuth.tokenSecret needs a cluster: set bearer_token_file in its place');
  return {
    full: createTokenSource({ token: config.bearerToken, file: config.bearerTokenFile }, logger),
    readOnly: createTokenSource({ token: config.readOnlyBearerToken, file: config.readOnlyBearerTokenFile }, logger),
  };
}
