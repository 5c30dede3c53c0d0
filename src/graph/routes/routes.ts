import {
  isRouteKind,
  keyOf,
  type ParentReference,
  parseObjectKey,
  type RouteParentStatus,
} from '../../gateway-api/index.ts';
import { Interner } from '../../std/memory/index.ts';
import { each, type Steps } from '../../std/steps/index.ts';
import { type UsedBackends, UseSums } from '../backends/index.ts';
import type {
  Dirty,
  Edges,
  GuardedListener,
  KindModules,
  Mishaps,
  RoutesInUse,
  StatusBook,
  Store,
} from '../engine/index.ts';
import type { Fleets } from '../fleets/index.ts';
import { type Attachments, type Gateways, gatewayOfSet } from '../gateways/index.ts';
import type { GatewayHosts, GatewayStreams } from '../hosts/index.ts';
import {
  attachmentKey,
  listenerOfAttachment,
  noteConditions,
  parseAttachmentKey,
  parseBackendKey,
  parseRouteKey,
  type ResolvedFleet,
  type RouteObject,
} from '../model/index.ts';
import { type Quarantine, subjects, withRejectedBackends } from '../quarantine/index.ts';
import { failedRoute } from './failed-route.ts';
import { isL4Route, resolveL4Route } from './l4/l4-route.ts';
import { type ResolvedRoute, type RouteDeps, resolveRoute } from './route.ts';
import { RoutePolicies } from './route-policies.ts';
import type { BackendTraits } from './weighted-backend.ts';

export interface RoutesDeps {
  readonly store: Store;
  readonly kinds: KindModules;
  readonly edges: Edges;
  readonly statuses: StatusBook;
  readonly dirty: Dirty;
  readonly mishaps: Mishaps;
  readonly quarantine: Quarantine;
  readonly attachments: Attachments;
  readonly gateways: Gateways;
  readonly fleets: Fleets;
  readonly backends: UsedBackends;
  readonly hosts: GatewayHosts;
  readonly streams: GatewayStreams;
  readonly traits: BackendTraits;
  readonly controllerName: string;
}

/** A Gateway that a route is attached to, and the hosts that it has matches on at the Gateway's proxies. */
export interface RoutePlace {
  readonly gateway: string;
  readonly hosts: readonly string[];
}

/** Most routes have few kinds of statuses. */
const shared = new Interner(256);

/** The resolved routes of our Gateways, by routeKey. */
export class Routes implements RoutesInUse {
  readonly #deps: RoutesDeps;
  readonly #policies: RoutePolicies;
  readonly #routes = new Map<string, ResolvedRoute>();

  constructor(deps: RoutesDeps) {
    this.#deps = deps;
    this.#policies = new RoutePolicies(deps.kinds, deps, deps.mishaps);
  }

  get size(): number {
    return this.#routes.size;
  }

