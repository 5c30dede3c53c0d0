import type { SourceKind } from '../kit/read.ts';

export const egGroup = 'gateway.envoyproxy.io';
export const gatewayGroup = 'gateway.networking.k8s.io';
export const ownGroup = 'gatewright.dev';

/** What Envoy Gateway calls itself in GatewayClasses, unless its configuration says otherwise. */
export const egController = 'gateway.envoyproxy.io/gatewayclass-controller';
export const ownController = 'gatewright.dev/gateway-controller';

const eg = (kind: string, plural: string): SourceKind => ({
  kind,
  types: [{ group: egGroup, version: 'v1alpha1', plural }],
});
const gateway = (kind: string, plural: string, ...versions: readonly string[]): SourceKind => ({
  kind,
  types: ['v1', ...versions].map((version) => ({ group: gatewayGroup, version, plural })),
});

/** Kinds of routes, of which policies are for. */
export const routeKinds = ['HTTPRoute', 'GRPCRoute', 'TLSRoute', 'TCPRoute', 'UDPRoute'] as const;

/** All that is read of a cluster or of files. Secrets are not. */
export const envoyGatewayKinds: readonly SourceKind[] = [
  gateway('GatewayClass', 'gatewayclasses'),
  gateway('Gateway', 'gateways'),
  gateway('ListenerSet', 'listenersets'),
  gateway('HTTPRoute', 'httproutes'),
  gateway('GRPCRoute', 'grpcroutes'),
  gateway('TLSRoute', 'tlsroutes', 'v1alpha3', 'v1alpha2'),
  gateway('TCPRoute', 'tcproutes', 'v1alpha2'),
  gateway('UDPRoute', 'udproutes', 'v1alpha2'),
  gateway('ReferenceGrant', 'referencegrants', 'v1beta1'),
  eg('SecurityPolicy', 'securitypolicies'),
  eg('BackendTrafficPolicy', 'backendtrafficpolicies'),
  eg('ClientTrafficPolicy', 'clienttrafficpolicies'),
  eg('EnvoyExtensionPolicy', 'envoyextensionpolicies'),
  eg('EnvoyPatchPolicy', 'envoypatchpolicies'),
  eg('HTTPRouteFilter', 'httproutefilters'),
  eg('Backend', 'backends'),
  eg('EnvoyProxy', 'envoyproxies'),
];
