/** The configuration file with its defaults, in one schema. Imports nothing of ours. */
export { authorizationOf } from './authorization.ts';
export { ConfigError } from './config-error.ts';
export { contractKeys } from './contract-keys.ts';
export type { Environment } from './environment.ts';
export { bracketed, formatAddress, type ListenAddress, parseListenAddress } from './listen-address.ts';
export { loadConfig } from './load-config.ts';
export { hostFromHere, isLoopback } from './loopback.ts';
export type { AdminAuthConfig } from './schema/admin-auth.ts';
export { metricSinksOf } from './schema/metric-sinks.ts';
export { type Config, type ConfigInput, configSchema } from './schema/schema.ts';
export { SecretText } from './secret-text.ts';
export { findSessionKey, readSessionKey } from './session-key-file.ts';
export { readTokenFile } from './token-file.ts';
