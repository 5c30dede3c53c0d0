import type { HostRules } from '../egress/index.ts';
import type { KindName, ObjectByKind, Status } from '../gateway-api/index.ts';
import type * as ir from '../ir/index.ts';
import { type AuthorityHolding, authoritiesInUse } from './authorities-in-use.ts';
import type {
  AccessHolding,
  AccessPlace,
  LimitHolding,
  Mishap,
  RouteStateCounts,
  TrafficHolding,
  UserCode,
} from './engine/index.ts';
import { listenerViews } from './gateways/index.ts';
import type { GraphParts } from './graph-parts.ts';
import {
  type BackendSessions,
  type ListenerView,
  type ObjectReference,
  parseBackendKey,
  type Rejection,
  type ResolvedGateway,
  routeReference,
} from './model/index.ts';
import type { ObjectIntake } from './pending-inputs.ts';
import type { RoutePlace } from './routes/index.ts';
import type { GraphView } from './view.ts';

/** What readers see of a graph: the newest objects, and what the last finished build has resolved. */
export abstract class GraphReader<G extends ObjectIntake> implements Omit<GraphView, 'copy'> {
  /** Where hosts that users write may lead. */
  readonly hosts: HostRules;
  /** Code of users that proxies run. */
  readonly userCode: UserCode;
  protected readonly parts: GraphParts<G>;
  protected newest: ir.Snapshot | undefined;

  constructor(parts: GraphParts<G>) {
    this.hosts = parts.hosts;
    this.userCode = parts.store.userCode;
    this.parts = parts;
  }

  snapshot(): ir.Snapshot | undefined {
    return this.newest;
  }

  revisionOf(...kinds: readonly KindName[]): number {
    return this.parts.revisions.of(kinds);
  }

  unservedRoutes(): RouteStateCounts {
    return this.parts.routeStates.counts;
  }

  list<K extends KindName>(kind: K): Iterable<ObjectByKind[K]> {
    return this.parts.waiting.list(kind, this.parts.store);
  }

  find<K extends KindName>(kind: K, key: string): ObjectByKind[K] | undefined {
    return this.parts.waiting.find(kind, key, this.parts.store);
  }

  count(kind: KindName): number {
    return this.parts.waiting.count(kind, this.parts.store);
  }

  statusOf(kind: KindName, key: string): Status | undefined {
    return this.parts.statuses.findCommitted(kind, key);
  }

  listeners(): Iterable<ListenerView> {
    return listenerViews(this.parts.resolvers.gateways.listCommitted(), this.parts.statuses, this.parts.attachments);
  }

  attachedRoutes(gateway: string): number {
    return this.parts.attachments.committedCountOf(gateway);
  }

  accessAt(place: AccessPlace): readonly AccessHolding[] {
    return this.parts.resolvers.accessAt(place);
  }

  trafficAt(place: AccessPlace): readonly TrafficHolding[] {
    return this.parts.resolvers.trafficAt(place);
  }

  limitsAt(place: AccessPlace): readonly LimitHolding[] {
    return this.parts.resolvers.limitsAt(place);
  }

  placesOf(route: string): readonly RoutePlace[] {
    return this.parts.resolvers.placesOf(route);
  }

  *routesOfBackend(backend: string): Iterable<ObjectReference> {
    for (const key of this.parts.resolvers.backends.committedRoutesOf(backend)) yield routeReference(key);
  }

  authorities(): Iterable<AuthorityHolding> {
    const { store, edges } = this.parts;
    return authoritiesInUse(store, edges, (kind, key) => this.statusOf(kind, key) !== undefined);
  }

  hostFaultOf(backend: string): string | undefined {
    const parts = parseBackendKey(backend);
    const { store } = this.parts;
    return store.providers.of(parts).hostFaultOf?.(parts, store)?.message;
  }

  sessionsOf(backend: string): BackendSessions {
    return this.parts.resolvers.sessionsOf(backend);
  }

  isHeld(content: Omit<Rejection, 'message'>): boolean {
    return this.parts.quarantine.has(content);
  }

  mishaps(): Iterable<Mishap> {
    return this.parts.mishaps.list();
  }

  /** What all proxies of a fleet reject. */
  held(): Iterable<Rejection> {
    return this.parts.quarantine.listHeld();
  }

  /** What is left out of the snapshot. */
  rejections(): Iterable<Rejection> {
    return this.parts.quarantine.listLeftOut();
  }

  /** The Gateways of our classes, as they are resolved: what their proxies need from outside. */
  resolvedGateways(): Iterable<ResolvedGateway> {
    return this.parts.resolvers.gateways.listCommitted();
  }

  resolvedGateway(key: string): ResolvedGateway | undefined {
    return this.parts.resolvers.gateways.findCommitted(key);
  }

  fleetOf(gateway: string): string {
    return this.parts.resolvers.gateways.findCommitted(gateway)?.fleet ?? gateway;
  }

  gatewaysOf(fleet: string): Iterable<string> {
    return this.parts.resolvers.fleets.findCommitted(fleet)?.members.keys() ?? [];
  }
}
