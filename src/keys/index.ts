/** Fetches the public keys by which tokens of users are verified, keeps the last good ones, and says when they are old. */
export { clusterKeeper } from './cluster-keeper.ts';
export { FetchFault } from './fetch-fault.ts';
export { fetchKeys } from './fetch-keys.ts';
export type { FetchResult } from './fetcher-options.ts';
export { FileKeeper } from './file-keeper.ts';
export type { KeysConfigMap, KeysKeeper } from './keeper.ts';
export { KeyFetcher } from './key-fetcher.ts';
export { clusterLoginKey, fileLoginKey, type LoginSecret } from './login-key-store.ts';
export { LoginKeys } from './login-keys.ts';
export { keysMetrics } from './metrics.ts';
