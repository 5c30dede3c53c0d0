import { createHash } from 'node:crypto';
import { apiVersionOf, type Kind, type KubernetesObject, type Metadata } from '../gateway-api/index.ts';
import type { GatewayProxies } from './gateway-proxies.ts';
import { annotationsOf, digestAnnotation, labelsOf, objectName } from './names.ts';

/** Kinds that are made for a Gateway, in the order in which they are applied. */
export const proxyKinds = {
  ServiceAccount: { name: 'ServiceAccount', group: '', version: 'v1', plural: 'serviceaccounts', namespaced: true },
  Deployment: { name: 'Deployment', group: 'apps', version: 'v1', plural: 'deployments', namespaced: true },
  Service: { name: 'Service', group: '', version: 'v1', plural: 'services', namespaced: true },
} as const satisfies Record<string, Kind>;

export type ProxyKindName = keyof typeof proxyKinds;

/** An object to apply: owned by its Gateway, so that the cluster deletes it with the Gateway even when we are away. */
export interface ProxyObject extends KubernetesObject {
  readonly kind: ProxyKindName;
  readonly metadata: Metadata & { readonly namespace: string; readonly ownerReferences: readonly object[] };
}

/** The object with what all that is made for the Gateway have in common, and a digest of itself. */
export function proxyObject(kind: ProxyKindName, gateway: GatewayProxies, body: object): ProxyObject {
  const { namespace, name, uid } = gateway;
  const owner = { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'Gateway', name, uid, controller: true };
  const metadata = {
    name: objectName(name),
    namespace,
    labels: labelsOf(gateway),
    annotations: annotationsOf(gateway),
    ownerReferences: [owner],
  };
  const digest = createHash('sha256')
    .update(JSON.stringify([metadata, body]))
    .digest('hex')
    .slice(0, 16);
  const annotations = { ...metadata.annotations, [digestAnnotation]: digest };
  return { apiVersion: apiVersionOf(proxyKinds[kind]), kind, metadata: { ...metadata, annotations }, ...body };
}
