import type { ObjectByKind } from '../../gateway-api/index.ts';
import type { StoredObjects } from '../engine/index.ts';
import { type ClientCertificate, type ObjectReference, ownerOfListeners } from '../model/index.ts';
import { grantedSecret } from './granted-secret.ts';

type GatewayObject = ObjectByKind['Gateway'];

/** The Secret that a Gateway names for that, wherever it leads. */
export function clientCertificateRefOf(
  gateway: GatewayObject,
): (ObjectReference & { readonly group: string }) | undefined {
  const ref = gateway.spec.tls?.backend?.clientCertificateRef;
  if (!ref) return undefined;
  const { group = '', kind = 'Secret', namespace = gateway.metadata.namespace ?? '', name } = ref;
  return { group, kind, namespace, name };
}

/** Source: GatewayBackendTLS.clientCertificateRef. Undefined when the Gateway names none. */
export function resolveClientCertificate(gateway: GatewayObject, store: StoredObjects): ClientCertificate | undefined {
  const ref = clientCertificateRefOf(gateway);
  if (!ref) return undefined;
  const reason = 'InvalidClientCertificateRef';
  const { group, kind, namespace, name } = ref;
  if (group === '' && kind === 'Secret')
    return grantedSecret(ownerOfListeners(gateway), { namespace, name, reason }, store);
  const message = `clientCertificateRef names a ${group ? `${group}/` : ''}${kind} ${name}: only core Secrets are supported`;
  return { fault: { reason, message } };
}
