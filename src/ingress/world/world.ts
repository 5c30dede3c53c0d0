import type { ConfigMap, EndpointSlice, ObjectKey, Secret, Service } from '../../gateway-api/index.ts';
import type { Controller } from './controller.ts';
import type { Ingress, IngressClass } from './objects.ts';

/** The kinds that a world is made of. */
export const readKinds = [
  'Ingress',
  'IngressClass',
  'Service',
  'EndpointSlice',
  'Secret',
  'ConfigMap',
  'Deployment',
  'DaemonSet',
] as const;

export type ReadKind = (typeof readKinds)[number];

/**
 * Everything that decides how an ingress-nginx answers, as it was read from a cluster or from files. Objects are as the API server writes
 * them; nothing of them is judged here.
 */
export interface World {
  /** Of every class, by namespace and name. Which of them the controller serves, `isServed` says. */
  readonly ingresses: readonly Ingress[];
  /** By name. */
  readonly classes: ReadonlyMap<string, IngressClass>;
  readonly services: ReadonlyMap<ObjectKey, Service>;
  /** By the key of their Service. */
  readonly slices: ReadonlyMap<ObjectKey, readonly EndpointSlice[]>;
  readonly secrets: ReadonlyMap<ObjectKey, Secret>;
  readonly configMaps: ReadonlyMap<ObjectKey, ConfigMap>;
  /** The one that the world is about. */
  readonly controller: Controller;
  /** Keys of the other workloads that run an ingress-nginx. */
  readonly otherControllers: readonly ObjectKey[];
  /** Kinds that were not looked at, or not found at all among files: what is missing of these is unknown, not absent. */
  readonly unread: ReadonlySet<ReadKind>;
}

/** How many endpoints of a Service are ready; `unknown` where no EndpointSlice was read. */
export function readyEndpoints({ slices, unread }: World, service: ObjectKey): number | 'unknown' {
  if (unread.has('EndpointSlice')) return 'unknown';
  const all = (slices.get(service) ?? []).flatMap(({ endpoints }) => endpoints);
  return all.filter(({ conditions }) => conditions?.ready !== false).length;
}

/**
 * Whether the controller serves an Ingress: by `spec.ingressClassName`, else by the annotation `kubernetes.io/ingress.class`, else only when it
 * takes those without a class. Source: `GetIngressClass` of ingress-nginx 1.15.1.
 */
export function isServed({ classes, controller, unread }: World, { metadata, spec }: Ingress): boolean {
  const { flags, className } = controller;
  if (!isWatched(flags.get('watch-namespace'), metadata.namespace)) return false;
  if (spec.ingressClassName !== undefined) {
    const named = classes.get(spec.ingressClassName);
    if (named) return isOwnClass(controller, named);
    return unread.has('IngressClass') && spec.ingressClassName === className;
  }
  const annotated = metadata.annotations?.['kubernetes.io/ingress.class'];
  if (annotated !== undefined) return annotated === '' || annotated === className;
  return flags.get('watch-ingress-without-class') === 'true';
}

const isWatched = (only = '', namespace = 'default'): boolean => only === '' || only === namespace;

const isOwnClass = (
  { flags, className, controllerClass }: Controller,
  { metadata: { name }, spec }: IngressClass,
): boolean =>
  spec.controller === controllerClass || (flags.get('ingress-class-by-name') === 'true' && name === className);
