import {
  experimentalGroup,
  type KindName,
  type KubernetesObject,
  keyOf,
  kinds,
  multiclusterGroup,
  type ObjectByKind,
} from '../../gateway-api/index.ts';
import { backendsOfOwner } from '../../graph/backends/index.ts';
import { type Change, type Edge, type Lookup, type Marking, versionsOf } from '../../graph/engine/index.ts';
import { backendOwner, type ConditionFault, compareAge, parseBackendOwner } from '../../graph/model/index.ts';

interface TargetRef {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** A policy as far as its targets go. */
interface TargetingPolicy extends KubernetesObject {
  readonly spec: { readonly targetRefs: readonly TargetRef[] };
}

/** Kinds whose definition has targets of any kind. */
export type TargetingKindName = {
  readonly [K in KindName]: ObjectByKind[K] extends TargetingPolicy ? K : never;
}[KindName];

/** How the policies of a kind are found by what they are for: owners of backends, see backendOwner. */
export interface BackendTargets<K extends TargetingKindName> {
  readonly kind: K;
  readonly edge: Edge<K>;
}

export const backendTargets = <K extends TargetingKindName>(kind: K): BackendTargets<K> => ({
  kind,
  edge: {
    to: {
      Service: (key) => key,
      ServiceImport: (key) => backendOwner('ServiceImport', key),
      XBackend: (key) => backendOwner('XBackend', key),
    },
    targets: (policy) => targetsOf(policy as TargetingPolicy),
    marks: (source, { dirty }) => dirty.markStatus(kind, source),
  },
});

/** What a policy is for, as its edge has it; targets of other kinds are left out. */
export const targetsOf = (policy: TargetingPolicy): string[] => [
  ...new Set(policy.spec.targetRefs.flatMap((ref) => targetOf(policy, ref) ?? [])),
];

const targetKinds = ['Service', 'ServiceImport', 'XBackend'] as const;

function targetOf({ metadata }: TargetingPolicy, { group, kind, name }: TargetRef): string | undefined {
  const key = `${metadata.namespace}/${name}`;
  const target = targetKinds.find((each) => each === kind && kinds[each].group === group);
  return target && backendOwner(target, key);
}

/** The policies of a kind that are for a target. */
export const policiesOf = <K extends TargetingKindName>(
  { kind, edge }: BackendTargets<K>,
  target: string,
  { store, edges }: Lookup,
): ObjectByKind[K][] => [...edges.of(edge).sourcesOf(target)].flatMap((key) => store.find(kind, key) ?? []);

/** The policy of a kind that a target has: the oldest, then the first by key. Source: GEP-713 on conflicts. */
export function winnerOf<K extends TargetingKindName>(
  targets: BackendTargets<K>,
  target: string,
  lookup: Lookup,
): ObjectByKind[K] | undefined {
  const [first] = policiesOf(targets, target, lookup).sort(compareAge);
  return first;
}

/** Marks a policy, its targets, and the other policies that these have: another one may win now. */
export function markTargets<K extends TargetingKindName>(
  { kind, edge }: BackendTargets<K>,
  change: Change<K>,
  { dirty, store, edges }: Marking,
): void {
  dirty.markStatus(kind, change.key);
  for (const target of targetsOfBoth(change)) {
    dirty.markStatuses(kind, edges.of(edge).sourcesOf(target));
    for (const backend of backendsOfOwner(target, store)) dirty.backends.add(backend);
  }
}

/** What either version of a changed policy is for. */
export const targetsOfBoth = <K extends TargetingKindName>(change: Change<K>): string[] =>
  versionsOf(change).flatMap((policy) => targetsOf(policy as TargetingPolicy));

/** What is wrong with a policy's targets: some that are not there, or that an older policy has already. */
export const targetFaults = <K extends TargetingKindName>(
  targets: BackendTargets<K>,
  policy: TargetingPolicy,
  lookup: Lookup,
): ConditionFault[] => policy.spec.targetRefs.flatMap((ref) => targetFault(targets, policy, ref, lookup) ?? []);

function targetFault<K extends TargetingKindName>(
  targets: BackendTargets<K>,
  policy: TargetingPolicy,
  ref: TargetRef,
  lookup: Lookup,
): ConditionFault | undefined {
  const { group, kind, name } = ref;
  const target = targetOf(policy, ref);
  const what = `${kind} ${policy.metadata.namespace}/${name}`;
  const notFound = (message: string): ConditionFault => ({ reason: 'TargetNotFound', message });
  if (!target) {
    return notFound(
      `targetRef ${name} is a ${group ? `${group}/` : ''}${kind}: only Services, XBackends of ${experimentalGroup} and ServiceImports of ${multiclusterGroup} are supported`,
    );
  }
  const owner = parseBackendOwner(target);
  if (!lookup.store.find(owner.kind, owner.key)) return notFound(`${what} does not exist`);
  const winner = winnerOf(targets, target, lookup);
  if (!winner || keyOf(winner) === keyOf(policy)) return undefined;
  return {
    reason: 'Conflicted',
    message: `${what} has the older ${targets.kind} ${keyOf(winner)} already: change or remove one of them`,
  };
}
