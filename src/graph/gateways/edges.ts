import { type ObjectByKind, objectKey } from '../../gateway-api/index.ts';
import { authorityKey, bundleKey, clientCertificateRefOf } from '../certificates/index.ts';
import type { Edge, Marking } from '../engine/index.ts';
import { filterRefsOf } from '../filters/index.ts';
import type { RouteObject } from '../model/index.ts';
import { authorityRefsOf } from './frontend-tls.ts';
import { selectsNamespaces } from './listener.ts';
import { certificateRefsOf } from './listener-certificates.ts';
import { gatewayOfSet, selectsSetNamespaces, setOfParent } from './listener-set.ts';
import { dataPlaneOf, parametersRefOf } from './parameters.ts';
import { gatewayOfParent } from './parent-ref.ts';

type GatewayObject = ObjectByKind['Gateway'];
type ListenerSetObject = ObjectByKind['ListenerSet'];

const plain = (key: string): string => key;

const present = (key: string | undefined): string[] => (key === undefined ? [] : [key]);

const keysOf = (refs: readonly { readonly namespace?: string; readonly name: string }[]): string[] =>
  refs.map(({ namespace, name }) => objectKey(namespace, name));

/** What stands for every Namespace at once. */
export const anyNamespace = '*';

const markGateway = (gateway: string, { dirty }: Marking): void => {
  dirty.gateways.add(gateway);
};

/** A ListenerSet's listeners are resolved with its Gateway's. */
export function markParent(set: ListenerSetObject | undefined, { dirty }: Marking): void {
  const gateway = set && gatewayOfSet(set);
  if (gateway !== undefined) dirty.gateways.add(gateway);
}

const markParentOf = (set: string, marking: Marking): void =>
  markParent(marking.store.find('ListenerSet', set), marking);

function gatewaySecrets(gateway: GatewayObject): string[] {
  const clientCertificate = clientCertificateRefOf(gateway);
  return keysOf([
    ...gateway.spec.listeners.flatMap((listener) => certificateRefsOf(gateway, listener)),
    ...(clientCertificate ? [clientCertificate] : []),
  ]);
}

/** What GatewayClasses refer to. A changed DataPlane is one for the Gateways of the class, too. */
export const gatewayClassEdges = {
  dataPlane: {
    to: { DataPlane: plain },
    targets: ({ spec }) => present(dataPlaneOf(spec.parametersRef)),
    marks: (source, { dirty, edges }) => {
      dirty.classes.add(source);
      for (const gateway of edges.of(gatewayEdges.class).sourcesOf(source)) dirty.gateways.add(gateway);
    },
  },
} as const satisfies Record<string, Edge<'GatewayClass'>>;

/** What Gateways refer to. */
export const gatewayEdges = {
  class: { to: { GatewayClass: plain }, targets: ({ spec }) => [spec.gatewayClassName], marks: markGateway },
  /** By the Gateway's own reference. */
  dataPlane: {
    to: { DataPlane: plain },
    targets: (gateway) => present(dataPlaneOf(parametersRefOf(gateway))),
    marks: markGateway,
  },
  secret: { to: { Secret: plain }, targets: gatewaySecrets, grants: true, marks: markGateway },
  authority: {
    to: { ConfigMap: plain, ClusterTrustBundle: bundleKey },
    targets: (gateway) => authorityRefsOf(gateway).map(authorityKey),
    grants: true,
    marks: markGateway,
  },
  /** Asked by filters of listeners. */
  backend: {
    to: { Service: plain, ServiceImport: plain, XBackend: plain },
    targets: ({ metadata, spec }) => keysOf(filterRefsOf(spec.listeners, metadata.namespace ?? '')),
    grants: true,
    marks: markGateway,
  },
  /** Of those that let routes in by labels of namespaces, which the module of Namespaces asks about. */
  routeNamespaces: {
    to: { Namespace: () => anyNamespace },
    targets: ({ spec }) => (spec.listeners.some(selectsNamespaces) ? [anyNamespace] : []),
    marks: 'nothing',
  },
} as const satisfies Record<string, Edge<'Gateway'>>;

/** What ListenerSets refer to. */
export const listenerSetEdges = {
  gateway: { to: { Gateway: plain }, targets: (set) => present(gatewayOfSet(set)), marks: 'nothing' },
  secret: {
    to: { Secret: plain },
    targets: (set) => keysOf(set.spec.listeners.flatMap((listener) => certificateRefsOf(set, listener))),
    grants: true,
    marks: markParentOf,
  },
  /** Asked by filters of listeners. */
  backend: {
    to: { Service: plain, ServiceImport: plain, XBackend: plain },
    targets: ({ metadata, spec }) => keysOf(filterRefsOf(spec.listeners, metadata.namespace ?? '')),
    grants: true,
    marks: markParentOf,
  },
  /** The Gateway may take ListenerSets by labels of their namespaces. */
  namespace: {
    to: { Namespace: plain },
    targets: ({ metadata }) => present(metadata.namespace),
    marks: (source, marking) => {
      const set = marking.store.find('ListenerSet', source);
      const gateway = set && marking.store.find('Gateway', gatewayOfSet(set) ?? '');
      if (gateway && selectsSetNamespaces(gateway)) markParent(set, marking);
    },
  },
  /** As for Gateways. */
  routeNamespaces: {
    to: { Namespace: () => anyNamespace },
    targets: ({ spec }) => (spec.listeners.some(selectsNamespaces) ? [anyNamespace] : []),
    marks: 'nothing',
  },
} as const satisfies Record<string, Edge<'ListenerSet'>>;

const parentsOf = (route: RouteObject, keyOf: typeof gatewayOfParent): string[] =>
  (route.spec?.parentRefs ?? []).flatMap((ref) => keyOf(ref, route.metadata.namespace ?? '') ?? []);

/** What routes attach to; all kinds of route share these. Sources are routeKeys. */
export const parentEdges = {
  /** A changed Gateway marks the routes that its listeners mean another thing for. */
  gateway: { to: { Gateway: plain }, targets: (route) => parentsOf(route, gatewayOfParent), marks: 'nothing' },
  listenerSet: {
    to: { ListenerSet: plain },
    targets: (route) => parentsOf(route, setOfParent),
    marks: (route, { dirty }) => {
      dirty.routes.add(route);
    },
  },
} as const satisfies Record<string, Edge<RouteObject['kind']>>;
