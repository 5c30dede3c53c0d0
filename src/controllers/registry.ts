import type { KindModules } from '../graph/engine/index.ts';
import { accessPolicyModule } from './accesspolicy/index.ts';
import { aiServiceModule } from './aiservice/index.ts';
import { backendPolicyModule } from './backendpolicy/index.ts';
import { backendTlsPolicyModule } from './backendtlspolicy/index.ts';
import { clusterTrustBundleModule } from './clustertrustbundle/index.ts';
import { configMapModule } from './configmap/index.ts';
import { dataPlaneModule } from './dataplane/index.ts';
import { dynamicBackendModule } from './dynamicbackend/index.ts';
import { endpointSliceModule } from './endpointslice/index.ts';
import { envoyPatchModule } from './envoypatch/index.ts';
import { extensionPolicyModule } from './extensionpolicy/index.ts';
import { gatewayModule } from './gateway/index.ts';
import { gatewayClassModule } from './gatewayclass/index.ts';
import { grpcRouteModule } from './grpcroute/index.ts';
import { httpFilterModule } from './httpfilter/index.ts';
import { httpRouteModule } from './httproute/index.ts';
import { inferencePoolModule } from './inferencepool/index.ts';
import { ingressModule } from './ingress/index.ts';
import { ingressClassModule } from './ingressclass/index.ts';
import { listenerPolicyModule } from './listenerpolicy/index.ts';
import { listenerSetModule } from './listenerset/index.ts';
import { namespaceModule } from './namespace/index.ts';
import { podModule } from './pod/index.ts';
import { rateLimitPolicyModule } from './ratelimitpolicy/index.ts';
import { referenceGrantModule } from './referencegrant/index.ts';
import { secretModule } from './secret/index.ts';
import { serviceModule } from './service/index.ts';
import { serviceImportModule } from './serviceimport/index.ts';
import { tcpRouteModule } from './tcproute/index.ts';
import { tlsRouteModule } from './tlsroute/index.ts';
import { tokenPolicyModule } from './tokenpolicy/index.ts';
import { trafficPolicyModule } from './trafficpolicy/index.ts';
import { udpRouteModule } from './udproute/index.ts';
import { xBackendModule } from './xbackend/index.ts';
import { xBackendTrafficPolicyModule } from './xbackendtrafficpolicy/index.ts';
import { xTelemetryPolicyModule } from './xtelemetrypolicy/index.ts';

/** The module of each kind. Where policies of several kinds speak of the same backend, they apply in this order. */
export const kindModules: KindModules = {
  Namespace: namespaceModule,
  GatewayClass: gatewayClassModule,
  ReferenceGrant: referenceGrantModule,
  ConfigMap: configMapModule,
  Secret: secretModule,
  Service: serviceModule,
  ServiceImport: serviceImportModule,
  EndpointSlice: endpointSliceModule,
  Pod: podModule,
  ClusterTrustBundle: clusterTrustBundleModule,
  IngressClass: ingressClassModule,
  Ingress: ingressModule,
  XBackend: xBackendModule,
  InferencePool: inferencePoolModule,
  DynamicBackend: dynamicBackendModule,
  XBackendTrafficPolicy: xBackendTrafficPolicyModule,
  DataPlane: dataPlaneModule,
  BackendPolicy: backendPolicyModule,
  EnvoyPatch: envoyPatchModule,
  AIService: aiServiceModule,
  TokenPolicy: tokenPolicyModule,
  BackendTLSPolicy: backendTlsPolicyModule,
  ListenerPolicy: listenerPolicyModule,
  XTelemetryPolicy: xTelemetryPolicyModule,
  AccessPolicy: accessPolicyModule,
  TrafficPolicy: trafficPolicyModule,
  RateLimitPolicy: rateLimitPolicyModule,
  ExtensionPolicy: extensionPolicyModule,
  HTTPFilter: httpFilterModule,
  Gateway: gatewayModule,
  ListenerSet: listenerSetModule,
  HTTPRoute: httpRouteModule,
  GRPCRoute: grpcRouteModule,
  TLSRoute: tlsRouteModule,
  TCPRoute: tcpRouteModule,
  UDPRoute: udpRouteModule,
};
