import {
  anyHost,
  type Condition,
  compareSpecificity,
  coversHostname,
  intersectHostnames,
  keyOf,
  type ObjectByKind,
  type ParentReference,
  type RouteParentStatus,
} from '../gateway-api/index.ts';
import { combineFaults, conditionOf, type Fault } from './condition.ts';
import { type Contribution, placeOf } from './contribution.ts';
import { clientCertificateKey, type SettledGateway, type TableShape } from './gateway.ts';
import { allowsNamespace, type SettledListener } from './listener.ts';
import { type ListenerTraits, type SettledRules, settleRules } from './rule.ts';
import type { Store } from './store.ts';

export type RouteObject = ObjectByKind['HTTPRoute'] | ObjectByKind['GRPCRoute'];

/** One route after all of its references were followed. */
export interface SettledRoute {
  /** Our entries of its status, in the order of its parentRefs. */
  readonly parents: readonly RouteParentStatus[];
  readonly contributions: readonly Contribution[];
  /** The listeners it is attached to, as `NAMESPACE/GATEWAY LISTENER`. */
  readonly attachments: readonly string[];
  /** The backends that get requests of it, by gateway. */
  readonly backends: ReadonlyMap<string, readonly string[]>;
}

export interface RouteSurroundings {
  readonly store: Store;
  readonly controllerName: string;
  /** A Gateway of a class of ours, by key. */
  readonly gateway: (key: string) => SettledGateway | undefined;
}

const group = 'gateway.networking.k8s.io';

/** Key of the Gateway a parentRef names; undefined when it names something else. */
export function gatewayOfParent(ref: ParentReference, routeNamespace: string): string | undefined {
  if ((ref.group ?? group) !== group || (ref.kind ?? 'Gateway') !== 'Gateway') return undefined;
  return `${ref.namespace ?? routeNamespace}/${ref.name}`;
}

export const attachmentKey = (gateway: string, listener: string): string => `${gateway} ${listener}`;

/** Follows a route's references. Never throws for what a user wrote: faults become conditions. */
export function settleRoute(route: RouteObject, around: RouteSurroundings): SettledRoute {
  const rulesFor = memoizeRules(route, around.store);
  const parents: RouteParentStatus[] = [];
  const contributions = new Map<string, Contribution>();
  const attachments = new Set<string>();
  const backends = new Map<string, Set<string>>();
  for (const ref of route.spec?.parentRefs ?? []) {
    const gateway = around.gateway(gatewayOfParent(ref, route.metadata.namespace ?? '') ?? '');
    if (!gateway) continue;
    const attached = attach(route, ref, gateway, around.store);
    const rules =
      'fault' in attached
        ? rulesFor(traitsOf(gateway, gateway.listeners[0]))
        : rulesFor(traitsOf(gateway, attached.listeners[0]));
    parents.push(
      parentStatus(route, ref, around.controllerName, 'fault' in attached ? attached.fault : undefined, rules),
    );
    if ('fault' in attached || isRefused(rules)) continue;
    for (const listener of attached.listeners) {
      attachments.add(attachmentKey(gateway.key, listener.name));
      if (!listener.table) continue;
      const settled = rulesFor(traitsOf(gateway, listener));
      for (const made of contributionsOf(route, gateway, listener, settled)) {
        contributions.set(placeOf(made), made);
      }
      const used = backends.get(gateway.key) ?? new Set();
      for (const key of settled.backends) used.add(key);
      backends.set(gateway.key, used);
    }
  }
  return {
    parents,
    contributions: [...contributions.values()],
    attachments: [...attachments],
    backends: new Map([...backends].map(([key, used]) => [key, [...used].sort()])),
  };
}

const traitsOf = (gateway: SettledGateway, listener: SettledListener | undefined): ListenerTraits => ({
  clientCertificate: clientCertificateKey(gateway),
  protocol: listener?.protocol ?? 'HTTP',
  port: listener?.port ?? 80,
});

function memoizeRules(route: RouteObject, store: Store) {
  const settled = new Map<string, SettledRules>();
  return (traits: ListenerTraits): SettledRules => {
    const key = `${traits.protocol} ${traits.port} ${traits.clientCertificate}`;
    const rules = settled.get(key) ?? settleRules(route, traits, store);
    settled.set(key, rules);
    return rules;
  };
}

type Attached = { readonly listeners: readonly SettledListener[] } | { readonly fault: Fault };

