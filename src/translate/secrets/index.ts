/** SDS: certificates, and authorities by which certificates are checked. */
export { clientAuthorities, clientValidation, translateAuthorities } from './authorities.ts';
export { translateLoginSecret } from './login-secrets.ts';
export { translateOwnCertificate } from './own-certificate.ts';
export { translateSecret } from './secret.ts';
