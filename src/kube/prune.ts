import {
  activePortsAnnotation,
  apiVersionOf,
  credentialsLabel,
  isRouteKind,
  type Kind,
  type KubernetesObject,
  type Metadata,
} from '../gateway-api/index.ts';
import { shareRoute } from './share-route.ts';

type Json = Readonly<Record<string, unknown>>;

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Keys of a Secret that a listener, a backend's TLS, an AIService, an AccessPolicy or an HTTPFilter can use. All others never stay in memory, unless the
 * object is labelled for that: keys of clients have the clients' names.
 */
const secretKeys = [
  'tls.crt',
  'tls.key',
  'ca.crt',
  'ca.crl',
  'apiKey',
  'api-key',
  'token',
  '.htpasswd',
  'auth',
  'jwks.json',
  'client-secret',
  'login.key',
  'credential',
];
/** Besides pages for errors, `body` is that of an HTTPFilter, and the script that of an ExtensionPolicy. */
const configMapKeys = ['ca.crt', 'ca.crl', 'jwks.json', 'error.html', 'error.json', 'error.txt', 'body', 'script.lua'];

const isLabelled = ({ labels }: Metadata): boolean => labels?.[credentialsLabel] === 'true';

/**
 * The part of an object that this program uses, as a new object: no `managedFields`, no last-applied configuration, and for the core kinds
 * only the fields of their types in `gateway-api`. A cluster has far more of what is dropped here than of what is kept.
 * Gateway API objects keep their status: who writes it must see what is there.
 */
export function prune(kind: Kind, raw: KubernetesObject): KubernetesObject {
  const { apiVersion: _, kind: __, metadata, ...body } = raw as KubernetesObject & Json;
  const select = bodies[kind.name] ?? (isRouteKind(kind.name) ? shareRoute : (whole: Json) => whole);
  const kept = metadataSelectors[kind.name]?.(metadata) ?? metadata;
  const selected = select(body, metadata);
  const head = { apiVersion: apiVersionOf(kind), kind: kind.name, metadata: pruneMetadata(kept) };
  return isRouteKind(kind.name) ? routeOf(head, selected) : { ...head, ...selected };
}

/** There are as many as 100,000 routes. Fields that are written out have their place in the object; others take half as much again. */
function routeOf(
  { apiVersion, kind, metadata }: KubernetesObject,
  { spec, status, ...others }: Json,
): KubernetesObject {
  const head = { apiVersion, kind, metadata };
  if (spec === undefined || nonEmpty(others)) return { ...head, ...defined({ spec, status }), ...others };
  return status === undefined ? { apiVersion, kind, metadata, spec } : { apiVersion, kind, metadata, spec, status };
}

const bodies: Readonly<Record<string, (body: Json, metadata: Metadata) => Json>> = {
  Namespace: () => ({}),
  Secret: ({ type, data }, metadata) => defined({ type, data: dataOf(data, metadata, secretKeys) }),
  ConfigMap: ({ data, binaryData }, metadata) =>
    defined({ data: dataOf(data, metadata, configMapKeys), binaryData: nonEmpty(modulesIn(binaryData)) }),
  ClusterTrustBundle: (body) => defined({ spec: pick(body.spec as Json | undefined, ['signerName', 'trustBundle']) }),
  Pod: (body) => {
    const status = body.status as { podIPs?: readonly Json[]; conditions?: readonly Json[] } | undefined;
    const ready = status?.conditions
      ?.filter(({ type }) => type === 'Ready')
      .map((entry) => pick(entry, ['type', 'status']));
    return defined({
      spec: pick(body.spec as Json | undefined, ['nodeName']),
      status: status && defined({ podIPs: status.podIPs, conditions: ready }),
    });
  },
  Service: (body, { labels }) => {
    const status = body.status as { loadBalancer?: { ingress?: readonly Json[] } } | undefined;
    const ingress = status?.loadBalancer?.ingress?.map((entry) => pick(entry, ['ip', 'hostname']));
    const spec = serviceSpec(body.spec as Json, labels?.[managedBy] === 'gatewright');
    return defined({ spec, status: ingress && { loadBalancer: { ingress } } });
  },
  ServiceImport: ({ spec }) =>
    defined({
      spec: defined({
        ports: ((spec as Json | undefined)?.ports as readonly Json[] | undefined)?.map((port) =>
          pick(port, ['name', 'port', 'protocol', 'appProtocol']),
        ),
      }),
    }),
  EndpointSlice: (body, { labels }) =>
    defined({
      addressType: body.addressType,
      endpoints: ((body.endpoints as readonly Json[] | null) ?? []).map((endpoint) =>
        pick(endpoint, labels?.[managedBy] === 'gatewright' ? ownEndpointFields : endpointFields),
      ),
      ports: (body.ports as readonly Json[] | null)?.map((port) =>
        pick(port, ['name', 'port', 'protocol', 'appProtocol']),
      ),
    }),
};

