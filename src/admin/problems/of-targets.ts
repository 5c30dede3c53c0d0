import {
  conditionReasons,
  type KindName,
  type KubernetesObject,
  keyOf,
  kinds,
  objectKey,
  parseObjectKey,
} from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';
import { nearestKey } from '../../std/index.ts';
import type { AdminSources } from '../sources.ts';
import type { Finding } from './problem.ts';

/** What targets are looked up in. */
export interface TargetLookup extends Pick<AdminSources, 'reads' | 'availability'> {
  readonly graph: Pick<GraphView, 'find' | 'list'>;
}

interface TargetRef {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** Their status has an entry for each Gateway that they affect: one that affects none says nothing of itself. */
export const policyKinds: readonly KindName[] = (Object.keys(kinds) as KindName[]).filter(
  (kind) => kinds[kind].targetRefs && kinds[kind].statusForm === 'ancestors',
);

const { TargetNotFound: notFound } = conditionReasons;

/** Policies none of whose targets exists. */
export function* ofTargets(sources: Pick<AdminSources, 'graph' | 'reads' | 'availability'>): Generator<Finding> {
  if (sources.graph.snapshot() === undefined) return;
  for (const kind of policyKinds) {
    for (const policy of sources.graph.list(kind)) {
      const found = targetFinding(kind, policy, sources);
      if (found) yield found;
    }
  }
}

/** Says which targets do not exist, where none does. */
export function targetFinding(kind: KindName, policy: KubernetesObject, lookup: TargetLookup): Finding | undefined {
  const { namespace = '' } = policy.metadata;
  const { targetRefs } = (policy as unknown as { readonly spec: { readonly targetRefs: readonly TargetRef[] } }).spec;
  if (lookup.reads !== undefined && !lookup.reads.includes(namespace)) return undefined;
  const missing = targetRefs.filter((ref) => isMissing(ref, namespace, lookup));
  if (missing.length === 0 || missing.length < targetRefs.length) return undefined;
  return {
    code: 'object_not_accepted',
    object: { kind, ...parseObjectKey(keyOf(policy)) },
    message: `TargetNotFound: ${missing.map((ref) => missingText(ref, namespace, lookup.graph)).join('; ')}`,
    reason: 'TargetNotFound',
    ...(notFound && { cause: notFound.meaning, next: notFound.remedy }),
  };
}

/** Kinds that are not read may be there. */
function isMissing(
  { group, kind, name }: TargetRef,
  namespace: string,
  { graph, availability }: TargetLookup,
): boolean {
  const known = Object.values(kinds).find((each) => each.name === kind && each.group === group);
  if (known === undefined || !availability(kind).available) return false;
  return graph.find(known.name as KindName, objectKey(namespace, name)) === undefined;
}

function missingText({ kind, name }: TargetRef, namespace: string, graph: Pick<GraphView, 'list'>): string {
  const others = [...graph.list(kind as KindName)].flatMap(({ metadata }) =>
    metadata.namespace === namespace ? [metadata.name] : [],
  );
  const near = nearestKey(name, others);
  return `${kind} ${objectKey(namespace, name)} does not exist${near === undefined ? '' : `; did you mean ${near}?`}`;
}