  gatewaysOf(route: string): string[] {
    return gatewaysOf(this.#routes.get(route));
  }

  /** Where its matches are. */
  placesOf(route: string): RoutePlace[] {
    const resolved = this.#routes.get(route);
    const fleets = new Map(gatewaysOf(resolved).map((gateway) => [gateway, this.#deps.gateways.find(gateway)?.fleet]));
    return [...fleets].map(([gateway, fleet]) => {
      const hosts = (resolved?.contributions ?? []).flatMap((each) => (each.gateway === fleet ? each.host : []));
      return { gateway, hosts: [...new Set(hosts)] };
    });
  }

  listenersOf(route: string, gateway: string): GuardedListener[] {
    const attachments = this.#routes.get(route)?.attachments ?? [];
    return attachments.flatMap((attachment) =>
      parseAttachmentKey(attachment).gateway === gateway ? listenerOfAttachment(attachment) : [],
    );
  }

  countAt(gateway: string, { owner, name }: GuardedListener): number {
    const id = owner.kind === 'Gateway' ? name : `${owner.namespace}/${owner.name}/${name}`;
    return this.#deps.attachments.count(attachmentKey(gateway, id));
  }

  /** Resolves routes, and counts what they use of backends when all of them are resolved. */
  *resolve(keys: Iterable<string>): Steps<void> {
    const { streams, fleets } = this.#deps;
    const sums = new UseSums();
    try {
      for (const key of keys) {
        const before = this.#routes.get(key);
        const after = this.#resolveOne(key, before);
        addUses(sums, before, -1);
        addUses(sums, after, 1);
        yield;
      }
      for (const use of streams.takeUses()) sums.add(use);
      yield* each(sums.take(), (use) => fleets.use(use));
    } finally {
      // Where a fault ends it, what was resolved until then counts: it stays in hand.
      for (const use of sums.take()) fleets.use(use);
    }
  }

  resolveStatus(key: string): void {
    const { store, statuses, backends } = this.#deps;
    const { kind, key: objectKey } = parseRouteKey(key);
    const object = store.find(kind, objectKey);
    const resolved = this.#routes.get(key);
    const fleetOf = ({ parentRef }: RouteParentStatus) => this.#fleetOf(parentRef, object?.metadata.namespace ?? '');
    const parents = resolved ? withRejectedBackends(resolved.parents, resolved.uses, backends.rejected, fleetOf) : [];
    const isOurs = resolved !== undefined || this.#hasLiveStatus(object);
    const noted = object && this.#withNotes(parents, object);
    statuses.set(kind, objectKey, noted && isOurs ? shared.of({ kind, parents: noted }) : undefined);
  }

  /** Each entry also says which policies are for the route itself; those of its Gateways are in their statuses, not in those of all routes. */
  #withNotes(parents: readonly RouteParentStatus[], route: RouteObject): readonly RouteParentStatus[] {
    const notes = this.#policies.notes(route);
    if (notes.length === 0) return parents;
    const more = noteConditions(notes, route.metadata.generation ?? 0);
    return parents.map((parent) => ({ ...parent, conditions: [...parent.conditions, ...more] }));
  }

  #fleetOf({ kind, namespace, name }: ParentReference, own: string): string | undefined {
    const { store, gateways } = this.#deps;
    const key = `${namespace ?? own}/${name}`;
    const set = kind === 'ListenerSet' ? store.find('ListenerSet', key) : undefined;
    return gateways.find(set ? (gatewayOfSet(set) ?? '') : key)?.fleet;
  }

  #resolveOne(key: string, before: ResolvedRoute | undefined): ResolvedRoute | undefined {
    const { store, dirty, quarantine, attachments, backends, hosts, streams, mishaps } = this.#deps;
    const { kind, key: objectKey } = parseRouteKey(key);
    const object = store.find(kind, objectKey);
    const resolved = quarantine.resolve(subjects.route(`${kind.toLowerCase()}/${objectKey}`), () =>
      mishaps.during(`route ${key}`, () => object && this.#follow(object)),
    );
    const after = resolved && resolved.parents.length > 0 ? resolved : undefined;
    if (after) this.#routes.set(key, after);
    else this.#routes.delete(key);
    hosts.replace(before?.contributions ?? [], after?.contributions ?? []);
    streams.replace(before?.streams ?? [], after?.streams ?? []);
    const used = backendsOf(after);
    backends.setRoute(key, used);
    for (const attachment of attachments.replace(key, before?.attachments ?? [], after?.attachments ?? [])) {
      const { gateway, listenerSet } = parseAttachmentKey(attachment);
      if (listenerSet === undefined) dirty.gatewayStatuses.add(gateway);
      else dirty.listenerSetStatuses.add(listenerSet);
      this.#deps.gateways.markCounts({ kind: 'Gateway', ...parseObjectKey(gateway) });
      if (listenerSet !== undefined)
        this.#deps.gateways.markCounts({ kind: 'ListenerSet', ...parseObjectKey(listenerSet) });
    }
    dirty.routeStatuses.add(key);
    if (before?.attachments !== after?.attachments) this.#policies.mark(key, dirty);
    // Rules may have backends of their own, which change with the route.
    for (const backend of used)
      if (isRouteKind(store.providers.kindsOf(parseBackendKey(backend)).owner)) dirty.backends.add(backend);
    return after;
  }

  #follow(route: RouteObject): ResolvedRoute {
    const { store, controllerName, gateways, fleets, quarantine, traits, mishaps } = this.#deps;
    const deps: RouteDeps = {
      store,
      controllerName,
      gateway: (key) => gateways.find(key),
      fleet: (key) => fleets.find(key) as ResolvedFleet,
      quarantine,
      mishaps,
      policies: this.#policies,
      traits,
    };
    const resolve = () => (isL4Route(route) ? resolveL4Route(route, deps) : resolveRoute(route, deps));
    return mishaps.guard(route.kind, keyOf(route), resolve, () => failedRoute(route, deps));
  }

  /** An entry of ours in the stored status, from before the route left us: it has to be taken away. */
  #hasLiveStatus(object: RouteObject | undefined): boolean {
    const { controllerName } = this.#deps;
    return object?.status?.parents?.some((parent) => parent.controllerName === controllerName) ?? false;
  }
}

function addUses(sums: UseSums, route: ResolvedRoute | undefined, by: number): void {
  // Which of several routes of connections is served, their hosts know.
  for (const { gateway, fleet, backends } of route?.streams ? [] : (route?.uses ?? []))
    for (const backend of backends) sums.add({ gateway, fleet, backend, by });
}

/** Without repetition. */
const gatewaysOf = (route: ResolvedRoute | undefined): string[] => [
  ...new Set((route?.attachments ?? []).map((attachment) => parseAttachmentKey(attachment).gateway)),
];

const backendsOf = (route: ResolvedRoute | undefined): string[] =>
  (route?.uses ?? []).flatMap(({ backends }) => backends);