/** The listeners of a Gateway that a parentRef attaches to. Reasons: Gateway API, RouteConditionAccepted. */
function attach(route: RouteObject, ref: ParentReference, gateway: SettledGateway, store: Store): Attached {
  const named = gateway.listeners.filter(
    ({ name, port }) =>
      (ref.sectionName === undefined || ref.sectionName === name) && (ref.port === undefined || ref.port === port),
  );
  if (named.length === 0) return { fault: { reason: 'NoMatchingParent', message: unmatchedParent(ref, gateway) } };
  const allowing = named.filter((listener) => allows(route, gateway, listener, store));
  if (allowing.length === 0) {
    const message = `No listener of Gateway ${gateway.key} that the parentRef names accepts ${route.kind}s of namespace ${route.metadata.namespace}: see allowedRoutes and conditions of ${named.map(({ name }) => name).join(', ')}`;
    return { fault: { reason: 'NotAllowedByListeners', message } };
  }
  const listeners = allowing.filter(({ hostname }) =>
    hostnamesOf(route).some((name) => intersectHostnames(hostname, name)),
  );
  if (listeners.length > 0) return { listeners };
  const message = `None of the hostnames ${hostnamesOf(route).join(', ')} fits a listener: ${allowing.map(({ name, hostname }) => `${name} is for ${hostname}`).join(', ')}`;
  return { fault: { reason: 'NoMatchingListenerHostname', message } };
}

function unmatchedParent({ sectionName, port }: ParentReference, gateway: SettledGateway): string {
  const asked = [sectionName && `sectionName ${sectionName}`, port && `port ${port}`].filter(Boolean).join(' and ');
  const has = gateway.listeners.map((listener) => `${listener.name} (port ${listener.port})`).join(', ');
  return `Gateway ${gateway.key} has no listener with ${asked}: it has ${has}`;
}

const allows = (route: RouteObject, gateway: SettledGateway, listener: SettledListener, store: Store): boolean =>
  !listener.acceptFault &&
  listener.supportedKinds.some(({ kind }) => kind === route.kind) &&
  allowsNamespace(gateway.object, listener.spec, route.metadata.namespace ?? '', store);

const hostnamesOf = (route: RouteObject): readonly string[] => {
  const names = route.spec?.hostnames ?? [];
  return names.length > 0 ? names.map((name) => name.toLowerCase()) : [anyHost];
};

/** A route of which no rule is left is refused as a whole. */
const isRefused = ({ droppedRules, ruleCount, routes }: SettledRules): boolean =>
  ruleCount > 0 && droppedRules === ruleCount && routes.length === 0;

function parentStatus(
  route: RouteObject,
  ref: ParentReference,
  controllerName: string,
  attachFault: Fault | undefined,
  rules: SettledRules,
): RouteParentStatus {
  const generation = route.metadata.generation ?? 0;
  const ruleFault = combineFaults(rules.ruleFaults);
  const refused = rules.droppedRules === rules.ruleCount ? ruleFault : undefined;
  const conditions: Condition[] = [
    conditionOf('Accepted', generation, attachFault ?? refused),
    conditionOf('ResolvedRefs', generation, combineFaults(rules.referenceFaults)),
  ];
  if (ruleFault && !refused) {
    const message = `Dropped Rule(s) ${ruleFault.message}`;
    conditions.push({
      type: 'PartiallyInvalid',
      status: 'True',
      reason: ruleFault.reason,
      message,
      observedGeneration: generation,
    });
  }
  return { parentRef: parentRefOf(ref), controllerName, conditions };
}

const parentRefOf = ({
  group: g = group,
  kind = 'Gateway',
  namespace,
  name,
  sectionName,
  port,
}: ParentReference): ParentReference => ({
  group: g,
  kind,
  ...(namespace !== undefined && { namespace }),
  name,
  ...(sectionName !== undefined && { sectionName }),
  ...(port !== undefined && { port }),
});

/**
 * What the route puts on the hosts of a listener. A host that a more specific listener of the port stands for is left to
 * that one. Source: Gateway API, Listener isolation (GatewayHTTPListenerIsolation).
 */
function contributionsOf(
  route: RouteObject,
  gateway: SettledGateway,
  listener: SettledListener,
  rules: SettledRules,
): Contribution[] {
  const shape = gateway.tables.get(listener.table as string) as TableShape;
  return hostnamesOf(route).flatMap((original) => {
    const host = intersectHostnames(listener.hostname, original);
    if (host === undefined || ownerOf(shape, host) !== listener) return [];
    return {
      source: `${route.kind.toLowerCase()}/${keyOf(route)}`,
      gateway: gateway.key,
      table: shape.id,
      listener: listener.name,
      host,
      original,
      created: route.metadata.creationTimestamp ?? '',
      routes: rules.routes,
    };
  });
}

/** The most specific listener of the port that stands for a host. */
export function ownerOf(shape: TableShape, host: string): SettledListener | undefined {
  const covering = shape.port.filter(({ hostname }) => coversHostname(hostname, host));
  return covering.reduce<SettledListener | undefined>(
    (best, listener) => (best && compareSpecificity(best.hostname, listener.hostname) <= 0 ? best : listener),
    undefined,
  );
}
