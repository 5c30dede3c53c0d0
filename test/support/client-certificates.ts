import { type CertificateNames, createAuthority, type IssuedCertificate } from '../../scripts/example/certificate.ts';

/** What a test's certificate says. What is left out, it does not have. */
export interface ClientNames extends Omit<CertificateNames, 'hostnames'> {
  readonly dns?: readonly string[];
}

export type ClientCertificate = IssuedCertificate;

/** An authority of clients. */
export interface ClientAuthority {
  readonly certificatePem: string;
  issue(names?: ClientNames): Promise<ClientCertificate>;
}

export async function createClientAuthority(name: string): Promise<ClientAuthority> {
  const authority = await createAuthority(name);
  return {
    certificatePem: authority.certificatePem,
    issue: ({ dns: hostnames = [], subject = '', ...names } = {}) => authority.issue({ ...names, hostnames, subject }),
  };
}

/** A ConfigMap `authorities` of who signs clients' certificates, and a Secret `server` with what an HTTPS listener shows. */
export const frontendObjects = (
  authorities: string,
  server: Pick<ClientCertificate, 'certificatePem' | 'keyPem'>,
): readonly object[] => [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'authorities' }, data: { 'ca.crt': authorities } },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: { name: 'server' },
    stringData: { 'tls.crt': server.certificatePem, 'tls.key': server.keyPem },
  },
];
