/**
 * Keys of access policies: sets of public keys that tokens are verified by, how they are read, where they are fetched and what is kept of that; what logins are signed by.
 * Imports nothing of ours.
 */
export { readFetchedJwks, readJwks } from './jwks.ts';
export { type Discovered, type KeptKeys, type KeysFailure, keptConfigMap, readKept } from './kept-keys.ts';
export { type LoginSession, loginHmac, loginKey, loginSessionId } from './login-key.ts';
export { describePlace, discoveryUrl, isKeysName, type KeysPlace, keysName, type RemoteKeys } from './remote-keys.ts';
