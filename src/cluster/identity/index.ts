/**
 * Who is who on the xDS connection: the control plane's authority and certificates, and what clients prove themselves by.
 * Knows Kubernetes and X.509; the xDS server knows neither, only certificates to serve and whom to admit.
 */

export { createAuthenticator } from './authenticator.ts';
export type { Authority } from './authority.ts';
export { bundleOf, defaultAuthorityTiming } from './authority-set.ts';
export { type CertificatePaths, readBundle, readServing } from './certificate-files.ts';
export { Followed } from './followed.ts';
export { IdentityError } from './identity-error.ts';
export { createAuthority, issueServing } from './issue-certificates.ts';
export { IssuedCertificates } from './issued-certificates.ts';
export { KubeAuthorities } from './kube-authorities.ts';
export { servingHosts } from './serving-hosts.ts';
export { TokenReviewer } from './token-reviewer.ts';
