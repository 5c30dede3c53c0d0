import type { KindName } from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';

/** Objects of these may be in namespaces that are nowhere declared, as in a directory of files. */
const inhabitants: readonly KindName[] = [
  'Gateway',
  'ListenerSet',
  'HTTPRoute',
  'GRPCRoute',
  'TLSRoute',
  'TCPRoute',
  'UDPRoute',
  'Service',
  'BackendTLSPolicy',
  'ReferenceGrant',
];

/** Every namespace that is declared, or that something we serve is in; each once. */
export function listNamespaces(graph: GraphView): Set<string> {
  const names = new Set<string>();
  for (const { metadata } of graph.list('Namespace')) names.add(metadata.name);
  for (const kind of inhabitants) {
    for (const { metadata } of graph.list(kind)) if (metadata.namespace !== undefined) names.add(metadata.namespace);
  }
  return names;
}
