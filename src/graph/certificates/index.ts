/** Certificates, keys and authorities that objects name, checked before a proxy sees them. */
export {
  type AuthorityBundle,
  type AuthorityRef,
  authorityHolders,
  authorityKey,
  bundleIn,
  bundleKey,
  gatherAuthorities,
} from './authorities.ts';
export { clientCertificateRefOf, resolveClientCertificate } from './client-certificate.ts';
export { grantedSecret } from './granted-secret.ts';
export {
  authoritiesWithout,
  resolveRevocationLists,
  revocationListRef,
} from './revocation-list.ts';
