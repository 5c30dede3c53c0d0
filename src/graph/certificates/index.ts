/** Certificates, keys and authorities that objects name, checked before a proxy sees them. */
export { type AuthorityRef, authorityKey, bundleKey } from './authorities.ts';
export { grantedSecret } from './granted-secret.ts';
