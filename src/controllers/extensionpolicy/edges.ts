import { objectKey } from '../../gateway-api/index.ts';
import { type Change, type Edge, type Marking, versionsOf } from '../../graph/engine/index.ts';
import { isListenerOwner, markRouteTargets, markTargetsOf } from '../policies/index.ts';
import { codeKeysOf, configMapKeyOf, moduleKeysOf } from './module/index.ts';
import type { Policy } from './policy.ts';
import { scriptMapOf } from './script.ts';
import { extensionTargets } from './targets.ts';

const kind = 'ExtensionPolicy';

const below = 'below';

/** What policies refer to. */
export const extensionPolicyEdges = {
  target: extensionTargets.edge,
  server: {
    to: { Service: (key) => key },
    targets: ({ metadata, spec }) => {
      if (!spec.extProc) return [];
      const { namespace = metadata.namespace ?? '', name } = spec.extProc.backendRef;
      return [objectKey(namespace, name)];
    },
    grants: true,
    marks(source, marking) {
      marking.dirty.markStatus(kind, source);
      markTargetsOf(marking.store.find(kind, source), marking);
    },
  },
  configMap: {
    to: { ConfigMap: (key) => key },
    targets: (policy) => [configMapKeyOf(policy) ?? scriptMapOf(policy) ?? []].flat(),
    grants: true,
    marks: markModuleUser,
  },
  /** Modules in images and files, by what they are kept by: it leads to no object. */
  code: {
    to: {},
    targets: codeKeysOf,
    marks: 'nothing',
  },
  /** Policies that those of upper levels may leave no place: their routes say which, and may come and go. All are under one key. */
  below: {
    to: { Gateway: () => below },
    targets: ({ spec }) =>
      spec.targetRefs.some((ref) => ref.kind !== 'Gateway' || ref.sectionName !== undefined) ? [below] : [],
    marks: 'nothing',
  },
} as const satisfies Record<string, Edge<typeof kind>>;

/** A policy whose module or script is another one. */
function markModuleUser(source: string, marking: Marking): void {
  marking.dirty.markStatus(kind, source);
  const policy = marking.store.find(kind, source);
  markTargetsOf(policy, marking);
  if (policy) markModules([policy], marking);
}

/** Those that use what was pulled or read, or cannot be. */
export function markCode(source: string, marking: Marking): void {
  for (const policy of marking.edges.of(extensionPolicyEdges.code).sourcesOf(source)) markModuleUser(policy, marking);
}

/** A module is in a backend of its own. */
function markModules(policies: readonly Policy[], { dirty }: Marking): void {
  for (const key of policies.flatMap(moduleKeysOf)) dirty.backends.add(key);
}

/** Its targets; and, where it is above others, the statuses of those. */
export function markExtensionPolicy(change: Change<typeof kind>, marking: Marking): void {
  markRouteTargets(extensionTargets, change, marking);
  markModules(versionsOf(change), marking);
  const isAbove = versionsOf(change).some(({ spec }) =>
    spec.targetRefs.some((ref) => isListenerOwner(ref.kind) || !ref.sectionName),
  );
  if (isAbove) marking.dirty.markStatuses(kind, marking.edges.of(extensionPolicyEdges.below).sourcesOf(below));
}
