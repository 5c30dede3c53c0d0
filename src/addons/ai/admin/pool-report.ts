import type { AdminSources } from '../../../admin/index.ts';
import { type ObjectByKind, objectKey } from '../../../gateway-api/index.ts';
import type { PoolReport } from '../index.ts';

type Graph = AdminSources['graph'];
type Snapshot = NonNullable<ReturnType<Graph['snapshot']>>;

/** The pool that an AIService is, by its backend in the newest snapshot; null: it is none. */
export function poolReport(
  { metadata, spec }: ObjectByKind['AIService'],
  backend: ReturnType<Snapshot['backends']['get']>,
  graph: Graph,
): PoolReport | null {
  if (!spec.pool) return null;
  const { name } = spec.pool;
  const ref = graph.find('InferencePool', objectKey(metadata.namespace ?? '', name))?.spec.endpointPickerRef;
  return {
    name,
    endpoints: endpointsOf(backend, graph.snapshot()),
    picker: ref ? { service: ref.name, failureMode: ref.failureMode ?? 'FailClose' } : null,
  };
}

function endpointsOf(
  backend: ReturnType<Snapshot['backends']['get']>,
  snapshot: Snapshot | undefined,
): PoolReport['endpoints'] {
  const key = backend?.ai?.kind === 'service' ? backend.ai.pool : undefined;
  if (key === undefined) return null;
  const servers = snapshot?.backends.get(key)?.pool?.servers ?? key;
  const found = snapshot?.endpoints.get(servers)?.endpoints ?? [];
  return { ready: found.filter(({ health }) => health === 'ready').length, total: found.length };
}
