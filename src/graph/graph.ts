import { type KindName, keyOf, type ObjectByKind, type Status } from '../gateway-api/index.ts';
import type * as ir from '../ir/index.ts';
import { Attachments } from './attachments.ts';
import { type BackendSessions, sessionsOfBackend } from './backend-session.ts';
import { Dirty, markDirty, markRefused } from './dirty.ts';
import { fillCopy } from './fill-copy.ts';
import { FleetProgress } from './fleet-progress.ts';
import { type FleetChange, Fleets } from './fleets.ts';
import type { Binder, DataPlaneState, SettledGateway } from './gateway.ts';
import { GatewayClasses } from './gateway-classes.ts';
import { GatewayHosts } from './gateway-hosts.ts';
import { GatewayStatuses } from './gateway-statuses.ts';
import { GatewayStreams } from './gateway-streams.ts';
import { Gateways } from './gateways.ts';
import { LeftFleets } from './left-fleets.ts';
import { Limit, noLimits, type TranslatorLimits } from './limits.ts';
import { listenerViews } from './listener-view.ts';
import { PlainStatuses } from './plain-statuses.ts';
import { PolicyStatuses } from './policy-statuses.ts';
import { Quarantine, type Refusal } from './quarantine.ts';
import { References } from './references.ts';
import { fingerprint } from './relevance.ts';
import { routeReference } from './route-key.ts';
import { Routes } from './routes.ts';
import { SnapshotState } from './snapshot-state.ts';
import { StatusBook, type StatusChange } from './status-book.ts';
import { Store } from './store.ts';
import { UsedBackends } from './used-backends.ts';
import type { GraphCopy, GraphView, ListenerView, ObjectReference } from './view.ts';

export interface GraphOptions {
  /** `spec.controllerName` of the GatewayClasses that are ours. */
  readonly controllerName: string;
  /** Where proxies bind a port of a Gateway. */
  readonly bind: Binder;
  /** None when left out. */
  readonly limits?: TranslatorLimits;
  /** Where proxies run that several Gateways share, unless their DataPlane says it. Default `gatewright-system`. */
  readonly sharedNamespace?: string;
  /**
   * For how long after the new ones serve, in milliseconds, Gateways that move to other proxies keep the former ones as
   * well. Undefined where the two cannot be side by side, for ports of one machine are bound once: then they go first.
   */
  readonly keepsFormerMs?: number;
}

/** One pass over what became dirty: the snapshot, how it differs from the one before, and the statuses that changed. */
export interface BuildResult {
  readonly snapshot: ir.Snapshot;
  readonly changes: readonly ir.Change[];
  readonly statuses: readonly StatusChange[];
  /** What was settled again, for whoever keeps proxies. */
  readonly settled: readonly FleetChange[];
  /** When to build again although nothing changes. */
  readonly due?: Date;
}

/**
 * All watched resources with their edges and conditions. `upsert` and `remove` store and mark; `build` settles what was
 * marked, in the order class, Gateway, proxies, route, backend, virtual host, status, so that each finds what it refers to
 * already settled. Synchronous and pure: the same objects give the same result, whatever way they came.
 */
export class Graph implements GraphView {
  readonly #options: GraphOptions;
  readonly #store = new Store();
  readonly #references = new References();
  readonly #attachments = new Attachments();
  readonly #hosts = new GatewayHosts();
  readonly #streams = new GatewayStreams();
  readonly #statuses = new StatusBook();
  readonly #quarantine = new Quarantine();
  readonly #dirty = new Dirty();
  readonly #inputs: Limit;
  readonly #state: SnapshotState;
  // In the order in which a build settles them, each with what it looks at.
  readonly #classes: GatewayClasses;
  readonly #gateways: Gateways;
  readonly #progress: FleetProgress;
  readonly #fleets: Fleets;
  readonly #backends: UsedBackends;
  readonly #routes: Routes;
  readonly #policyStatuses: PolicyStatuses;
  readonly #plainStatuses: PlainStatuses;
  readonly #gatewayStatuses: GatewayStatuses;
  #snapshot: ir.Snapshot | undefined;

