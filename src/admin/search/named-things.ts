import { type KindName, type KubernetesObject, parseObjectKey } from '../../gateway-api/index.ts';
import { listServed } from '../certificates/list-certificates.ts';
import { listNamespaces } from '../namespaces/list-namespaces.ts';
import type { AdminSources } from '../sources.ts';
import type { FoundRecord } from './record.ts';

/** Something with a name, and hostnames if it has some. */
export interface NamedThing {
  readonly object: FoundRecord['matches'][number]['object'];
  readonly hostnames: readonly string[];
  /** What people call it, where its name is longer. */
  readonly alias?: string;
}

/** In the order in which they are shown where several have one name. Secrets are found as certificates, which listeners name anyway. */
const kinds: readonly KindName[] = [
  'HTTPRoute',
  'GRPCRoute',
  'TLSRoute',
  'TCPRoute',
  'UDPRoute',
  'Gateway',
  'ListenerSet',
  'Service',
  'ServiceImport',
  'AIService',
  'XBackend',
  'InferencePool',
  'AccessPolicy',
  'BackendPolicy',
  'ListenerPolicy',
  'TokenPolicy',
  'TrafficPolicy',
  'HTTPFilter',
  'RateLimitPolicy',
  'ExtensionPolicy',
  'EnvoyPatch',
  'BackendTLSPolicy',
  'XBackendTrafficPolicy',
  'XTelemetryPolicy',
  'DataPlane',
  'GatewayClass',
  'ReferenceGrant',
];

/** Everything that a person may mean by a name. */
export function* namedThings(sources: Pick<AdminSources, 'graph' | 'nodes'>): Generator<NamedThing> {
  const { graph, nodes } = sources;
  for (const kind of kinds) {
    for (const object of graph.list(kind)) {
      const { namespace = '', name } = object.metadata;
      yield { object: { kind, namespace, name }, hostnames: hostnamesOf(object) };
    }
  }
  for (const { name, gateway, hostname } of graph.listeners())
    yield {
      object: { kind: 'Listener', namespace: gateway.namespace, name },
      hostnames: hostname === undefined ? [] : [hostname],
      alias: name.slice(name.lastIndexOf('.') + 1),
    };
  for (const { key } of listServed(sources))
    yield { object: { kind: 'Certificate', ...parseObjectKey(key) }, hostnames: [] };
  for (const { nodeId } of nodes.list()) yield { object: { kind: 'Node', namespace: '', name: nodeId }, hostnames: [] };
  for (const name of listNamespaces(graph)) yield { object: { kind: 'Namespace', namespace: '', name }, hostnames: [] };
}

const hostnamesOf = ({ spec }: KubernetesObject & { readonly spec?: unknown }): readonly string[] =>
  (spec as { readonly hostnames?: readonly string[] } | undefined)?.hostnames ?? [];
