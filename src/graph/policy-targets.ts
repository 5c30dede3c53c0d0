import { experimentalGroup, type KubernetesObject, keyOf } from '../gateway-api/index.ts';
import { ReverseIndex } from './engine/reverse-index.ts';
import type { Store } from './engine/store.ts';
import { compareAge } from './model/compare-age.ts';
import type { Fault } from './model/condition.ts';
import { xBackendOwner } from './x-backend.ts';

/** Kinds of policies that are for Services and XBackends as a whole. */
export type BackendPolicyKind = 'BackendPolicy' | 'XBackendTrafficPolicy';

interface TargetRef {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** A policy as far as its targets go. */
interface TargetingPolicy extends KubernetesObject {
  readonly spec: { readonly targetRefs: readonly TargetRef[] };
}

/** Which policies of a kind are for which Service (by its key) or XBackend (by xBackendOwner). */
export class TargetIndex {
  readonly byTarget = new ReverseIndex();

  set(key: string, policy: TargetingPolicy | undefined): void {
    this.byTarget.set(key, policy ? targetsOf(policy) : []);
  }
}

/** What a policy is for, as TargetIndex has it; targets of other kinds are left out. */
export const targetsOf = (policy: TargetingPolicy): string[] => [
  ...new Set(policy.spec.targetRefs.flatMap((ref) => targetOf(policy, ref) ?? [])),
];

/** The object that stands behind a target of TargetIndex, as `NAMESPACE/NAME`. */
export const keyOfTarget = (target: string): string => target.slice(target.indexOf(' ') + 1);

function targetOf({ metadata }: TargetingPolicy, { group, kind, name }: TargetRef): string | undefined {
  const key = `${metadata.namespace}/${name}`;
  if (group === '' && kind === 'Service') return key;
  return group === experimentalGroup && kind === 'XBackend' ? xBackendOwner(key) : undefined;
}

/** The policy of a kind that rules a target: the oldest, then the first by key. Source: GEP-713 on conflicts. */
export function rulerOf<K extends BackendPolicyKind>(kind: K, target: string, policies: TargetIndex, store: Store) {
  const found = [...policies.byTarget.sourcesOf(target)].flatMap((key) => store.find(kind, key) ?? []);
  const [first] = found.sort(compareAge);
  return first;
}

/** What is wrong with a policy's targets: some that are not there, or that an older policy has already. */
export const targetFaults = (policy: TargetingPolicy, policies: TargetIndex, store: Store): Fault[] =>
  policy.spec.targetRefs.flatMap((ref) => targetFault(policy, ref, policies, store) ?? []);

function targetFault(policy: TargetingPolicy, ref: TargetRef, policies: TargetIndex, store: Store): Fault | undefined {
  const { group, kind, name } = ref;
  const target = targetOf(policy, ref);
  const what = `${kind} ${policy.metadata.namespace}/${name}`;
  const notFound = (message: string): Fault => ({ reason: 'TargetNotFound', message });
  if (!target) {
    return notFound(
      `targetRef ${name} is a ${group ? `${group}/` : ''}${kind}: only Services and XBackends of ${experimentalGroup} are supported`,
    );
  }
  const key = `${policy.metadata.namespace}/${name}`;
  const isThere = kind === 'Service' ? store.find('Service', key) : store.find('XBackend', key);
  if (!isThere) return notFound(`${what} does not exist`);
  const ruler = rulerOf(policy.kind as BackendPolicyKind, target, policies, store);
  if (!ruler || keyOf(ruler) === keyOf(policy)) return undefined;
  return {
    reason: 'Conflicted',
    message: `${what} has the older ${policy.kind} ${keyOf(ruler)} already: change or remove one of them`,
  };
}
