import fc from 'fast-check';
import type { KindName } from '../../../../src/gateway-api/index.ts';
import type { AnyObject } from '../../../support/world.ts';
import { accessPolicies } from './accesspolicy.ts';
import { aiServices } from './aiservice.ts';
import { backendPolicies } from './backendpolicy.ts';
import { backendTlsPolicies } from './backendtlspolicy.ts';
import { clusterTrustBundles } from './clustertrustbundle.ts';
import { configMaps } from './configmap.ts';
import { dataPlanes } from './dataplane.ts';
import { dynamicBackends } from './dynamicbackend.ts';
import { endpointSlices } from './endpointslice.ts';
import { envoyPatches } from './envoypatch.ts';
import { extensionPolicies } from './extensionpolicy.ts';
import { gateways } from './gateway.ts';
import { gatewayClasses } from './gatewayclass.ts';
import { grpcRoutes } from './grpcroute.ts';
import { httpFilters } from './httpfilter.ts';
import { httpRoutes } from './httproute.ts';
import { inferencePools } from './inferencepool.ts';
import { l4Routes } from './l4route.ts';
import { listenerPolicies } from './listenerpolicy.ts';
import { listenerSets } from './listenerset.ts';
import { teamNamespaces } from './namespace.ts';
import { pods } from './pod.ts';
import { rateLimitPolicies } from './ratelimitpolicy.ts';
import { referenceGrants } from './referencegrant.ts';
import { secrets } from './secret.ts';
import { services } from './service.ts';
import { serviceImports } from './serviceimport.ts';
import type { Shares, WorldName } from './shares.ts';
import { tokenPolicies } from './tokenpolicy.ts';
import { trafficPolicies } from './trafficpolicy.ts';
import { xBackendObjects } from './xbackend.ts';
import { xBackendTrafficPolicies } from './xbackendtrafficpolicy.ts';
import { xTelemetryPolicies } from './xtelemetrypolicy.ts';

/** The objects of each kind, in the worlds that have some. A new kind has no place here until it has its file: the compiler names it. */
const sharesOf: Readonly<Record<KindName, Shares>> = {
  HTTPRoute: httpRoutes,
  TLSRoute: l4Routes,
  GRPCRoute: grpcRoutes,
  BackendTLSPolicy: backendTlsPolicies,
  ConfigMap: configMaps,
  Gateway: gateways,
  DataPlane: dataPlanes,
  Service: services,
  ServiceImport: serviceImports,
  EndpointSlice: endpointSlices,
  Secret: secrets,
  ReferenceGrant: referenceGrants,
  Namespace: teamNamespaces,
  GatewayClass: gatewayClasses,
  XBackend: xBackendObjects,
  InferencePool: inferencePools,
  XBackendTrafficPolicy: xBackendTrafficPolicies,
  XTelemetryPolicy: xTelemetryPolicies,
  AccessPolicy: accessPolicies,
  TrafficPolicy: trafficPolicies,
  RateLimitPolicy: rateLimitPolicies,
  ExtensionPolicy: extensionPolicies,
  HTTPFilter: httpFilters,
  BackendPolicy: backendPolicies,
  EnvoyPatch: envoyPatches,
  Pod: pods,
  ClusterTrustBundle: clusterTrustBundles,
  // The graph itself does nothing with them.
  IngressClass: {},
  Ingress: {},
  AIService: aiServices,
  DynamicBackend: dynamicBackends,
  TokenPolicy: tokenPolicies,
  ListenerSet: listenerSets,
  ListenerPolicy: listenerPolicies,
  TCPRoute: l4Routes,
  UDPRoute: l4Routes,
};

/** A world is the union of what kinds have in it. Their order belongs to what a seed means. */
function union(world: WorldName, order: readonly KindName[]): fc.Arbitrary<AnyObject> {
  const parts = order.map((kind) => sharesOf[kind][world]);
  const all = new Set(Object.values(sharesOf).map((shares) => shares[world]));
  const left = all.difference(new Set([undefined, ...parts]));
  if (left.size > 0 || parts.includes(undefined))
    throw new Error(`the order of the world ${world} is not of its kinds`);
  return fc.oneof(...parts.filter((part) => part !== undefined));
}

/** Worlds of few objects that meet, by what they try. */
export const worlds = {
  /** Policies of traffic, with what they are for. */
  traffic: union('traffic', ['TrafficPolicy']),
  /** All kinds that are standard, anywhere. */
  anywhere: union('anywhere', [
    'HTTPRoute',
    'TLSRoute',
    'GRPCRoute',
    'BackendTLSPolicy',
    'ConfigMap',
    'Gateway',
    'DataPlane',
    'Service',
    'EndpointSlice',
    'Secret',
    'ReferenceGrant',
    'Namespace',
    'GatewayClass',
    'HTTPFilter',
  ]),
  /** Objects that meet in nearly every run: listeners that do not conflict, and routes of connections for them. */
  streams: union('streams', [
    'TLSRoute',
    'Gateway',
    'BackendTLSPolicy',
    'ConfigMap',
    'Secret',
    'HTTPRoute',
    'Service',
    'GatewayClass',
  ]),
  /** Kinds and fields of the experimental channel, with few of everything else. */
  experimental: union('experimental', [
    'HTTPRoute',
    'Gateway',
    'XBackend',
    'XBackendTrafficPolicy',
    'XTelemetryPolicy',
    'DynamicBackend',
    'BackendPolicy',
    'Pod',
    'ClusterTrustBundle',
    'ConfigMap',
    'Secret',
    'Service',
    'ServiceImport',
    'EndpointSlice',
    'GatewayClass',
    'InferencePool',
    'EnvoyPatch',
  ]),
  /** Routes that choose among services by model, with all that these refer to. */
  models: union('models', [
    'HTTPRoute',
    'AIService',
    'TokenPolicy',
    'Secret',
    'ConfigMap',
    'ReferenceGrant',
    'Gateway',
    'Service',
    'GatewayClass',
    'InferencePool',
    'Pod',
  ]),
  /** A Gateway whose ports are shared with ListenerSets, and routes that name either. */
  sets: union('sets', [
    'ListenerSet',
    'Gateway',
    'HTTPRoute',
    'Secret',
    'ReferenceGrant',
    'Namespace',
    'ListenerPolicy',
    'Service',
    'GatewayClass',
  ]),
  /** Several Gateways of a class that shares its proxies, or does not, with all that they can take from each other. */
  fleets: union('fleets', [
    'Gateway',
    'DataPlane',
    'GatewayClass',
    'ListenerSet',
    'HTTPRoute',
    'TLSRoute',
    'ListenerPolicy',
    'Secret',
    'Service',
    'BackendTLSPolicy',
    'ReferenceGrant',
  ]),
  /** Policies of access and of limits on Gateways, routes and rules, with what they refer to. */
  access: union('access', ['AccessPolicy', 'RateLimitPolicy', 'ExtensionPolicy', 'EnvoyPatch']),
} as const;
