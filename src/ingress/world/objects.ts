import type { KubernetesObject } from '../../gateway-api/index.ts';

/** What a path or an Ingress leads to. */
export interface IngressBackend {
  readonly service?: { readonly name: string; readonly port?: { readonly name?: string; readonly number?: number } };
  /** Of another kind; ingress-nginx serves none. */
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
  readonly spec: { readonly controller?: string };
}

/** The part of a Deployment or DaemonSet that says how a program is started. */
export interface Workload extends KubernetesObject {
  readonly kind: 'Deployment' | 'DaemonSet';
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly image?: string;
          readonly command?: readonly string[];
          readonly args?: readonly string[];
        }[];
      };
    };
  };
}
