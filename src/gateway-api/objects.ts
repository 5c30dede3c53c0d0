import type { DataPlane } from './gen/dataplane.ts';
import type { DefinedObjects } from './gen/kinds.ts';

/** What we keep of an object's metadata. `managedFields` is never kept. */
export interface Metadata {
  readonly name: string;
  /** Missing for cluster-scoped objects. */
  readonly namespace?: string;
  readonly uid?: string;
  readonly generation?: number;
  readonly resourceVersion?: string;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Any object as the API server writes it in JSON. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec?: unknown;
  readonly status?: unknown;
}

export interface Namespace extends KubernetesObject {
  readonly kind: 'Namespace';
}

export interface ServicePort {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
  readonly appProtocol?: string;
  readonly targetPort?: number | string;
  readonly nodePort?: number;
}

export interface Service extends KubernetesObject {
  readonly kind: 'Service';
  readonly spec: {
    readonly type?: string;
    readonly clusterIP?: string;
    /** Of both families; kept of our own proxies alone, as theirs are shown. */
    readonly clusterIPs?: readonly string[];
    /** The first is the one whose endpoints are used. Kept where that is IPv6. */
    readonly ipFamilies?: readonly string[];
    readonly externalName?: string;
    readonly ports?: readonly ServicePort[];
    readonly selector?: Readonly<Record<string, string>>;
    /** `PreferClose` and its newer names `PreferSameZone` and `PreferSameNode`. */
    readonly trafficDistribution?: string;
  };
  readonly status?: {
    readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[] };
  };
}

/** multicluster.x-k8s.io. A Service that other clusters have; which controller writes its EndpointSlices is the cluster's matter. */
export interface ServiceImport extends KubernetesObject {
  readonly kind: 'ServiceImport';
  readonly spec: { readonly ports?: readonly ServicePort[] };
}

export interface SliceEndpoint {
  readonly addresses: readonly string[];
  readonly conditions?: { readonly ready?: boolean; readonly serving?: boolean; readonly terminating?: boolean };
  readonly zone?: string;
  readonly nodeName?: string;
  /** The pod; kept of our own proxies alone. */
  readonly targetRef?: { readonly name?: string };
  /** The zones that should use it. */
  readonly hints?: { readonly forZones?: readonly { readonly name: string }[] };
}

/** discovery.k8s.io/v1. The Service is named by the label `kubernetes.io/service-name`, a ServiceImport by `multicluster.kubernetes.io/service-name`. */
export interface EndpointSlice extends KubernetesObject {
  readonly kind: 'EndpointSlice';
  readonly addressType: string;
  readonly endpoints: readonly SliceEndpoint[];
  readonly ports?: readonly {
    readonly name?: string;
    readonly port?: number;
    readonly protocol?: string;
    readonly appProtocol?: string;
  }[];
}

/** `data` values are base64, and kept only where a listener could use them. */
export interface Secret extends KubernetesObject {
  readonly kind: 'Secret';
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** `data` is kept only where it could be a list of authorities. */
export interface ConfigMap extends KubernetesObject {
  readonly kind: 'ConfigMap';
  readonly data?: Readonly<Record<string, string>>;
  /** In base64. Of all entries, WebAssembly alone is kept. */
  readonly binaryData?: Readonly<Record<string, string>>;
}

/** What is kept is where it is reached and whether it may be. The API server writes the status, also in files. */
export interface Pod extends KubernetesObject {
  readonly kind: 'Pod';
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly podIPs?: readonly { readonly ip: string }[];
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** certificates.k8s.io. Certificates of authorities in PEM, for the whole cluster. */
export interface ClusterTrustBundle extends KubernetesObject {
  readonly kind: 'ClusterTrustBundle';
  readonly spec: { readonly signerName?: string; readonly trustBundle: string };
}

/** What a path or an Ingress leads to. */
export interface IngressBackend {
  readonly service?: { readonly name: string; readonly port?: { readonly name?: string; readonly number?: number } };
  /** Of another kind. */
  readonly resource?: { readonly apiGroup?: string; readonly kind: string; readonly name: string };
}

export interface IngressPath {
  /** Missing or empty: `/`. */
  readonly path?: string;
  /** `Exact`, `Prefix` or `ImplementationSpecific`. */
  readonly pathType?: string;
  readonly backend: IngressBackend;
}

export interface IngressRule {
  /** Missing or empty: every host that no other rule names. May begin with `*.`. */
  readonly host?: string;
  readonly http?: { readonly paths: readonly IngressPath[] };
}

export interface IngressTls {
  readonly hosts?: readonly string[];
  readonly secretName?: string;
}

/** networking.k8s.io/v1. */
export interface Ingress extends KubernetesObject {
  readonly kind: 'Ingress';
  readonly spec: {
    readonly ingressClassName?: string;
    readonly defaultBackend?: IngressBackend;
    readonly tls?: readonly IngressTls[];
    readonly rules?: readonly IngressRule[];
  };
}

/** networking.k8s.io/v1. Cluster-scoped. */
export interface IngressClass extends KubernetesObject {
  readonly kind: 'IngressClass';
  readonly spec: {
    readonly controller?: string;
    /** What belongs to the class. Ours name a Gateway. */
    readonly parameters?: {
      readonly apiGroup?: string;
      readonly kind: string;
      readonly name: string;
      readonly namespace?: string;
      readonly scope?: string;
    };
  };
}

/** How proxies are to be run; another level decides on what is left out. Durations as Gateway API writes them. */
export type DataPlaneSpec = DataPlane['spec'];

/** The object type of each kind that is read. */
export interface ObjectByKind extends DefinedObjects {
  readonly Namespace: Namespace;
  readonly ConfigMap: ConfigMap;
  readonly Secret: Secret;
  readonly Service: Service;
  readonly ServiceImport: ServiceImport;
  readonly EndpointSlice: EndpointSlice;
  readonly Pod: Pod;
  readonly ClusterTrustBundle: ClusterTrustBundle;
  readonly IngressClass: IngressClass;
  readonly Ingress: Ingress;
}
