/**
 * The last good configuration, kept on disk for an agent that starts while no control plane can be reached. Knows files and
 * cryptography, and what the relay knows of Envoy; nothing of processes or HTTP.
 */
export { type CacheOptions, type CacheState, ConfigCache } from './config-cache.ts';
export { readCacheKey } from './seal.ts';
