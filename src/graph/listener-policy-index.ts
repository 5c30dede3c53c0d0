import type { ObjectByKind } from '../gateway-api/index.ts';
import { ReverseIndex } from './engine/reverse-index.ts';

type Policy = ObjectByKind['ListenerPolicy'];
type TargetRef = Policy['spec']['targetRefs'][number];

const group = 'gateway.networking.k8s.io';

/** What declares listeners, as policies are found by it: `Gateway NAMESPACE/NAME` or `ListenerSet NAMESPACE/NAME`. */
export const listenerOwnerKey = (kind: 'Gateway' | 'ListenerSet', key: string): string => `${kind} ${key}`;

/** The owner that a target of a policy names; undefined when it is of another kind. */
export function ownerOfTarget({ metadata }: Policy, ref: TargetRef): string | undefined {
  if (ref.group !== group || (ref.kind !== 'Gateway' && ref.kind !== 'ListenerSet')) return undefined;
  return listenerOwnerKey(ref.kind, `${metadata.namespace}/${ref.name}`);
}

/** The owners that a policy is for, without repetition. */
export const ownersOfPolicy = (policy: Policy): string[] => [
  ...new Set(policy.spec.targetRefs.flatMap((ref) => ownerOfTarget(policy, ref) ?? [])),
];

/** Which ListenerPolicies are for which owner, and which use which Service, read from the specs alone. */
export class ListenerPolicyIndex {
  /** By listenerOwnerKey. */
  readonly byOwner = new ReverseIndex();
  readonly byService = new ReverseIndex();

  set(key: string, policy: Policy | undefined): void {
    const { accessLog, tracing } = policy?.spec ?? {};
    const receivers = [accessLog?.otlp, tracing?.otlp].flatMap((otlp) => otlp?.backendRef.name ?? []);
    this.byOwner.set(key, policy ? ownersOfPolicy(policy) : []);
    this.byService.set(key, [...new Set(receivers.map((name) => `${policy?.metadata.namespace}/${name}`))]);
  }
}
