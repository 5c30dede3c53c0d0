import { anyHost, intersectHostnames, type ParentReference } from '../../gateway-api/index.ts';
import type { Store } from '../engine/index.ts';
import { allowsNamespace, gatewayOfParent, gatewayOfSet, setOfParent } from '../gateways/index.ts';
import {
  type ConditionFault,
  hostnameFault,
  type ResolvedGateway,
  type ResolvedListener,
  type RouteObject,
} from '../model/index.ts';

const group = 'gateway.networking.k8s.io';

export type Attached = { readonly listeners: readonly ResolvedListener[] } | { readonly fault: ConditionFault };

/** A parentRef of a route that leads to a Gateway of ours, and what of it the route attaches to. */
export interface Parent {
  readonly ref: ParentReference;
  readonly gateway: ResolvedGateway;
  readonly attached: Attached;
}

export interface AttachmentDeps {
  readonly store: Store;
  /** A Gateway of a class of ours, by key. */
  readonly gateway: (key: string) => ResolvedGateway | undefined;
}

/** The parents of a route that are ours, in the order of its parentRefs. */
export function* parentsOf(route: RouteObject, deps: AttachmentDeps): Generator<Parent> {
  const namespace = route.metadata.namespace ?? '';
  for (const ref of route.spec?.parentRefs ?? []) {
    const setKey = setOfParent(ref, namespace);
    const set = setKey === undefined ? undefined : deps.store.find('ListenerSet', setKey);
    const gateway = deps.gateway((set ? gatewayOfSet(set) : gatewayOfParent(ref, namespace)) ?? '');
    if (gateway) yield { ref, gateway, attached: attach(route, ref, candidates(gateway, setKey), deps.store) };
  }
}

/** What a parentRef may attach to. */
interface Candidates {
  /** `Gateway team-a/edge` */
  readonly label: string;
  readonly listeners: readonly ResolvedListener[];
  readonly fault?: ConditionFault;
}

/** A Gateway's own listeners, or those of one of its ListenerSets: neither is reached through the other. Source: GEP-1713, "Attaching routes". */
function candidates(gateway: ResolvedGateway, setKey: string | undefined): Candidates {
  if (setKey === undefined) return { label: `Gateway ${gateway.key}`, listeners: gateway.listeners };
  const set = gateway.sets.get(setKey);
  const label = `ListenerSet ${setKey}`;
  if (set && !set.fault) return { label, listeners: set.listeners };
  const message = `${label} is not attached to its Gateway: ${set?.fault?.message}`;
  return { label, listeners: [], fault: { reason: 'NoMatchingParent', message } };
}

/** The listeners that a parentRef attaches to. Reasons: Gateway API, RouteConditionAccepted. */
function attach(
  route: RouteObject,
  ref: ParentReference,
  { label, listeners, fault }: Candidates,
  store: Store,
): Attached {
  if (fault) return { fault };
  const wrong = hostnamesOf(route)
    .map(hostnameFault)
    .find((found) => found !== undefined);
  if (wrong !== undefined) return { fault: { reason: 'UnsupportedValue', message: wrong } };
  const named = listeners.filter(
    ({ name, port }) =>
      (ref.sectionName === undefined || ref.sectionName === name) && (ref.port === undefined || ref.port === port),
  );
  if (named.length === 0) {
    return { fault: { reason: 'NoMatchingParent', message: unmatchedParent(ref, label, listeners) } };
  }
  const allowing = named.filter((listener) => allows(route, listener, store));
  if (allowing.length === 0) {
    return { fault: { reason: 'NotAllowedByListeners', message: notAllowed(route, label, named, store) } };
  }
  const fitting = allowing.filter(({ hostname }) =>
    hostnamesOf(route).some((name) => intersectHostnames(hostname, name)),
  );
  if (fitting.length > 0) return { listeners: fitting };
  const message = `None of the hostnames ${hostnamesOf(route).join(', ')} fits a listener: ${allowing.map(({ name, hostname }) => `${name} is for ${hostname}`).join(', ')}`;
  return { fault: { reason: 'NoMatchingListenerHostname', message } };
}

function notAllowed(route: RouteObject, label: string, named: readonly ResolvedListener[], store: Store): string {
  const start = `No listener of ${label} that the parentRef names accepts ${route.kind}s`;
  const takers = named.filter((listener) => isSupported(route, listener));
  if (takers.length > 0)
    return `${start} of namespace ${route.metadata.namespace}: see allowedRoutes and conditions of ${named.map(({ name }) => name).join(', ')}${unknownLabels(route, store)}`;
  const each = named.map(({ name, protocol, supportedKinds }) => {
    const taken = supportedKinds.map(({ kind }) => kind).join(', ');
    return `${name} (protocol ${protocol}) takes ${taken === '' ? 'no routes' : taken}`;
  });
  return `${start}: ${each.join('; ')}`;
}

const isSupported = ({ kind }: RouteObject, { supportedKinds }: ResolvedListener): boolean =>
  supportedKinds.some((supported) => supported.kind === kind);

/** An install that is limited to namespaces may lack the right to read them; selectors of listeners then match none. */
function unknownLabels({ metadata: { namespace = '' } }: RouteObject, store: Store): string {
  if (store.scope.namespaces === undefined || store.find('Namespace', namespace)) return '';
  return `; labels of the Namespace are not known, for want of the right to list it (ClusterRole gatewright-cluster)`;
}

function unmatchedParent(
  { sectionName, port }: ParentReference,
  label: string,
  listeners: readonly ResolvedListener[],
): string {
  const asked = [sectionName && `sectionName ${sectionName}`, port && `port ${port}`].filter(Boolean).join(' and ');
  const has = listeners.map((listener) => `${listener.name} (port ${listener.port})`).join(', ');
  return `${label} has no listener with ${asked}: it has ${has || 'none'}`;
}

const allows = (route: RouteObject, listener: ResolvedListener, store: Store): boolean =>
  !listener.acceptFault &&
  isSupported(route, listener) &&
  allowsNamespace(listener, route.metadata.namespace ?? '', store);

/** Lower case; any host when the route names none, or is of a kind that has none. */
export const hostnamesOf = (route: RouteObject): readonly string[] => {
  const names = (route.spec as { readonly hostnames?: readonly string[] } | undefined)?.hostnames ?? [];
  return names.length > 0 ? names.map((name) => name.toLowerCase()) : [anyHost];
};

/** The parentRef as a status repeats it, with the defaults of the API. One from an API server has them already, and is taken as it is. */
export function parentRefOf(ref: ParentReference): ParentReference {
  if (ref.group !== undefined && ref.kind !== undefined) return ref;
  const { namespace, name, sectionName, port } = ref;
  return {
    group: ref.group ?? group,
    kind: ref.kind ?? 'Gateway',
    ...(namespace !== undefined && { namespace }),
    name,
    ...(sectionName !== undefined && { sectionName }),
    ...(port !== undefined && { port }),
  };
}