  constructor(options: GraphOptions) {
    const { controllerName, bind, keepsFormerMs, limits = noLimits, sharedNamespace = 'gatewright-system' } = options;
    this.#options = options;
    this.#inputs = new Limit('maxInputObjects', limits);
    this.#state = new SnapshotState(limits);
    const shared = {
      controllerName,
      store: this.#store,
      references: this.#references,
      attachments: this.#attachments,
      hosts: this.#hosts,
      streams: this.#streams,
      statuses: this.#statuses,
      quarantine: this.#quarantine,
      dirty: this.#dirty,
      state: this.#state,
      left: new LeftFleets(),
    };
    const classes = new GatewayClasses({ ...shared, sharedNamespace });
    const gateways = new Gateways({ ...shared, classes });
    const progress = new FleetProgress({ ...shared, gateways });
    const backends = new UsedBackends(shared);
    const fleets = new Fleets({ ...shared, gateways, progress, backends, bind, keepsFormerMs });
    const sessionsOf = (backend: string) => this.sessionsOf(backend);
    this.#classes = classes;
    this.#gateways = gateways;
    this.#progress = progress;
    this.#fleets = fleets;
    this.#backends = backends;
    this.#routes = new Routes({ ...shared, gateways, fleets, backends, sessionsOf });
    this.#policyStatuses = new PolicyStatuses({ ...shared, gateways, backends });
    this.#plainStatuses = new PlainStatuses({ ...shared, gateways });
    this.#gatewayStatuses = new GatewayStatuses({ ...shared, gateways, fleets, progress });
  }

  /** Stores an object. Whether anything has to be built because of it. */
  upsert<K extends KindName>(kind: K, object: ObjectByKind[K]): boolean {
    const key = keyOf(object);
    const before = this.#store.find(kind, key);
    this.#store.put(kind, object);
    if (!before) this.#countInput(kind, object, 1);
    if (before && fingerprint(kind, before) === fingerprint(kind, object)) return false;
    this.#touch(kind, key, before, object);
    return true;
  }

  /** Forgets an object. Whether anything has to be built because of it. */
  remove(kind: KindName, key: string): boolean {
    const before = this.#store.find(kind, key);
    if (!before) return false;
    this.#store.remove(kind, key);
    this.#countInput(kind, before, -1);
    this.#touch(kind, key, before, undefined);
    return true;
  }

  /** What is known of proxies from outside: their addresses. `fleet`: SettledFleet.key. */
  setDataPlane(fleet: string, state: DataPlaneState | undefined): void {
    this.#progress.setDataPlane(fleet, state);
  }

