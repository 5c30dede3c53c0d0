import { apiVersionOf, type KindName, kinds } from '../../gateway-api/index.ts';
import { isManagedKind } from '../managed-resources/managed-kinds.ts';
import type { AdminSources } from '../sources.ts';

export type KindCategory = 'gateway' | 'route' | 'policy' | 'backend' | 'ai' | 'core';

/** A kind of object that is read, and whether it can be had and written here. */
export interface ResourceKindRecord {
  readonly kind: KindName;
  readonly apiVersion: string;
  readonly category: KindCategory;
  readonly description: string;
  readonly namespaced: boolean;
  readonly writable: boolean;
  /** Why it is not, and what would help; empty when writable, and for kinds that are not managed. */
  readonly writableMessage: string;
  readonly available: boolean;
  /** Empty when available. */
  readonly availabilityMessage: string;
}

const facts: Readonly<Record<KindName, readonly [KindCategory, string]>> = {
  Namespace: ['core', 'Labels by which listeners choose whose routes they take'],
  GatewayClass: ['gateway', 'Says that Gateways which name it are served here'],
  ReferenceGrant: ['policy', 'Lets objects of other namespaces refer to what is in this one'],
  ConfigMap: ['core', 'Certificates of authorities that clients or backends are checked by'],
  Secret: ['core', 'Certificates and keys of listeners, and what AIServices are called with'],
  Service: ['backend', 'Where routes forward to'],
  EndpointSlice: ['backend', 'The addresses behind a Service'],
  Pod: ['backend', 'The addresses behind an XBackend that selects Pods'],
  ClusterTrustBundle: ['core', 'Certificates of authorities for everybody in the cluster'],
  XBackend: ['backend', 'Something outside the cluster, or Pods, that routes forward to'],
  XBackendTrafficPolicy: ['policy', 'How requests to a Service are tried again'],
  DataPlane: ['gateway', 'How the proxies of Gateways are run'],
  BackendPolicy: ['policy', 'How proxies treat backends: health checks, limits, choice of endpoints, timeouts'],
  AIService: ['ai', 'A provider of models that routes forward to'],
  TokenPolicy: ['ai', 'Budgets of tokens or money for requests to models'],
  BackendTLSPolicy: ['policy', 'TLS to a Service, with the name and authorities it is checked by'],
  ListenerPolicy: ['policy', 'How proxies treat clients: TLS, timeouts, limits, HTTP/3, addresses, logs, traces'],
  Gateway: ['gateway', 'Listeners, and the proxies that open them'],
  ListenerSet: ['gateway', 'Listeners that others add to a Gateway'],
  HTTPRoute: ['route', 'HTTP requests by host, path, header, method and query'],
  GRPCRoute: ['route', 'gRPC calls by host, service, method and header'],
  TLSRoute: ['route', 'TLS connections by the name that the client asks for'],
  TCPRoute: ['route', 'Connections of a port'],
  UDPRoute: ['route', 'Datagrams of a port'],
};

/** Every kind that is read. */
export const listResourceKinds = (): readonly KindName[] => Object.keys(kinds) as KindName[];

export const kindCategory = (kind: KindName): KindCategory => facts[kind][0];

export function resourceKindRecord(name: KindName, { availability, managed }: AdminSources): ResourceKindRecord {
  const [category, description] = facts[name];
  const { available, message } = availability(name);
  const { writableKinds, writeAdvice } = managed();
  const writable = available && writableKinds.has(name);
  return {
    kind: name,
    apiVersion: apiVersionOf(kinds[name]),
    category,
    description,
    namespaced: kinds[name].namespaced,
    writable,
    writableMessage: available && !writable && isManagedKind(kinds[name]) ? writeAdvice : '',
    available,
    availabilityMessage: available ? '' : message,
  };
}
