import type { DataPlaneSpec, KindName, kinds, ObjectByKind, ownGroup } from '../../src/gateway-api/index.ts';

/** Builders of Kubernetes objects as the API server would give them, with only what a test wants to say. */

interface Meta {
  readonly namespace?: string;
  readonly generation?: number;
  readonly created?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export const controllerName = 'gatewright.dev/gateway-controller';

const metadata = (
  name: string,
  { namespace, generation = 1, created = '2026-01-01T00:00:00Z', labels, annotations }: Meta,
) => ({
  name,
  ...(namespace !== undefined && { namespace }),
  uid: `${namespace ?? ''}/${name}`,
  generation,
  creationTimestamp: created,
  ...(labels && { labels }),
  ...(annotations && { annotations }),
});

const gatewayApi = { apiVersion: 'gateway.networking.k8s.io/v1' } as const;

export const gatewayClass = (
  name = 'gatewright',
  controller = controllerName,
  { parametersRef, ...meta }: Meta & Pick<ObjectByKind['GatewayClass']['spec'], 'parametersRef'> = {},
) =>
  ({
    ...gatewayApi,
    kind: 'GatewayClass',
    metadata: metadata(name, meta),
    spec: { controllerName: controller, ...(parametersRef && { parametersRef }) },
  }) as ObjectByKind['GatewayClass'];

/** In namespace default unless given another. */
export const dataPlane = (
  name: string,
  spec: DataPlaneSpec = {},
  { status, ...meta }: Meta & Pick<ObjectByKind['DataPlane'], 'status'> = {},
) =>
  ({
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'DataPlane',
    metadata: metadata(name, { namespace: 'default', ...meta }),
    spec,
    ...(status && { status }),
  }) as ObjectByKind['DataPlane'];

/** A reference to a DataPlane: with a namespace as a class has it, without as a Gateway has it. */
export const dataPlaneRef = (name: string, namespace?: string) => ({
  group: 'gatewright.dev',
  kind: 'DataPlane',
  name,
  ...(namespace !== undefined && { namespace }),
});

type Listener = Partial<ObjectByKind['Gateway']['spec']['listeners'][number]>;

export const listener = (given: Listener = {}) =>
  ({ name: 'http', port: 80, protocol: 'HTTP', ...given }) as ObjectByKind['Gateway']['spec']['listeners'][number];

/** Of the host NAME.test, with the certificate of a Secret. */
export const httpsListener = (name: string, certificate = name) =>
  listener({
    name,
    port: 443,
    protocol: 'HTTPS',
    hostname: `${name}.test`,
    tls: { certificateRefs: [{ name: certificate }] },
  });

type GatewayProgress = Partial<Pick<ObjectByKind['Gateway']['spec'], 'tls' | 'allowedListeners' | 'infrastructure'>> & {
  readonly className?: string;
};

export const gateway = (
  name: string,
  listeners: readonly Listener[] = [{}],
  { tls, allowedListeners, infrastructure, className = 'gatewright', ...meta }: Meta & GatewayProgress = {},
) =>
  ({
    ...gatewayApi,
    kind: 'Gateway',
    metadata: metadata(name, { namespace: 'default', ...meta }),
    spec: {
      gatewayClassName: className,
      ...(infrastructure && { infrastructure }),
      ...(tls && { tls }),
      ...(allowedListeners && { allowedListeners }),
      listeners: listeners.map(listener),
    },
  }) as ObjectByKind['Gateway'];

/** Of the Gateway `edge` in its own namespace. */
export const listenerSet = (
  name: string,
  listeners: readonly Listener[] = [{}],
  { parent, ...meta }: Meta & { readonly parent?: ObjectByKind['ListenerSet']['spec']['parentRef'] } = {},
) =>
  ({
    ...gatewayApi,
    kind: 'ListenerSet',
    metadata: metadata(name, { namespace: 'default', ...meta }),
    spec: { parentRef: parent ?? { name: 'edge' }, listeners: listeners.map(listener) },
  }) as ObjectByKind['ListenerSet'];

/** A route of connections or datagrams. */
export const l4Route = <K extends 'TLSRoute' | 'TCPRoute' | 'UDPRoute'>(
  kind: K,
  name: string,
  spec: Partial<ObjectByKind['TLSRoute']['spec']> = {},
  meta: Meta = {},
) =>
  ({
    ...gatewayApi,
    kind,
    metadata: metadata(name, { namespace: 'default', ...meta }),
    spec: { parentRefs: [{ name: 'edge' }], rules: [{ backendRefs: [{ name: 'web', port: 80 }] }], ...spec },
  }) as unknown as ObjectByKind[K];

type RouteSpec = NonNullable<ObjectByKind['HTTPRoute']['spec']>;

export const httpRoute = (name: string, spec: Partial<RouteSpec> = {}, meta: Meta = {}) =>
  ({
    ...gatewayApi,
    kind: 'HTTPRoute',
    metadata: metadata(name, { namespace: 'default', ...meta }),
    spec: { parentRefs: [{ name: 'edge' }], rules: [{ backendRefs: [{ name: 'web', port: 80 }] }], ...spec },
  }) as ObjectByKind['HTTPRoute'];

type GrpcSpec = NonNullable<ObjectByKind['GRPCRoute']['spec']>;

export const grpcRoute = (name: string, spec: Partial<GrpcSpec> = {}, meta: Meta = {}) =>
  ({
    ...gatewayApi,
    kind: 'GRPCRoute',
    metadata: metadata(name, { namespace: 'default', ...meta }),
    spec: { parentRefs: [{ name: 'edge' }], rules: [{ backendRefs: [{ name: 'web', port: 80 }] }], ...spec },
  }) as ObjectByKind['GRPCRoute'];

export const backendTlsPolicy = (
  name: string,
  spec: Pick<ObjectByKind['BackendTLSPolicy']['spec'], 'targetRefs' | 'validation'>,
  meta: Meta = {},
) =>
  ({
    ...gatewayApi,
    kind: 'BackendTLSPolicy',
    metadata: metadata(name, { namespace: 'default', ...meta }),
    spec,
  }) as ObjectByKind['BackendTLSPolicy'];

export const configMap = (name: string, data: Readonly<Record<string, string>>, meta: Meta = {}) =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata(name, { namespace: 'default', ...meta }),
    data,
  }) as ObjectByKind['ConfigMap'];