  /** A proxy of the fleet has applied a snapshot in which its listeners had this digest. */
  acknowledge(fleet: string, listenersDigest: ir.Digest): void {
    if (this.#quarantine.forgive(fleet)) this.#dirty.fleets.add(fleet);
    this.#progress.applied(fleet, listenersDigest);
  }

  /** A proxy refused some content: it is left out of the snapshot, and its object says so, for as long as that is its content. */
  refuse(refusal: Refusal): void {
    if (this.#quarantine.put(refusal)) markRefused(this.#dirty, refusal);
  }

  /**
   * A proxy of another replica refused some content, and that replica holds it back: so do we as soon as it is our content
   * too, which may be later.
   */
  hear(refusal: Refusal): void {
    this.#quarantine.hear(refusal);
    markRefused(this.#dirty, refusal);
  }

  /** No other replica holds this back any more. */
  unhear(refusal: Refusal): void {
    this.#quarantine.unhear(refusal);
  }

  /** What proxies refuse of what objects say now. */
  refusals(): Iterable<Refusal> {
    return this.#quarantine.list();
  }

  /** Whether `build` would do anything. */
  get isDirty(): boolean {
    return !this.#dirty.isEmpty || this.#snapshot === undefined;
  }

  /**
   * Settles what became dirty. Throws a BuildFault when a limit is exceeded: the snapshot stays as it was, what was
   * settled stays in hand, and the next build that may goes on from there.
   */
  build(now: Date): BuildResult {
    this.#inputs.check();
    const dirty = this.#dirty;
    for (const key of dirty.classes) this.#classes.settle(key);
    for (const key of dirty.gateways) this.#gateways.settle(key);
    for (const key of dirty.fleets) this.#fleets.settle(key);
    this.#routes.settle(dirty.routes);
    for (const key of [...dirty.backends]) this.#backends.settle(key);
    for (const key of dirty.routeStatuses) this.#routes.settleStatus(key);
    for (const key of dirty.policies) this.#policyStatuses.settleBackendTls(key);
    for (const key of dirty.backendPolicies) this.#policyStatuses.settleBackend(key);
    for (const key of dirty.listenerPolicies) this.#policyStatuses.settleListener(key);
    for (const key of dirty.trafficPolicies) this.#policyStatuses.settleTraffic(key);
    for (const key of dirty.xBackends) this.#policyStatuses.settleXBackend(key);
    for (const key of dirty.dataPlanes) this.#plainStatuses.settleDataPlane(key);
    for (const key of dirty.aiServices) this.#plainStatuses.settleAiService(key);
    for (const key of dirty.tokenPolicies) this.#plainStatuses.settleTokenPolicy(key);
    this.#hosts.flush(this.#state);
    this.#streams.flush(this.#state);
    const due = this.#fleets.endLeft(now);
    for (const key of dirty.gatewayStatuses) this.#gatewayStatuses.settleGateway(key);
    for (const key of dirty.listenerSetStatuses) this.#gatewayStatuses.settleListenerSet(key);
    for (const key of dirty.fleets) this.#fleets.noteSettled(key);
    dirty.clear();
    this.#state.checkSize();
    const settled = this.#fleets.takeSettled();
    const { snapshot, changes } = this.#state.take(now, this.#routes.size);
    const unchanged = this.#snapshot?.id === snapshot.id;
    this.#snapshot = unchanged && this.#snapshot ? { ...snapshot, generatedAt: this.#snapshot.generatedAt } : snapshot;
    return { snapshot: this.#snapshot, changes, statuses: this.#statuses.takeChanges(), settled, ...(due && { due }) };
  }

  // ---- GraphView ----

  snapshot(): ir.Snapshot | undefined {
    return this.#snapshot;
  }

  list<K extends KindName>(kind: K): Iterable<ObjectByKind[K]> {
    return this.#store.list(kind);
  }

  find<K extends KindName>(kind: K, key: string): ObjectByKind[K] | undefined {
    return this.#store.find(kind, key);
  }

  count(kind: KindName): number {
    return this.#store.count(kind);
  }

  statusOf(kind: KindName, key: string): Status | undefined {
    return this.#statuses.find(kind, key);
  }

  listeners(): Iterable<ListenerView> {
    return listenerViews(this.#gateways.list(), this.#statuses, this.#attachments);
  }

  *routesOfBackend(backend: string): Iterable<ObjectReference> {
    for (const key of this.#backends.routesOf(backend)) yield routeReference(key);
  }

  sessionsOf(backend: string): BackendSessions {
    return sessionsOfBackend(backend, this.#references.trafficPolicies, this.#store);
  }

  *copy(now: Date): Generator<undefined, GraphCopy> {
    const copy = new Graph(this.#options);
    copy.#classes.adopt(this.#classes);
    const content = {
      store: this.#store,
      dataPlanes: this.#progress.dataPlanes(),
      acknowledged: this.#progress.acknowledged(),
      refusals: this.refusals(),
    };
    yield* fillCopy(copy, content, now);
    return copy;
  }

  /** The Gateways of our classes, as they are settled: what their proxies need from outside. */
  settledGateways(): Iterable<SettledGateway> {
    return this.#gateways.list();
  }

  settledGateway(key: string): SettledGateway | undefined {
    return this.#gateways.find(key);
  }

  fleetOf(gateway: string): string {
    return this.#gateways.find(gateway)?.fleet ?? gateway;
  }

  gatewaysOf(fleet: string): Iterable<string> {
    return this.#fleets.find(fleet)?.members.keys() ?? [];
  }

  // ---- inputs ----

  #countInput(kind: KindName, { metadata }: ObjectByKind[KindName], by: 1 | -1): void {
    const { namespace = '', name } = metadata;
    this.#inputs.add(namespace, by, () => `${kind} ${namespace ? `${namespace}/` : ''}${name}`);
  }

  #touch<K extends KindName>(
    kind: K,
    key: string,
    before: ObjectByKind[K] | undefined,
    after: ObjectByKind[K] | undefined,
  ): void {
    this.#references.set(kind, key, after);
    markDirty(this.#dirty, { kind, key, before, after }, this.#references, this.#store);
  }
}
