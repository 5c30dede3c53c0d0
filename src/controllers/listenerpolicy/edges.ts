import { type ObjectByKind, objectKey } from '../../gateway-api/index.ts';
import { revocationListRef } from '../../graph/certificates/index.ts';
import { type Change, type Edge, type Marking, versionsOf } from '../../graph/engine/index.ts';
import { markParent } from '../../graph/gateways/index.ts';
import type { Key } from '../../std/index.ts';
import { destinationsOf } from './observing.ts';

type Policy = ObjectByKind['ListenerPolicy'];
type TargetRef = Policy['spec']['targetRefs'][number];

const group = 'gateway.networking.k8s.io';

type OwnerKind = 'Gateway' | 'ListenerSet';

/** What declares listeners, as policies are found by it: `Gateway NAMESPACE/NAME` or `ListenerSet NAMESPACE/NAME`. */
export type ListenerOwnerKey = Key<'listener-owner'>;

export const listenerOwnerKey = (kind: OwnerKind, key: string): ListenerOwnerKey =>
  `${kind} ${key}` as ListenerOwnerKey;

/** The kind and the object's own key of a listenerOwnerKey. */
export function parseListenerOwnerKey(owner: ListenerOwnerKey): { readonly kind: OwnerKind; readonly key: string } {
  const space = owner.indexOf(' ');
  return { kind: owner.slice(0, space) as OwnerKind, key: owner.slice(space + 1) };
}

/** The owner that a target of a policy names; undefined when it is of another kind. */
export function ownerOfTarget({ metadata }: Policy, ref: TargetRef): ListenerOwnerKey | undefined {
  if (ref.group !== group || (ref.kind !== 'Gateway' && ref.kind !== 'ListenerSet')) return undefined;
  return listenerOwnerKey(ref.kind, objectKey(metadata.namespace, ref.name));
}

/** The owners that a policy is for, without repetition. */
const ownersOfPolicy = (policy: Policy): ListenerOwnerKey[] => [
  ...new Set(policy.spec.targetRefs.flatMap((ref) => ownerOfTarget(policy, ref) ?? [])),
];

/** What policies refer to. */
export const listenerPolicyEdges = {
  /** A changed owner is resolved with its policies in any case. */
  owner: {
    to: {
      Gateway: (key) => listenerOwnerKey('Gateway', key),
      ListenerSet: (key) => listenerOwnerKey('ListenerSet', key),
    },
    targets: ownersOfPolicy,
    marks: 'nothing',
  },
  /** Of logs and traces. */
  receiver: {
    to: { Service: (key) => key },
    targets: (policy) =>
      destinationsOf(policy).map(({ backendRef }) => objectKey(policy.metadata.namespace, backendRef.name)),
    marks: (source, marking) => markListeners(marking.store.find('ListenerPolicy', source), marking),
  },
  /** Lists of revoked certificates. */
  revocationList: {
    to: {
      Secret: (key) => revocationListKey('Secret', key),
      ConfigMap: (key) => revocationListKey('ConfigMap', key),
    },
    targets: (policy) => {
      const ref = revocationListRef(policy);
      return ref ? [revocationListKey(ref.kind, objectKey(ref.namespace, ref.name))] : [];
    },
    marks: (source, marking) => markListeners(marking.store.find('ListenerPolicy', source), marking),
  },
} as const satisfies Record<string, Edge<'ListenerPolicy'>>;

const revocationListKey = (kind: 'Secret' | 'ConfigMap', key: string): string => `${kind} ${key}`;

/** Marks the Gateways whose listeners a policy is for. */
function markListeners(policy: Policy | undefined, marking: Marking): void {
  for (const owner of policy ? ownersOfPolicy(policy) : []) {
    const { kind, key } = parseListenerOwnerKey(owner);
    if (kind === 'Gateway') marking.dirty.gateways.add(key);
    else markParent(marking.store.find('ListenerSet', key), marking);
  }
}

export function markListenerPolicy(change: Change<'ListenerPolicy'>, marking: Marking): void {
  marking.dirty.markStatus('ListenerPolicy', change.key);
  for (const policy of versionsOf(change)) markListeners(policy, marking);
}
