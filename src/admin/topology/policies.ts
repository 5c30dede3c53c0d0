import {
  isRouteKind,
  type KindFacts,
  type KindName,
  keyOf,
  kinds,
  objectKey,
  statusParts,
} from '../../gateway-api/index.ts';
import type { AdminSources } from '../sources.ts';
import { statusOfWorst } from './judge.ts';
import { ids, type TopologyParts } from './parts.ts';

interface TargetRef {
  readonly kind: string;
  readonly name: string;
  readonly sectionName?: string;
}

const policyKinds = (Object.keys(kinds) as KindName[]).filter((kind) => (kinds[kind] as KindFacts).targetRefs);

/** Policies with what they are for; one step each. Nodes of what they are for must be there. */
export function* addPolicies(parts: TopologyParts, { graph }: AdminSources): Generator<undefined, void> {
  const backendsOf = indexBackends(parts);
  for (const kind of policyKinds) {
    for (const policy of graph.list(kind)) {
      const { name, namespace = '' } = policy.metadata;
      const status = graph.statusOf(kind, keyOf(policy));
      const conditions = status ? statusParts(status).flatMap((part) => part.conditions) : [];
      const judgement =
        conditions.length === 0
          ? ({ status: 'unknown', detail: 'no Gateway of ours uses what it is for' } as const)
          : statusOfWorst(conditions);
      const id = ids.policy(kind, keyOf(policy));
      parts.nodes.set(id, { id, type: 'policy', label: name, namespace, name, ...judgement });
      const refs = (policy.spec as { readonly targetRefs?: readonly TargetRef[] }).targetRefs ?? [];
      const targets = new Set(refs.flatMap((ref) => targetsOf(ref, namespace, backendsOf)));
      for (const target of targets)
        parts.edges.push({ source: id, target, type: 'apply', weight: null, status: judgement.status });
      yield;
    }
  }
}

function targetsOf(
  { kind, name }: TargetRef,
  namespace: string,
  backendsOf: (service: string) => readonly string[],
): readonly string[] {
  if (kind === 'Gateway') return [ids.gateway(objectKey(namespace, name))];
  return isRouteKind(kind) ? [ids.route({ kind, namespace, name })] : backendsOf(`${namespace}/${name}`);
}

/** Ids of the ports of a Service. */
function indexBackends({ nodes }: TopologyParts): (service: string) => readonly string[] {
  const backends = [...nodes.values()].filter(({ type }) => type === 'backend');
  const byService = Map.groupBy(backends, ({ namespace, name }) => `${namespace}/${name.replace(/:\d+$/, '')}`);
  return (service) => (byService.get(service) ?? []).map(({ id }) => id);
}
