import type { ObjectByKind } from '../gateway-api/index.ts';
import { servicesOf } from './backend-tls-policy.ts';
import { authorityKey } from './certificates/authorities.ts';
import { ReverseIndex } from './engine/reverse-index.ts';

/** Which BackendTLSPolicies refer to what, read from the specs alone. Keys are object keys. */
export class PolicyIndex {
  readonly byService = new ReverseIndex();
  /** By authorityKey. */
  readonly byAuthority = new ReverseIndex();

  set(key: string, policy: ObjectByKind['BackendTLSPolicy'] | undefined): void {
    const refs = policy?.spec.validation.caCertificateRefs ?? [];
    this.byService.set(key, policy ? servicesOf(policy) : []);
    const namespace = policy?.metadata.namespace ?? '';
    this.byAuthority.set(key, [...new Set(refs.map((ref) => authorityKey({ ...ref, namespace })))]);
  }
}
