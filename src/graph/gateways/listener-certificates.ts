import { ingressNameOf, type ObjectByKind } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import { grantedSecret } from '../certificates/index.ts';
import type { Store } from '../engine/index.ts';
import {
  type ConditionFault,
  combineFaults,
  type ListenerOwnerObject,
  type ListenerSpec,
  listenerId,
  type ObjectReference,
  ownerOfListeners,
  terminatesTls,
} from '../model/index.ts';

export interface ResolvedCertificates {
  /** Keys for ir.ChainTls.certificates. */
  readonly certificates: readonly string[];
  readonly references: readonly ObjectReference[];
  readonly secrets: readonly ir.Secret[];
  readonly fault?: ConditionFault;
}

/** Follows the certificateRefs of a listener at which TLS ends. */
export function resolveCertificates(
  { gateway, owner }: { readonly gateway: ObjectByKind['Gateway']; readonly owner: ListenerOwnerObject },
  spec: ListenerSpec,
  store: Store,
): ResolvedCertificates {
  const references = certificateRefsOf(owner, spec);
  if (!terminatesTls(spec)) {
    return { certificates: [], references, secrets: [] };
  }
  const secrets: ir.Secret[] = [];
  const faults: ConditionFault[] = [];
  for (const [index, reference] of references.entries()) {
    const asker = isOfGateway({ gateway, owner }, reference) ? gateway : owner;
    const found = resolveCertificate(asker, reference, spec.tls?.certificateRefs?.[index]?.group ?? '', store);
    if ('fault' in found) faults.push(found.fault);
    else secrets.push(found.secret);
  }
  if (references.length === 0) {
    faults.push({
      reason: 'InvalidCertificateRef',
      message: 'tls.certificateRefs is empty: name a Secret with the certificate',
    });
  }
  // The name of a secret that never comes: Envoy then opens the listener and fails its handshakes, and no other chain
  // of the port takes over the host with a certificate of its own.
  const certificates =
    secrets.length > 0 ? secrets.map(({ key }) => key) : [`unresolved/${listenerId(owner, spec.name)}`];
  const fault = combineFaults(faults);
  return { certificates, references, secrets, ...(fault && { fault }) };
}

/**
 * Hosts of Ingresses without a certificate of their own show that of their Gateway. No user can write an object with such a name, so the Gateway's
 * own right to the Secret is enough.
 */
const isOfGateway = (
  { gateway, owner }: { readonly gateway: ObjectByKind['Gateway']; readonly owner: ListenerOwnerObject },
  { kind, namespace, name }: ObjectReference,
): boolean =>
  ingressNameOf(owner.metadata.name) !== undefined &&
  gateway.spec.listeners.some((listener) =>
    certificateRefsOf(gateway, listener).some(
      (each) => each.kind === kind && each.namespace === namespace && each.name === name,
    ),
  );

/** The Secrets a listener names, wherever they lead. */
export const certificateRefsOf = (owner: ListenerOwnerObject, spec: ListenerSpec): ObjectReference[] =>
  (spec.tls?.certificateRefs ?? []).map(({ kind = 'Secret', namespace, name }) => ({
    kind,
    namespace: namespace ?? owner.metadata.namespace ?? '',
    name,
  }));

function resolveCertificate(
  owner: ListenerOwnerObject,
  { kind, namespace, name }: ObjectReference,
  refGroup: string,
  store: Store,
): { readonly secret: ir.Secret } | { readonly fault: ConditionFault } {
  const reason = 'InvalidCertificateRef';
  if (kind === 'Secret' && refGroup === '')
    return grantedSecret(ownerOfListeners(owner), { namespace, name, reason }, store);
  return { fault: { reason, message: `certificateRefs names a ${kind} ${name}: only core Secrets are supported` } };
}
