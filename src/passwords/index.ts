/**
 * Passwords and their hashes, in the formats of Apache's htpasswd. Knows neither HTTP servers nor Envoy. Its threads are started when a slow hash is to be checked: until then
 * the room costs next to nothing.
 */

export { type BasicCredential, basicCredential } from './basic-credential.ts';
export type { Outcome } from './check-queue.ts';
export { bcryptCost, hashFormat, maxBcryptCost } from './hash-format.ts';
export { type CheckCounts, PasswordChecks } from './password-checks.ts';
export { UserList } from './user-list.ts';
