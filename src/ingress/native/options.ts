import type { KubernetesObject, ObjectKey } from '../../gateway-api/index.ts';

/** What the configuration says of Ingresses that are served. */
export interface NativeOptions {
  /** `spec.controller` of our IngressClasses. */
  readonly controllerName: string;
  /** Of classes without parameters, and of adopted ones. */
  readonly gateway?: ObjectKey | undefined;
  /** Names of classes of ingress-nginx whose Ingresses are served too, by the same Gateway. */
  readonly adopt: readonly string[];
  /** Ingresses of several namespaces may have one host. */
  readonly sharedHosts: boolean;
  /** Ingresses that name no class are served too, as those of the default class. */
  readonly withoutClass: boolean;
  /** Answers over HTTPS have browsers come by HTTPS alone. */
  readonly hsts: boolean;
}

/** Kinds that are looked up by key. */
export type LookedUpKind = 'IngressClass' | 'Ingress' | 'Gateway' | 'Service' | 'Secret' | 'ConfigMap';

/** What Ingresses refer to, as it is known now. */
export interface Lookup {
  find(kind: LookedUpKind, key: string): KubernetesObject | undefined;
  list(kind: 'IngressClass'): Iterable<KubernetesObject>;
}

/** What is wrong with an Ingress. */
export interface IngressFault {
  /** In CamelCase. */
  readonly reason: string;
  /** For people: what is wrong, and what to do. */
  readonly message: string;
  /** Nothing of the Ingress is served. */
  readonly isWhole?: true;
}
