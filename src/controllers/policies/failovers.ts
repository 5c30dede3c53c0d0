import { type ObjectByKind, objectKey } from '../../gateway-api/index.ts';
import { backendsOfOwner } from '../../graph/backends/index.ts';
import type { Edge, Marking } from '../../graph/engine/index.ts';
import { parseBackendOwner } from '../../graph/model/index.ts';
import { targetsOf } from './targets.ts';

type Policy = ObjectByKind['BackendPolicy'];

/** From BackendPolicies to the Services and ServiceImports that take requests while too few endpoints of their targets are well. */
export const failoverEdge: Edge<'BackendPolicy'> = {
  // By key alone, as routes refer to backends.
  to: { Service: (key) => key, ServiceImport: (key) => key },
  targets: ({ metadata, spec }) =>
    (spec.failover?.backendRefs ?? []).map(({ namespace = metadata.namespace ?? '', name }) =>
      objectKey(namespace, name),
    ),
  grants: true,
  marks(source, marking) {
    marking.dirty.markStatus('BackendPolicy', source);
    markTargetBackends(marking.store.find('BackendPolicy', source), marking);
  },
};

/** Marks backends that have endpoints of another owner (backendOwner) beside their own. */
export function markFailoversTo(owner: string, marking: Marking): void {
  for (const policy of marking.edges.of(failoverEdge).sourcesOf(parseBackendOwner(owner).key))
    markTargetBackends(marking.store.find('BackendPolicy', policy), marking);
}

function markTargetBackends(policy: Policy | undefined, { dirty, store }: Marking): void {
  for (const target of policy ? targetsOf(policy) : [])
    for (const backend of backendsOfOwner(target, store)) dirty.backends.add(backend);
}
