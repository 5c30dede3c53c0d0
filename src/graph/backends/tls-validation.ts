import type { ObjectByKind } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import { gatherAuthorities } from '../certificates/index.ts';
import type { StoredObjects } from '../engine/index.ts';
import { type ConditionFault, combineFaults } from '../model/index.ts';

type Validation = ObjectByKind['BackendTLSPolicy']['spec']['validation'];

/** TLS as a user asks for it; without `tls` no connection may be made at all. */
export interface ResolvedTls {
  readonly tls?: Omit<ir.BackendTls, 'clientCertificate' | 'ownCertificate'>;
  readonly acceptFault?: ConditionFault;
  readonly referenceFault?: ConditionFault;
}

/** How a certificate is checked; policies and XBackends say it in the same words. `owner` is who says it. */
export function resolveValidation(
  { hostname, subjectAltNames = [], caCertificateRefs = [], wellKnownCACertificates }: Validation,
  { kind, namespace }: { readonly kind: string; readonly namespace: string },
  store: StoredObjects,
): ResolvedTls {
  const names = subjectAltNames.map(
    ({ type, hostname: host = '', uri = '' }): ir.SubjectName =>
      type === 'URI' ? { kind: 'uri', value: uri } : { kind: 'dns', value: host },
  );
  const tls = { serverName: hostname, names: names.length > 0 ? names : [{ kind: 'dns' as const, value: hostname }] };
  if (caCertificateRefs.length === 0) {
    if (wellKnownCACertificates === 'System') return { tls };
    const message = `wellKnownCACertificates ${wellKnownCACertificates} is not known: use System, or name authorities in caCertificateRefs`;
    return { acceptFault: { reason: 'Invalid', message } };
  }
  const refs = caCertificateRefs.map((ref) => ({ ...ref, namespace }));
  const user = { kind, namespace, wrongKind: 'InvalidKind' };
  const { pem, faults } = gatherAuthorities(refs, user, store);
  const referenceFault = combineFaults(faults);
  if (pem !== undefined) return { tls: { ...tls, authorities: pem }, ...(referenceFault && { referenceFault }) };
  const message = `backends cannot be checked, so requests to them are answered 503: ${referenceFault?.message}`;
  return { acceptFault: { reason: 'NoValidCACertificate', message }, ...(referenceFault && { referenceFault }) };
}