export const service = (
  name: string,
  ports: readonly ObjectByKind['Service']['spec'][] | readonly number[] = [80],
  meta: Meta = {},
) =>
  ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(name, { namespace: 'default', ...meta }),
    spec: { ports: ports.map((port) => (typeof port === 'number' ? { port, name: `p${port}` } : port)) },
  }) as unknown as ObjectByKind['Service'];

/** By these labels EndpointSlices say what they are of. */
export const serviceLabel = 'kubernetes.io/service-name';
export const importLabel = 'multicluster.kubernetes.io/service-name';

/** A Service of other clusters; its endpoints are in EndpointSlices that importLabel leads to. */
export const serviceImport = (name: string, ports: readonly number[], meta: Meta = {}) =>
  ({
    apiVersion: 'multicluster.x-k8s.io/v1alpha1',
    kind: 'ServiceImport',
    metadata: metadata(name, { namespace: 'default', ...meta }),
    spec: { type: 'ClusterSetIP', ports: ports.map((port) => ({ port, name: `p${port}`, protocol: 'TCP' })) },
  }) as ObjectByKind['ServiceImport'];

export const endpointSlice = (
  serviceName: string,
  addresses: readonly string[],
  {
    port = 8080,
    portName = 'p80',
    suffix = '1',
    ...meta
  }: Meta & { readonly port?: number; readonly portName?: string; readonly suffix?: string } = {},
) =>
  ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: metadata(`${serviceName}-${suffix}`, {
      namespace: 'default',
      labels: { [serviceLabel]: serviceName },
      ...meta,
    }),
    addressType: 'IPv4',
    ports: [{ name: portName, port }],
    endpoints: addresses.map((address) => ({ addresses: [address] })),
  }) as ObjectByKind['EndpointSlice'];

