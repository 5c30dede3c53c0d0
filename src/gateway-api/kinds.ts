/** The group of the Gateway API's kinds that have no standard form yet. */
export const experimentalGroup = 'gateway.networking.x-k8s.io';

/** The group of our own kinds. */
export const ownGroup = 'gatewright.dev';

/** A kind of object this program reads, with where the API server keeps it. */
export interface Kind {
  /** `HTTPRoute` */
  readonly name: string;
  /** `gateway.networking.k8s.io`; empty for the core group. */
  readonly group: string;
  /** `v1` */
  readonly version: string;
  /** `httproutes` */
  readonly plural: string;
  readonly namespaced: boolean;
  /** Read only while this other kind is installed, for it is of no use without, and there is a lot of it. */
  readonly onlyWith?: string;
  /** What the API server is asked for of it, where some of it can be of no use. */
  readonly fieldSelector?: string;
}

const gatewayApi = (name: string, plural: string, namespaced = true): Kind => ({
  name,
  group: 'gateway.networking.k8s.io',
  version: 'v1',
  plural,
  namespaced,
});

/** Kinds of the experimental channel alone. */
const experimental = (name: string, plural: string): Kind => ({
  name,
  group: experimentalGroup,
  version: 'v1alpha1',
  plural,
  namespaced: true,
});

const own = (name: string, plural: string): Kind => ({
  name,
  group: ownGroup,
  version: 'v1alpha1',
  plural,
  namespaced: true,
});

const core = (name: string, plural: string, namespaced = true): Kind => ({
  name,
  group: '',
  version: 'v1',
  plural,
  namespaced,
});

/**
 * Types of Secrets that nothing here can use: tokens of ServiceAccounts and nodes, keys of registries and for SSH, and releases of
 * Helm, which are the largest. They stay where they are.
 */
const notOfUse: readonly string[] = [
  'kubernetes.io/service-account-token',
  'kubernetes.io/dockercfg',
  'kubernetes.io/dockerconfigjson',
  'kubernetes.io/ssh-auth',
  'bootstrap.kubernetes.io/token',
  'helm.sh/release.v1',
];

/** Every kind that is read, in the order in which a start reads best: what others refer to comes first. */
export const kinds = {
  Namespace: core('Namespace', 'namespaces', false),
  GatewayClass: gatewayApi('GatewayClass', 'gatewayclasses', false),
  ReferenceGrant: gatewayApi('ReferenceGrant', 'referencegrants'),
  ConfigMap: core('ConfigMap', 'configmaps'),
  Secret: { ...core('Secret', 'secrets'), fieldSelector: notOfUse.map((type) => `type!=${type}`).join() },
  Service: core('Service', 'services'),
  EndpointSlice: {
    name: 'EndpointSlice',
    group: 'discovery.k8s.io',
    version: 'v1',
    plural: 'endpointslices',
    namespaced: true,
  },
  Pod: { ...core('Pod', 'pods'), onlyWith: 'XBackend' },
  ClusterTrustBundle: {
    name: 'ClusterTrustBundle',
    group: 'certificates.k8s.io',
    version: 'v1beta1',
    plural: 'clustertrustbundles',
    namespaced: false,
  },
  XBackend: experimental('XBackend', 'xbackends'),
  XBackendTrafficPolicy: experimental('XBackendTrafficPolicy', 'xbackendtrafficpolicies'),
  DataPlane: own('DataPlane', 'dataplanes'),
  BackendPolicy: own('BackendPolicy', 'backendpolicies'),
  AIService: own('AIService', 'aiservices'),
  TokenPolicy: own('TokenPolicy', 'tokenpolicies'),
  BackendTLSPolicy: gatewayApi('BackendTLSPolicy', 'backendtlspolicies'),
  ListenerPolicy: own('ListenerPolicy', 'listenerpolicies'),
  Gateway: gatewayApi('Gateway', 'gateways'),
  ListenerSet: gatewayApi('ListenerSet', 'listenersets'),
  HTTPRoute: gatewayApi('HTTPRoute', 'httproutes'),
  GRPCRoute: gatewayApi('GRPCRoute', 'grpcroutes'),
  TLSRoute: gatewayApi('TLSRoute', 'tlsroutes'),
  TCPRoute: gatewayApi('TCPRoute', 'tcproutes'),
  UDPRoute: gatewayApi('UDPRoute', 'udproutes'),
} as const satisfies Record<string, Kind>;

export type KindName = keyof typeof kinds;

/** The kinds of route among them. */
export type RouteKindName = Extract<KindName, `${string}Route`>;

export const isRouteKind = (kind: string): kind is RouteKindName => kind.endsWith('Route') && kind in kinds;

const apiVersions = new WeakMap<Kind, string>();

/** `gateway.networking.k8s.io/v1`, or `v1` in the core group. One string for each kind, for all objects that are kept have it. */
export function apiVersionOf(kind: Kind): string {
  const known = apiVersions.get(kind);
  if (known !== undefined) return known;
  const made = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  apiVersions.set(kind, made);
  return made;
}
