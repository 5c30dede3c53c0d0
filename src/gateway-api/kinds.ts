import { definedKinds } from './gen/kinds.ts';

/** The group of the Gateway API's kinds that have no standard form yet. */
export const experimentalGroup = 'gateway.networking.x-k8s.io';

/** The group of our own kinds. */
export const ownGroup = 'gatewright.dev';

/** The group of kinds by which clusters share Services. Source: KEP-1645, GEP-1748. */
export const multiclusterGroup = 'multicluster.x-k8s.io';

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
  /** Read in these where the API server does not serve `version`: what they say is the same. No status is written to such a kind. */
  readonly formerVersions?: readonly string[];
  /** Read only while one of these other kinds is installed, for it is of no use without, and there is a lot of it. */
  readonly onlyWith?: readonly string[];
  /** What the API server is asked for of it, where some of it can be of no use. */
  readonly fieldSelector?: string;
  /** Read only where the configuration switches this on. */
  readonly optIn?: OptIn;
  /** Without an object of the kind, what it is for is open: this in its `spec`, beside `targetRefs`, closes that. */
  readonly closingSpec?: object;
}

/** What the configuration switches on, where it brings kinds with it. */
export type OptIn = 'ingress' | 'envoyPatches';

/**
 * Where a status keeps its conditions: in its entries for `ancestors` or for `parents`, in its entries for `listeners` and beside these, or
 * beside each other alone. `gateways`: in entries for `parents` that the object does not name, the Gateways that use it. `none`: nothing is
 * written to objects of the kind.
 */
export type StatusForm = 'ancestors' | 'parents' | 'gateways' | 'listeners' | 'conditions' | 'none';

/** What else its definition says of a kind. */
export interface KindFacts extends Kind {
  /** `gtw`: what users may write for its name; none that only repeats it. */
  readonly shortNames: readonly string[];
  readonly statusForm: StatusForm;
  /** Whether it is attached to other objects by `spec.targetRefs`. Source: GEP-713. */
  readonly targetRefs: boolean;
  /** The longest list of ancestors that the API server takes, where a status has one. */
  readonly maxAncestors?: number;
}

const core = <Name extends string>(name: Name, plural: string, namespaced = true) =>
  ({
    name,
    group: '',
    version: 'v1',
    plural,
    namespaced,
    shortNames: [],
    statusForm: 'none',
    targetRefs: false,
  }) as const;

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

/** Kinds of Kubernetes itself, and of its extensions whose definitions we do not have. */
const coreKinds = {
  Namespace: core('Namespace', 'namespaces', false),
  ConfigMap: core('ConfigMap', 'configmaps'),
  Secret: { ...core('Secret', 'secrets'), fieldSelector: notOfUse.map((type) => `type!=${type}`).join() },
  Service: core('Service', 'services'),
  ServiceImport: {
    ...core('ServiceImport', 'serviceimports'),
    group: multiclusterGroup,
    version: 'v1alpha1',
    shortNames: ['svcim'],
  },
  EndpointSlice: { ...core('EndpointSlice', 'endpointslices'), group: 'discovery.k8s.io' },
  Pod: { ...core('Pod', 'pods'), onlyWith: ['XBackend', 'InferencePool'] },
  ClusterTrustBundle: {
    ...core('ClusterTrustBundle', 'clustertrustbundles', false),
    group: 'certificates.k8s.io',
    version: 'v1beta1',
  },
  IngressClass: {
    ...core('IngressClass', 'ingressclasses', false),
    group: 'networking.k8s.io',
    optIn: 'ingress',
  },
  Ingress: {
    ...core('Ingress', 'ingresses'),
    group: 'networking.k8s.io',
    shortNames: ['ing'],
    optIn: 'ingress',
  },
} as const;

const allKinds = {
  ...coreKinds,
  ...definedKinds,
  // The Gateway API has `v1` since its release 1.5.
  ReferenceGrant: { ...definedKinds.ReferenceGrant, formerVersions: ['v1beta1'] },
  AccessPolicy: { ...definedKinds.AccessPolicy, closingSpec: { authorization: {} } },
  EnvoyPatch: { ...definedKinds.EnvoyPatch, optIn: 'envoyPatches' },
} as const satisfies Record<string, KindFacts>;

export type KindName = keyof typeof allKinds;

/** A start reads best when what others refer to comes first. Kinds of ours that are not here follow, then Gateways and routes. */
const readFirst: readonly KindName[] = [
  'Namespace',
  'GatewayClass',
  'ReferenceGrant',
  'ConfigMap',
  'Secret',
  'Service',
  'ServiceImport',
  'EndpointSlice',
  'Pod',
  'ClusterTrustBundle',
  'IngressClass',
  'XBackend',
  'InferencePool',
  'DynamicBackend',
  'XBackendTrafficPolicy',
  'DataPlane',
  'BackendPolicy',
  'EnvoyPatch',
  'AIService',
  'TokenPolicy',
  'BackendTLSPolicy',
  'ListenerPolicy',
  'XTelemetryPolicy',
];

/** Every kind that can be read, in the order of reading. */
export const kinds = Object.fromEntries(
  [...new Set([...readFirst, ...(Object.keys(allKinds) as KindName[])])].map((name) => [name, allKinds[name]]),
) as typeof allKinds;

/** The kinds that are read where the configuration switches on what is given, in the order of reading. */
export const kindsRead = (...optIns: readonly OptIn[]): readonly KindFacts[] =>
  Object.values<KindFacts>(kinds).filter(({ optIn }) => optIn === undefined || optIns.includes(optIn));

/** The kinds whose status has a form, in the order of reading. */
export const kindsOfForm = <Form extends StatusForm>(form: Form): readonly KindNameOfForm<Form>[] =>
  Object.values(kinds).flatMap(({ name, statusForm }) => (statusForm === form ? [name as KindNameOfForm<Form>] : []));

/** The kinds whose status has a form. */
export type KindNameOfForm<Form extends StatusForm> = {
  readonly [K in KindName]: (typeof allKinds)[K]['statusForm'] extends Form ? K : never;
}[KindName];

/** The kinds of route among them. */
export type RouteKindName = Extract<KindName, `${string}Route`>;

/** Whether a kind is one of Kubernetes itself: others need their definitions installed. */
export const isCoreKind = ({ name }: Pick<Kind, 'name'>): boolean => Object.hasOwn(coreKinds, name);

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
