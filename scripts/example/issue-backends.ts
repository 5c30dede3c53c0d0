import { createAuthority, type IssuedCertificate } from './certificate.ts';
import type { TlsBackend } from './example.ts';

export interface IssuedBackends {
  /** By Service name. */
  readonly certificates: ReadonlyMap<string, IssuedCertificate>;
  /** The ConfigMaps with the authorities that signed them. */
  readonly configMaps: readonly object[];
}

/** Certificates for backends, each signed by an authority of its own. */
export async function issueBackends(backends: readonly TlsBackend[]): Promise<IssuedBackends> {
  const made = await Promise.all(
    backends.map(async ({ service, hostname, authorities }) => {
      const authority = await createAuthority(authorities);
      const data = { 'ca.crt': authority.certificatePem };
      return {
        issued: [service, await authority.issue({ hostnames: [hostname] })] as const,
        configMap: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: authorities }, data },
      };
    }),
  );
  return {
    certificates: new Map(made.map(({ issued }) => issued)),
    configMaps: made.map(({ configMap }) => configMap),
  };
}
