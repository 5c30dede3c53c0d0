import {
  type Condition,
  intersectHostnames,
  type ParentReference,
  type RouteParentStatus,
} from '../../gateway-api/index.ts';
import { Interner, trim } from '../../std/memory/index.ts';
import { UseBook } from '../backends/index.ts';
import type { Store } from '../engine/index.ts';
import { type Contribution, placeOf, type StreamContribution } from '../hosts/index.ts';
import {
  attachmentKey,
  type BackendUse,
  type ConditionFault,
  clientCertificateKey,
  combineFaults,
  conditionOf,
  type HttpRouteObject,
  ownerOf,
  type ResolvedFleet,
  type ResolvedGateway,
  type ResolvedListener,
  type RouteObject,
  routeSource,
  type TableShape,
} from '../model/index.ts';
import { type Quarantine, rejectedRules } from '../quarantine/index.ts';
import { type AttachmentDeps, hostnamesOf, parentRefOf, parentsOf } from './attach.ts';
import { type ListenerTraits, type ResolvedRules, type RuleDeps, resolveRules } from './rule.ts';

/** One route after all of its references were followed. */
export interface ResolvedRoute {
  /** Our entries of its status, in the order of its parentRefs. */
  readonly parents: readonly RouteParentStatus[];
  readonly contributions: readonly Contribution[];
  /** Of routes of connections and datagrams, which have no `contributions`. */
  readonly streams?: readonly StreamContribution[];
  /** The listeners it is attached to, as `NAMESPACE/GATEWAY LISTENER`. */
  readonly attachments: readonly string[];
  /** The backends that get requests of it, or connections while it is the one that is served, for each Gateway. */
  readonly uses: readonly BackendUse[];
}

export interface RouteDeps extends AttachmentDeps, RuleDeps {
  readonly store: Store;
  readonly controllerName: string;
  readonly quarantine: Quarantine;
  /** The proxies of a resolved Gateway, by ResolvedGateway.fleet. */
  readonly fleet: (key: string) => ResolvedFleet;
}

/** Most routes have few kinds of these. */
const parts = new Interner(256);

/** Follows a route's references. Never throws for what a user wrote: faults become conditions. */
export function resolveRoute(route: HttpRouteObject, deps: RouteDeps): ResolvedRoute {
  const rulesFor = memoizeRules(route, deps);
  const parents: RouteParentStatus[] = [];
  const contributions = new Map<string, Contribution>();
  const attachments = new Set<string>();
  const uses = new UseBook();
  for (const { ref, gateway, attached } of parentsOf(route, deps)) {
    const [first] = 'fault' in attached ? gateway.listeners : attached.listeners;
    const rules = rulesFor(traitsOf(gateway, first));
    const place = { gateway: gateway.fleet, source: routeSource(route) };
    const rejectionFor = (listener: ResolvedListener) =>
      rejectedRules(deps.quarantine, place, rulesFor(traitsOf(gateway, listener)).routes);
    const fault =
      'fault' in attached
        ? attached.fault
        : combineFaults(attached.listeners.flatMap((listener) => rejectionFor(listener)?.fault ?? []));
    parents.push(parentStatus(route, ref, deps.controllerName, fault, rules));
    if ('fault' in attached || isRejected(rules)) continue;
    for (const listener of attached.listeners) {
      if (rejectionFor(listener)?.isLeftOut && !demandsAnything(rulesFor(traitsOf(gateway, listener)))) continue;
      attachments.add(attachmentKey(gateway.key, listener.id));
      if (!listener.table) continue;
      const resolved = rulesFor(traitsOf(gateway, listener));
      for (const made of contributionsOf(route, deps.fleet(gateway.fleet), listener, resolved)) {
        contributions.set(placeOf(made), made);
      }
      uses.add(gateway, resolved.backends);
    }
  }
  return {
    parents: parts.of(trim(parents)),
    contributions: [...contributions.values()],
    attachments: parts.of([...attachments]),
    uses: parts.of(uses.list()),
  };
}

/** Such a route is closed and not left out: requests would find a wider one. */
const demandsAnything = ({ routes }: ResolvedRules): boolean =>
  routes.some(({ route }) => route.rule.filters?.access !== undefined);

const traitsOf = (gateway: ResolvedGateway, listener: ResolvedListener | undefined): ListenerTraits => ({
  clientCertificate: clientCertificateKey(gateway),
  cors: listener && gateway.cors.get(listener.id),
  traffic: listener && gateway.traffic.get(listener.id),
  protocol: listener?.protocol ?? 'HTTP',
  port: listener?.port ?? 80,
  hasRawPaths: listener?.rawPaths !== undefined,
});

function memoizeRules(route: HttpRouteObject, deps: RuleDeps) {
  const resolved = new Map<string, ResolvedRules>();
  return (traits: ListenerTraits): ResolvedRules => {
    const key = `${traits.protocol} ${traits.port} ${traits.hasRawPaths} ${traits.clientCertificate} ${JSON.stringify([traits.cors, traits.traffic?.rules])}`;
    const rules = resolved.get(key) ?? resolveRules(route, traits, deps);
    resolved.set(key, rules);
    return rules;
  };
}

/** A route of which no rule is left is rejected as a whole. */
const isRejected = ({ droppedRules, ruleCount, routes }: ResolvedRules): boolean =>
  ruleCount > 0 && droppedRules === ruleCount && routes.length === 0;

function parentStatus(
  route: RouteObject,
  ref: ParentReference,
  controllerName: string,
  attachFault: ConditionFault | undefined,
  rules: ResolvedRules,
): RouteParentStatus {
  const generation = route.metadata.generation ?? 0;
  const ruleFault = combineFaults(rules.ruleFaults);
  if (!attachFault && !ruleFault && rules.referenceFaults.length === 0)
    return { parentRef: parentRefOf(ref), controllerName, conditions: goodConditions(generation) };
  const rejected = rules.droppedRules === rules.ruleCount ? ruleFault : undefined;
  const conditions: Condition[] = [
    conditionOf('Accepted', generation, attachFault ?? rejected),
    conditionOf('ResolvedRefs', generation, combineFaults(rules.referenceFaults)),
  ];
  if (ruleFault && !rejected) {
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

/** Of routes without fault, by generation: most have these, and few generations, so that they are there once. */
const good = new Map<number, readonly Condition[]>();
const generations = 64;

function goodConditions(generation: number): readonly Condition[] {
  const known = good.get(generation);
  if (known) return known;
  const made = ['Accepted', 'ResolvedRefs'].map((type) => conditionOf(type, generation, undefined));
  if (generation < generations) good.set(generation, made);
  return made;
}

/**
 * What the route puts on the hosts of a listener. A host that a more specific listener of the port stands for is left to
 * that one. Source: Gateway API, Listener isolation (GatewayHTTPListenerIsolation).
 */
function contributionsOf(
  route: RouteObject,
  fleet: ResolvedFleet,
  listener: ResolvedListener,
  rules: ResolvedRules,
): Contribution[] {
  const shape = fleet.tables.get(listener.table as string) as TableShape;
  return hostnamesOf(route).flatMap((original) => {
    const host = intersectHostnames(listener.hostname, original);
    if (host === undefined || ownerOf(shape, host) !== listener) return [];
    return {
      source: routeSource(route),
      gateway: fleet.key,
      table: shape.id,
      listener: listener.place,
      host,
      original,
      created: route.metadata.creationTimestamp ?? '',
      routes: rules.routes,
    };
  });
}
