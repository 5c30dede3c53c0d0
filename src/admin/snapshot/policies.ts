import { keyOf, type ObjectByKind, type PolicyStatus, targetingKinds } from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';
import type { PolicyRecord } from './record.ts';

/** The policies that backends of the snapshot are ruled by, and those that would rule some if they were accepted. Sorted by key. */
export function policyRecords(graph: GraphView): PolicyRecord[] {
  return targetingKinds
    .flatMap((kind) => [...graph.list(kind)].flatMap((policy) => record(graph, policy)))
    .sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

const textOf = ({ kind, namespace, name }: PolicyRecord): string => [kind, namespace, name].join('\u0000');

function record(graph: GraphView, policy: ObjectByKind[PolicyRecord['kind']]): PolicyRecord[] {
  const kind = policy.kind as PolicyRecord['kind'];
  const { ancestors = [] } = (graph.statusOf(kind, keyOf(policy)) ?? {}) as Partial<PolicyStatus>;
  if (ancestors.length === 0) return [];
  const refs = policy.spec.targetRefs as readonly { kind: string; name: string; sectionName?: string }[];
  return [
    {
      kind,
      namespace: policy.metadata.namespace ?? '',
      name: policy.metadata.name,
      targets: refs.map(({ kind: of, name, sectionName = null }) => ({ kind: of, name, sectionName })),
      gateways: ancestors.map(({ ancestorRef: { namespace, name } }) => `${namespace}/${name}`),
      accepted: ancestors.every(({ conditions }) =>
        conditions.some(({ type, status }) => type === 'Accepted' && status === 'True'),
      ),
    },
  ];
}