const dataOf = (data: unknown, metadata: Metadata, keys: readonly string[]): Json | undefined =>
  isLabelled(metadata) ? ((data as Json | undefined) ?? {}) : pick(data as Json | undefined, keys);

/** How WebAssembly begins, which is `\0asm`, in base64. */
const moduleBeginning = 'AGFzb';

const modulesIn = (binaryData: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries((binaryData as Readonly<Record<string, string>> | undefined) ?? {}).filter(([, text]) =>
      text.startsWith(moduleBeginning),
    ),
  );

const managedBy = 'app.kubernetes.io/managed-by';
const endpointFields = ['addresses', 'conditions', 'zone', 'nodeName', 'hints'];
/** Of proxies it matters which pods there are; there are few of them beside the endpoints of backends. */
const ownEndpointFields = [...endpointFields, 'targetRef'];

/** The endpoints controller writes a new trigger time into the annotations with each change, which we do not read. */
const metadataSelectors: Readonly<Record<string, (metadata: Metadata) => Metadata>> = {
  Pod: ({ annotations, ...rest }) =>
    defined({ ...rest, annotations: nonEmpty(pick(annotations, [activePortsAnnotation])) }) as unknown as Metadata,
  EndpointSlice: ({ annotations: _, labels, ...rest }) =>
    ({
      ...rest,
      labels: pick(labels, ['kubernetes.io/service-name', 'multicluster.kubernetes.io/service-name']),
    }) as Metadata,
};

/** What a DataPlane says of the Service of proxies, and what their Gateways show of it. */
const ownServiceFields = [
  'clusterIPs',
  'ipFamilies',
  'ipFamilyPolicy',
  'internalTrafficPolicy',
  'sessionAffinity',
  'allocateLoadBalancerNodePorts',
];

/** Of a backend one family of addresses is used, and that is IPv4 unless it says IPv6. */
const furtherFields = (spec: Json, isOurs: boolean): readonly string[] => {
  if (isOurs) return ownServiceFields;
  return (spec?.ipFamilies as readonly string[] | undefined)?.[0] === 'IPv6' ? ['ipFamilies'] : [];
};

const serviceSpec = (spec: Json, isOurs: boolean): Json =>
  defined({
    ...pick(spec, furtherFields(spec, isOurs)),
    ...pick(spec, ['type', 'clusterIP', 'externalName', 'selector', 'trafficDistribution']),
    ...pick(spec, ['externalTrafficPolicy', 'loadBalancerClass', 'loadBalancerSourceRanges']),
    ports: (spec?.ports as readonly Json[] | undefined)?.map((port) =>
      pick(port, ['name', 'port', 'protocol', 'appProtocol', 'targetPort', 'nodePort']),
    ),
  });

function pruneMetadata(metadata: Metadata): Metadata {
  const { [lastApplied]: _, ...others } = metadata.annotations ?? {};
  const [labels, annotations] = [nonEmpty(metadata.labels), nonEmpty(others)];
  const { name, namespace, uid, generation, resourceVersion, creationTimestamp } = metadata;
  const parts = [namespace, uid, generation, resourceVersion, creationTimestamp];
  if (!labels && !annotations && !metadata.deletionTimestamp && !parts.includes(undefined))
    return { name, namespace, uid, generation, resourceVersion, creationTimestamp } as Metadata;
  return defined({
    ...pick(metadata, [
      'name',
      'namespace',
      'uid',
      'generation',
      'resourceVersion',
      'creationTimestamp',
      'deletionTimestamp',
    ]),
    labels,
    annotations,
  }) as unknown as Metadata;
}

const nonEmpty = <T extends object>(map: T | undefined): T | undefined =>
  map && Object.keys(map).length > 0 ? map : undefined;

function pick(from: object | undefined, names: readonly string[]): Json | undefined {
  if (from === undefined || from === null) return undefined;
  return Object.fromEntries(
    names.filter((name) => (from as Json)[name] !== undefined).map((name) => [name, (from as Json)[name]]),
  );
}

const defined = (from: Json): Json =>
  Object.fromEntries(Object.entries(from).filter(([, value]) => value !== undefined));
