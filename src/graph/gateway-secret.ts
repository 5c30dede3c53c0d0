import type { ObjectByKind } from '../gateway-api/index.ts';
import type * as ir from '../ir/index.ts';
import { checkCertificate } from './certificate.ts';
import type { Fault } from './condition.ts';
import type { Store } from './store.ts';

/** The certificate in a core Secret that a Gateway names, or why it cannot be had; `reason` is for a Secret that is missing or unusable. */
export function gatewaySecret(
  gateway: ObjectByKind['Gateway'],
  { namespace, name, reason }: { readonly namespace: string; readonly name: string; readonly reason: string },
  store: Store,
): { readonly secret: ir.Secret } | { readonly fault: Fault } {
  const invalid = (message: string) => ({ fault: { reason, message } });
  const from = { group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace: gateway.metadata.namespace ?? '' };
  if (!store.allows({ from, to: { group: '', kind: 'Secret', namespace, name } })) {
    const message = `Secret ${namespace}/${name} is in another namespace and no ReferenceGrant there allows Gateways of ${from.namespace} to use it`;
    return { fault: { reason: 'RefNotPermitted', message } };
  }
  const secret = store.find('Secret', `${namespace}/${name}`);
  if (!secret) return invalid(`Secret ${namespace}/${name} does not exist`);
  const check = checkCertificate(secret);
  return 'fault' in check ? invalid(check.fault) : check;
}
