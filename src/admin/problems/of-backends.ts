import { hostProblem, listBackends, type RejectedNames } from '../backends/backend-record.ts';
import type { AdminSources } from '../sources.ts';
import type { Finding } from './problem.ts';

/** Backends that routes use and that can serve nothing. */
export function* ofBackends({ graph }: Pick<AdminSources, 'graph'>, rejectedNames: RejectedNames): Generator<Finding> {
  const endpoints = graph.snapshot()?.endpoints;
  for (const backend of listBackends(graph)) {
    const { key, namespace, service, port, hostname, ai } = backend;
    const users = graph.routesOfBackend(key);
    const object = { kind: 'Backend', namespace, name: `${service}:${port}` };
    const fault = hostProblem(backend, { graph, rejectedNames });
    if (fault !== null) yield { code: 'backend_unusable', object, message: fault, users };
    else if (hostname === undefined && ai === undefined) {
      const all = endpoints?.get(key)?.endpoints ?? [];
      if (all.some(({ health }) => health === 'ready')) continue;
      const message = messageOf(all.length);
      yield { code: 'backend_without_endpoints', object, message, users };
    }
  }
}

function messageOf(endpoints: number): string {
  if (endpoints === 0) return 'it has no endpoint';
  return endpoints === 1 ? 'its only endpoint is not ready' : `none of its ${endpoints} endpoints is ready`;
}