export const namespace = (name: string, labels: Readonly<Record<string, string>> = {}) =>
  ({ apiVersion: 'v1', kind: 'Namespace', metadata: metadata(name, { labels }) }) as ObjectByKind['Namespace'];

export const secret = (name: string, data: Readonly<Record<string, string>>, meta: Meta = {}) =>
  ({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: metadata(name, { namespace: 'default', ...meta }),
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
  }) as ObjectByKind['Secret'];

export const referenceGrant = (
  name: string,
  spec: {
    readonly from: readonly [kind: string, namespace: string];
    readonly to: readonly [kind: string, name?: string];
  },
  meta: Meta = {},
) =>
  ({
    ...gatewayApi,
    kind: 'ReferenceGrant',
    metadata: metadata(name, { namespace: 'default', ...meta }),
    spec: {
      from: [{ group: 'gateway.networking.k8s.io', kind: spec.from[0], namespace: spec.from[1] }],
      to: [
        {
          group: spec.to[0] === 'AIService' ? 'gatewright.dev' : '',
          kind: spec.to[0],
          ...(spec.to[1] && { name: spec.to[1] }),
        },
      ],
    },
  }) as ObjectByKind['ReferenceGrant'];

type OwnKindName = {
  readonly [K in KindName]: (typeof kinds)[K]['group'] extends typeof ownGroup ? K : never;
}[KindName];

/** An object of a kind of our own. */
export const ownObject = <K extends OwnKindName>(kind: K, name: string, spec: object, meta: Meta = {}) =>
  ({
    apiVersion: 'gatewright.dev/v1alpha1',
    kind,
    metadata: metadata(name, { namespace: 'default', ...meta }),
    spec,
  }) as unknown as ObjectByKind[K];

/** An object of a kind that has no standard form yet. */
export const xObject = <K extends 'XBackend' | 'XBackendTrafficPolicy' | 'XTelemetryPolicy'>(
  kind: K,
  name: string,
  spec: object,
  meta: Meta = {},
) =>
  ({
    apiVersion: 'gateway.networking.x-k8s.io/v1alpha1',
    kind,
    metadata: metadata(name, { namespace: 'default', ...meta }),
    spec,
  }) as ObjectByKind[K];

/** An object of our own kinds for requests to models. */
export const aiObject = <K extends 'AIService' | 'TokenPolicy'>(kind: K, name: string, spec: object, meta: Meta = {}) =>
  ({
    apiVersion: 'gatewright.dev/v1alpha1',
    kind,
    metadata: metadata(name, { namespace: 'default', ...meta }),
    spec,
  }) as ObjectByKind[K];

export const inferencePool = (name: string, spec: object, meta: Meta = {}) =>
  ({
    apiVersion: 'inference.networking.k8s.io/v1',
    kind: 'InferencePool',
    metadata: metadata(name, { namespace: 'default', ...meta }),
    spec,
  }) as ObjectByKind['InferencePool'];

export const pod = (
  name: string,
  labels: Readonly<Record<string, string>>,
  ip: string,
  ready = 'True',
  namespaceName = 'default',
) =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadata(name, { namespace: namespaceName, labels }),
    status: { podIPs: [{ ip }], conditions: [{ type: 'Ready', status: ready }] },
  }) as ObjectByKind['Pod'];

export const clusterTrustBundle = (name: string, trustBundle: string) =>
  ({
    apiVersion: 'certificates.k8s.io/v1beta1',
    kind: 'ClusterTrustBundle',
    metadata: metadata(name, {}),
    spec: { trustBundle },
  }) as ObjectByKind['ClusterTrustBundle'];
