import { type HostRules, hostRules } from '../egress/index.ts';
import { isRouteKind, type KindName, keyOf, type ObjectByKind, type Status } from '../gateway-api/index.ts';
import type * as ir from '../ir/index.ts';
import { type Steps, toEnd } from '../std/steps/index.ts';
import type { BuildResult } from './build-result.ts';
import {
  type AccessHolding,
  type AccessPlace,
  BackendProviders,
  CommittedView,
  Dirty,
  Edges,
  Limit,
  noLimits,
  Revisions,
  type RouteStateCounts,
  RouteStates,
  StatusBook,
  type StatusChange,
  Store,
} from './engine/index.ts';
import { fillCopy, type GraphContent } from './fill-copy.ts';
import { Attachments, listenerViews } from './gateways/index.ts';
import type { GraphOptions } from './graph-options.ts';
import {
  type BackendSessions,
  type DataPlaneState,
  type ListenerView,
  type ObjectReference,
  parseBackendKey,
  providerKindOf,
  type Rejection,
  type ResolvedGateway,
  routeReference,
} from './model/index.ts';
import { ObjectChanges } from './object-changes.ts';
import { type Input, PendingInputs } from './pending-inputs.ts';
import { markRejected, Quarantine } from './quarantine/index.ts';
import { Resolvers } from './resolvers.ts';
import type { RoutePlace } from './routes/index.ts';
import type { GraphCopy, GraphView } from './view.ts';

/**
 * All watched resources with their edges and conditions. `upsert` and `remove` store and mark; `build` resolves what was
 * marked, in the order class, Gateway, proxies, route, backend, virtual host, status, so that each finds what it refers to
 * already resolved. Pure: the same objects give the same result, whatever way they came.
 *
 * A build may be taken in steps (`building`), with turns for others between. Inputs that come meanwhile wait, in order, until the
 * build is over. Readers see the state before the build until then.
 */
export class Graph implements GraphView {
  /** Where hosts that users write may lead. */
  readonly hosts: HostRules;
  readonly #options: GraphOptions;
  readonly #store: Store;
  readonly #changes: ObjectChanges;
  /** What the build under way has changed, as it was. */
  readonly #committed = new CommittedView();
  readonly #attachments = new Attachments(this.#committed);
  readonly #statuses = new StatusBook(this.#committed);
  readonly #quarantine = new Quarantine();
  readonly #dirty = new Dirty();
  readonly #inputs: Limit;
  readonly #revisions = new Revisions();
  readonly #routeStates: RouteStates;
  readonly #resolvers: Resolvers;
  readonly #waiting = new PendingInputs<Graph>();
  #isBuilding = false;
  #snapshot: ir.Snapshot | undefined;

