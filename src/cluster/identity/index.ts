/**
 * Who is who on the xDS connection: the control plane's authority and certificates, and what clients prove themselves by.
 * Knows Kubernetes and X.509; the xDS server knows neither, only certificates to serve and whom to admit.
 */

export { type AuthenticatorOptions, createAuthenticator } from './authenticator.ts';
export { type Authority, createAuthority, type IssuedCertificate, issueServing } from './authority.ts';
export { type AuthorityTiming, bundleOf, defaultAuthorityTiming } from './authority-set.ts';
export { type CertificatePaths, readBundle, readServing } from './certificate-files.ts';
export { Followed, type FollowedOptions } from './followed.ts';
export { IdentityError } from './identity-error.ts';
export { IssuedCertificates, type IssuedCertificatesOptions } from './issued-certificates.ts';
export { KubeAuthorities, type KubeAuthoritiesOptions } from './kube-authorities.ts';
export { servingHosts } from './serving-hosts.ts';
export { type Account, TokenReviewer, type TokenReviewerOptions } from './token-reviewer.ts';
