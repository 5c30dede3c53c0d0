import { conditionReasons, type KindName, keyOf, kinds, objectKey, parseObjectKey } from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';
import { nearestKey } from '../../std/index.ts';
import type { AdminSources } from '../sources.ts';
import type { Finding } from './problem.ts';

type Sources = Pick<AdminSources, 'graph' | 'reads' | 'availability'>;

interface TargetRef {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** Their status has an entry for each Gateway that they affect: one that affects none says nothing of itself. */
const policyKinds = (Object.keys(kinds) as KindName[]).filter(
  (kind) => kinds[kind].targetRefs && kinds[kind].statusForm === 'ancestors',
);

const { TargetNotFound: notFound } = conditionReasons;

/** Policies none of whose targets exists. */
export function* ofTargets(sources: Sources): Generator<Finding> {
  const { graph, reads } = sources;
  if (graph.snapshot() === undefined) return;
  for (const kind of policyKinds) {
    for (const policy of graph.list(kind)) {
      const { namespace = '' } = policy.metadata;
      const { targetRefs } = (policy as unknown as { readonly spec: { readonly targetRefs: readonly TargetRef[] } })
        .spec;
      if (reads !== undefined && !reads.includes(namespace)) continue;
      const missing = targetRefs.filter((ref) => isMissing(ref, namespace, sources));
      if (missing.length === 0 || missing.length < targetRefs.length) continue;
      yield {
        code: 'object_not_accepted',
        object: { kind, ...parseObjectKey(keyOf(policy)) },
        message: `TargetNotFound: ${missing.map((ref) => missingText(ref, namespace, graph)).join('; ')}`,
        reason: 'TargetNotFound',
        ...(notFound && { cause: notFound.meaning, next: notFound.remedy }),
      };
    }
  }
}

/** Kinds that are not read may be there. */
function isMissing({ group, kind, name }: TargetRef, namespace: string, { graph, availability }: Sources): boolean {
  const known = Object.values(kinds).find((each) => each.name === kind && each.group === group);
  if (known === undefined || !availability(kind).available) return false;
  return graph.find(known.name as KindName, objectKey(namespace, name)) === undefined;
}

function missingText({ kind, name }: TargetRef, namespace: string, graph: GraphView): string {
  const others = [...graph.list(kind as KindName)].flatMap(({ metadata }) =>
    metadata.namespace === namespace ? [metadata.name] : [],
  );
  const near = nearestKey(name, others);
  return `${kind} ${objectKey(namespace, name)} does not exist${near === undefined ? '' : `; did you mean ${near}?`}`;
}
