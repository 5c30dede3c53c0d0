import type { KindName } from '../gateway-api/index.ts';
import type { Graph } from '../graph/index.ts';
import type { Reconciler } from './reconciler.ts';
import { storeKind } from './store-kind.ts';

/** The reconciler of each kind that is read. */
export const createReconcilers = (graph: Graph): Readonly<Record<KindName, Reconciler>> => ({
  Namespace: storeKind('Namespace', graph),
  GatewayClass: storeKind('GatewayClass', graph),
  ReferenceGrant: storeKind('ReferenceGrant', graph),
  ConfigMap: storeKind('ConfigMap', graph),
  Secret: storeKind('Secret', graph),
  Service: storeKind('Service', graph),
  EndpointSlice: storeKind('EndpointSlice', graph),
  Pod: storeKind('Pod', graph),
  ClusterTrustBundle: storeKind('ClusterTrustBundle', graph),
  XBackend: storeKind('XBackend', graph),
  XBackendTrafficPolicy: storeKind('XBackendTrafficPolicy', graph),
  DataPlane: storeKind('DataPlane', graph),
  BackendPolicy: storeKind('BackendPolicy', graph),
  AIService: storeKind('AIService', graph),
  TokenPolicy: storeKind('TokenPolicy', graph),
  BackendTLSPolicy: storeKind('BackendTLSPolicy', graph),
  ListenerPolicy: storeKind('ListenerPolicy', graph),
  Gateway: storeKind('Gateway', graph),
  ListenerSet: storeKind('ListenerSet', graph),
  HTTPRoute: storeKind('HTTPRoute', graph),
  GRPCRoute: storeKind('GRPCRoute', graph),
  TLSRoute: storeKind('TLSRoute', graph),
  TCPRoute: storeKind('TCPRoute', graph),
  UDPRoute: storeKind('UDPRoute', graph),
});
