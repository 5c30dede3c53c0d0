import type * as ir from '../../ir/index.ts';
import { type StoredObjects, ungranted } from '../engine/index.ts';
import type { ConditionFault } from '../model/index.ts';
import { checkCertificate } from './certificate.ts';

/** Who names a Secret, as ReferenceGrants know it. */
interface SecretUser {
  /** The Gateway API's own, if nothing else is said. */
  readonly group?: string;
  readonly kind: string;
  readonly namespace: string;
}

/**
 * The certificate in a core Secret that an object names, or why it is not available; `reason` is for a Secret that is missing
 * or unusable. Grants are asked for the user's own kind: a ListenerSet may not read all that its Gateway may.
 */
export function grantedSecret(
  { group = 'gateway.networking.k8s.io', kind, namespace: ownNamespace }: SecretUser,
  { namespace, name, reason }: { readonly namespace: string; readonly name: string; readonly reason: string },
  store: StoredObjects,
): { readonly secret: ir.Secret } | { readonly fault: ConditionFault } {
  const invalid = (message: string) => ({ fault: { reason, message } });
  const from = { group, kind, namespace: ownNamespace };
  if (!store.allows({ from, to: { group: '', kind: 'Secret', namespace, name } })) {
    const message = ungranted({ kind: 'Secret', namespace, name, user: from }, store);
    return { fault: { reason: 'RefNotPermitted', message } };
  }
  const secret = store.find('Secret', `${namespace}/${name}`);
  if (!secret) return invalid(`Secret ${namespace}/${name} does not exist`);
  const check = checkCertificate(secret);
  return 'fault' in check ? invalid(check.fault) : check;
}
