import { createHash } from 'node:crypto';
import { apiVersionOf, type Kind, type KubernetesObject, type Metadata, objectKey } from '../gateway-api/index.ts';
import { sharedFleetOf } from '../ir/index.ts';
import { annotationsOf, controllerAnnotation, digestAnnotation, labelsOf, usersLabels } from './names.ts';
import type { PlacedProxies } from './placed-proxies.ts';

/** Kinds that are made for a Gateway, in the order in which they are applied. */
export const proxyKinds = {
  ServiceAccount: { name: 'ServiceAccount', group: '', version: 'v1', plural: 'serviceaccounts', namespaced: true },
  NetworkPolicy: {
    name: 'NetworkPolicy',
    group: 'networking.k8s.io',
    version: 'v1',
    plural: 'networkpolicies',
    namespaced: true,
  },
  ConfigMap: { name: 'ConfigMap', group: '', version: 'v1', plural: 'configmaps', namespaced: true },
  Deployment: { name: 'Deployment', group: 'apps', version: 'v1', plural: 'deployments', namespaced: true },
  DaemonSet: { name: 'DaemonSet', group: 'apps', version: 'v1', plural: 'daemonsets', namespaced: true },
  Service: { name: 'Service', group: '', version: 'v1', plural: 'services', namespaced: true },
  PodDisruptionBudget: {
    name: 'PodDisruptionBudget',
    group: 'policy',
    version: 'v1',
    plural: 'poddisruptionbudgets',
    namespaced: true,
  },
  HorizontalPodAutoscaler: {
    name: 'HorizontalPodAutoscaler',
    group: 'autoscaling',
    version: 'v2',
    plural: 'horizontalpodautoscalers',
    namespaced: true,
  },
} as const satisfies Record<string, Kind>;

export type ProxyKindName = keyof typeof proxyKinds;

/** Kinds that a Gateway has only while they are asked for. A Service stays without ports: its address would be lost. */
export const optionalKinds: ReadonlySet<ProxyKindName> = new Set([
  'PodDisruptionBudget',
  'HorizontalPodAutoscaler',
  'NetworkPolicy',
]);

/** Kinds without which proxies serve all the same: the right to them may be missing, as it was before there were any. */
export const dispensableKinds: ReadonlySet<ProxyKindName> = new Set(['NetworkPolicy']);

/** Kinds that rights of an earlier release do not name: without those to look at them, all others are looked at. */
export const lateKinds: ReadonlySet<ProxyKindName> = new Set([...dispensableKinds, 'DaemonSet']);

/** Labels and annotations of one object alone. */
export interface OwnMarks {
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Annotations that no user may replace. */
  readonly required?: Readonly<Record<string, string>> | undefined;
}

/**
 * An object to apply: owned by its GatewayClass, or by its Gateway in the same namespace, so that the cluster deletes it with
 * that even when we are away. Without an owner the leader does, when it is back.
 */
export interface ProxyObject extends KubernetesObject {
  readonly kind: ProxyKindName;
  readonly metadata: Metadata & { readonly namespace: string; readonly ownerReferences: readonly object[] };
}

/** The object with what all that is made for the Gateway have in common, and a digest of itself. */
export function proxyObject(
  kind: ProxyKindName,
  gateway: PlacedProxies,
  body: object,
  own: OwnMarks = {},
): ProxyObject {
  const { namespace, name } = gateway.place;
  const metadata = {
    name,
    namespace,
    labels: { ...usersLabels(own.labels), ...labelsOf(gateway) },
    annotations: {
      ...own.annotations,
      ...annotationsOf(gateway),
      ...own.required,
      [controllerAnnotation]: gateway.controllerName,
    },
    ownerReferences: ownersOf(gateway),
  };
  const digest = createHash('sha256')
    .update(JSON.stringify([metadata, body]))
    .digest('hex')
    .slice(0, 16);
  const annotations = { ...metadata.annotations, [digestAnnotation]: digest };
  return { apiVersion: apiVersionOf(proxyKinds[kind]), kind, metadata: { ...metadata, annotations }, ...body };
}

/** Owners must be of the same namespace, or of none: the cluster deletes what has an owner of another one. */
function ownersOf({ namespace, name, uid, place }: PlacedProxies): object[] {
  const gatewayClass = sharedFleetOf(objectKey(namespace, name))?.gatewayClass;
  const apiVersion = 'gateway.networking.k8s.io/v1';
  if (gatewayClass !== undefined)
    return [{ apiVersion, kind: 'GatewayClass', name: gatewayClass, uid, controller: true }];
  return place.namespace === namespace ? [{ apiVersion, kind: 'Gateway', name, uid, controller: true }] : [];
}