  constructor(options: GraphOptions) {
    const { kinds, limits = noLimits } = options;
    this.#options = options;
    this.hosts = options.hosts ?? hostRules();
    this.#store = new Store(options.scope, this.hosts, new BackendProviders(kinds));
    const edges = new Edges(kinds);
    this.#changes = new ObjectChanges({ kinds, dirty: this.#dirty, store: this.#store, edges });
    this.#inputs = new Limit('maxInputObjects', limits);
    this.#routeStates = new RouteStates(options.controllerName);
    this.#resolvers = new Resolvers(options, {
      store: this.#store,
      edges,
      attachments: this.#attachments,
      statuses: this.#statuses,
      quarantine: this.#quarantine,
      dirty: this.#dirty,
      former: this.#committed,
    });
  }

  /** Stores an object. Whether anything has to be built because of it. */
  upsert<K extends KindName>(kind: K, object: ObjectByKind[K]): boolean {
    const key = keyOf(object);
    const before = this.find(kind, key);
    const isRelevant = !before || this.#changes.isRelevant(kind, before, object);
    this.#show(kind, object);
    if (this.#isBuilding && (isRelevant || this.#waiting.has(kind, key))) {
      this.#waiting.put(kind, object);
      return isRelevant;
    }
    this.#store.put(kind, object);
    if (!before) this.#countInput(kind, object, 1);
    if (isRelevant) this.#changes.mark(kind, key, before, object);
    return isRelevant;
  }

  /** Forgets an object. Whether anything has to be built because of it. */
  remove(kind: KindName, key: string): boolean {
    const before = this.find(kind, key);
    if (!before) return false;
    this.#revisions.touch(kind);
    if (isRouteKind(kind)) this.#routeStates.remove(kind, key);
    if (this.#isBuilding) {
      this.#waiting.remove(kind, key);
      return true;
    }
    this.#store.remove(kind, key);
    this.#statuses.renew(kind, key);
    this.#countInput(kind, before, -1);
    this.#changes.mark(kind, key, before, undefined);
    return true;
  }

  /** What is known of proxies from outside: their addresses. `fleet`: ResolvedFleet.key. */
  setDataPlane(fleet: string, state: DataPlaneState | undefined): void {
    this.#take((graph) => graph.#resolvers.progress.setDataPlane(fleet, state));
  }

  /** A proxy of the fleet has applied a snapshot in which its listeners had this digest. */
  acknowledge(fleet: string, listenersDigest: ir.Digest): void {
    this.#take((graph) => {
      graph.#resolvers.progress.applied(fleet, listenersDigest);
    });
  }

  /** Some content cannot be sent to proxies: it is left out of the snapshot, and its object says so, for as long as that is its content. */
  reject(rejection: Rejection): void {
    this.#take((graph) => {
      if (graph.#quarantine.put(rejection)) markRejected(graph.#dirty, rejection);
    });
  }

  /** All proxies of a fleet reject some content, be it here already or not: its object says so. It stays in the snapshot. */
  hold(rejection: Rejection): void {
    this.#take((graph) => {
      if (graph.#quarantine.hold(rejection)) markRejected(graph.#dirty, rejection);
    });
  }

  /** Not all of them reject it any more. */
  release(rejection: Rejection): void {
    this.#take((graph) => {
      if (graph.#quarantine.release(rejection)) markRejected(graph.#dirty, rejection);
    });
  }

  isHeld(content: Omit<Rejection, 'message'>): boolean {
    return this.#quarantine.has(content);
  }

  /** What all proxies of a fleet reject. */
  held(): Iterable<Rejection> {
    return this.#quarantine.listHeld();
  }

  /** What is left out of the snapshot. */
  rejections(): Iterable<Rejection> {
    return this.#quarantine.listLeftOut();
  }

  /** Whether `build` would do anything; while a build is under way, whether another one after it would. */
  get isDirty(): boolean {
    if (this.#isBuilding) return this.#waiting.size > 0;
    return !this.#dirty.isEmpty || this.#snapshot === undefined;
  }

  /**
   * Resolves what became dirty. Throws a BuildFault when a limit is exceeded: the snapshot stays as it was, what was
   * resolved stays in hand, and the next build that may goes on from there.
   */
  build(now: Date): BuildResult {
    return toEnd(this.building(now));
  }

  /**
   * The same in steps. The caller takes all steps, or ends the generator, which is as if a step had thrown. One build at a
   * time is under way.
   */
  *building(now: Date): Steps<BuildResult> {
    if (this.#isBuilding) throw new Error('a build of this graph is under way');
    this.#isBuilding = true;
    try {
      return yield* this.#resolve(now);
    } finally {
      this.#isBuilding = false;
      this.#committed.clear();
      // A build that failed keeps what it has resolved.
      this.#showStatuses(this.#statuses.pending());
      for (const input of this.#waiting.take()) this.#takeLate(input);
    }
  }

  *#resolve(now: Date): Steps<BuildResult> {
    this.#inputs.check();
    const { snapshot, changes, resolved, due } = yield* this.#resolvers.resolve(now);
    const unchanged = this.#snapshot?.id === snapshot.id;
    this.#snapshot = unchanged && this.#snapshot ? { ...snapshot, generatedAt: this.#snapshot.generatedAt } : snapshot;
    const statuses = this.#statuses.takeChanges();
    this.#showStatuses(statuses);
    return { snapshot: this.#snapshot, changes, statuses, resolved, ...(due && { due }) };
  }

  // ---- GraphView ----

  snapshot(): ir.Snapshot | undefined {
    return this.#snapshot;
  }

  revisionOf(...kinds: readonly KindName[]): number {
    return this.#revisions.of(kinds);
  }

  unservedRoutes(): RouteStateCounts {
    return this.#routeStates.counts;
  }

  list<K extends KindName>(kind: K): Iterable<ObjectByKind[K]> {
    return this.#waiting.list(kind, this.#store);
  }

  find<K extends KindName>(kind: K, key: string): ObjectByKind[K] | undefined {
    return this.#waiting.find(kind, key, this.#store);
  }

  count(kind: KindName): number {
    return this.#waiting.count(kind, this.#store);
  }

  statusOf(kind: KindName, key: string): Status | undefined {
    return this.#statuses.findCommitted(kind, key);
  }

  listeners(): Iterable<ListenerView> {
    return listenerViews(this.#resolvers.gateways.listCommitted(), this.#statuses, this.#attachments);
  }

  accessAt(place: AccessPlace): readonly AccessHolding[] {
    return this.#resolvers.accessAt(place);
  }

  placesOf(route: string): readonly RoutePlace[] {
    return this.#resolvers.placesOf(route);
  }

  *routesOfBackend(backend: string): Iterable<ObjectReference> {
    for (const key of this.#resolvers.backends.committedRoutesOf(backend)) yield routeReference(key);
  }

  hostFaultOf(backend: string): string | undefined {
    const parts = parseBackendKey(backend);
    return this.#store.providers.get(providerKindOf(parts)).hostFaultOf?.(parts, this.#store)?.message;
  }

  sessionsOf(backend: string): BackendSessions {
    return this.#resolvers.sessionsOf(backend);
  }

  *copy(now: Date): Steps<GraphCopy> {
    const copy = new Graph(this.#options);
    copy.#resolvers.classes.adopt(this.#resolvers.classes);
    const content: GraphContent<Graph> = {
      store: this.#store,
      dataPlanes: this.#resolvers.progress.dataPlanes(),
      acknowledged: this.#resolvers.progress.acknowledged(),
      rejections: this.rejections(),
      held: this.held(),
      // A copy begun while a build is under way has what the build has, and then what waits for its end.
      waiting: this.#waiting.inputs(),
    };
    yield* fillCopy(copy, content, now);
    return copy;
  }

  /** The Gateways of our classes, as they are resolved: what their proxies need from outside. */
  resolvedGateways(): Iterable<ResolvedGateway> {
    return this.#resolvers.gateways.listCommitted();
  }

  resolvedGateway(key: string): ResolvedGateway | undefined {
    return this.#resolvers.gateways.findCommitted(key);
  }

  fleetOf(gateway: string): string {
    return this.#resolvers.gateways.findCommitted(gateway)?.fleet ?? gateway;
  }

  gatewaysOf(fleet: string): Iterable<string> {
    return this.#resolvers.fleets.findCommitted(fleet)?.members.keys() ?? [];
  }

  // ---- inputs ----

  #take(input: Input<Graph>): void {
    if (this.#isBuilding) this.#waiting.add(input);
    else input(this);
  }

  /** The others are not lost with one of them. */
  #takeLate(input: Input<Graph>): void {
    try {
      input(this);
    } catch (error) {
      this.#options.onInputFault?.(error);
    }
  }

  /** What readers see of an object has changed. */
  #show<K extends KindName>(kind: K, object: ObjectByKind[K]): void {
    this.#revisions.touch(kind);
    if (isRouteKind(kind)) this.#routeStates.put(kind, object, this.statusOf(kind, keyOf(object)));
  }

  #showStatuses(changes: Iterable<StatusChange>): void {
    for (const { kind, key, status } of changes) {
      this.#revisions.touch(kind);
      const object = isRouteKind(kind) && this.find(kind, key);
      if (object) this.#routeStates.put(kind, object, status);
    }
  }

  #countInput(kind: KindName, { metadata }: ObjectByKind[KindName], by: 1 | -1): void {
    const { namespace = '', name } = metadata;
    this.#inputs.add(namespace, by, () => `${kind} ${namespace ? `${namespace}/` : ''}${name}`);
  }
}
