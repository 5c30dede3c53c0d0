import { isRouteKind, type KindName, keyOf, type ObjectByKind } from '../gateway-api/index.ts';
import type * as ir from '../ir/index.ts';
import { each, type Steps, toEnd } from '../std/steps/index.ts';
import type { BuildResult } from './build-result.ts';
import { type FoundCode, Limit, noLimits, type StatusChange } from './engine/index.ts';
import { fillCopy, type GraphContent } from './fill-copy.ts';
import type { GraphOptions } from './graph-options.ts';
import { graphParts } from './graph-parts.ts';
import { GraphReader } from './graph-reader.ts';
import type { DatabaseTrouble, DataPlaneState, Rejection } from './model/index.ts';
import type { Input } from './pending-inputs.ts';
import { markRejected } from './quarantine/index.ts';
import type { GraphCopy, GraphView } from './view.ts';

/**
 * All watched resources with their edges and conditions. `upsert` and `remove` store and mark; `build` resolves what was
 * marked, in the order class, Gateway, proxies, route, backend, virtual host, status, so that each finds what it refers to
 * already resolved. Pure: the same objects give the same result, whatever way they came.
 *
 * A build may be taken in steps (`building`), with turns for others between. Inputs that come meanwhile wait, in order, until the
 * build is over. Readers see the state before the build until then.
 */
export class Graph extends GraphReader<Graph> implements GraphView {
  readonly #options: GraphOptions;
  readonly #inputs: Limit;
  #isBuilding = false;

  constructor(options: GraphOptions) {
    super(graphParts(options));
    this.#options = options;
    this.#inputs = new Limit('maxInputObjects', options.limits ?? noLimits);
  }

  /** Stores an object. Whether anything has to be built because of it. */
  upsert<K extends KindName>(kind: K, object: ObjectByKind[K]): boolean {
    const key = keyOf(object);
    const before = this.find(kind, key);
    const isRelevant = !before || this.parts.changes.isRelevant(kind, before, object);
    this.#show(kind, object);
    if (this.#isBuilding && (isRelevant || this.parts.waiting.has(kind, key))) {
      this.parts.waiting.put(kind, object);
      return isRelevant;
    }
    this.parts.store.put(kind, object);
    if (!before) this.#countInput(kind, object, 1);
    if (isRelevant) this.parts.changes.mark(kind, key, before, object);
    return isRelevant;
  }

  /** Forgets an object. Whether anything has to be built because of it. */
  remove(kind: KindName, key: string): boolean {
    const before = this.find(kind, key);
    if (!before) return false;
    this.parts.revisions.touch(kind);
    if (isRouteKind(kind)) this.parts.routeStates.remove(kind, key);
    if (this.#isBuilding) {
      this.parts.waiting.remove(kind, key);
      return true;
    }
    this.parts.store.remove(kind, key);
    this.parts.statuses.renew(kind, key);
    this.#countInput(kind, before, -1);
    this.parts.changes.mark(kind, key, before, undefined);
    return true;
  }

  /** What is known of proxies from outside: their addresses. `fleet`: ResolvedFleet.key. */
  setDataPlane(fleet: string, state: DataPlaneState | undefined): void {
    this.#take((graph) => graph.parts.resolvers.progress.setDataPlane(fleet, state));
  }

  /** Databases of places that proxies of the fleet cannot use. `fleet`: ResolvedFleet.key. */
  setDatabaseTroubles(fleet: string, troubles: readonly DatabaseTrouble[]): void {
    this.#take((graph) => {
      graph.parts.resolvers.databases.set(fleet, troubles);
      graph.parts.changes.markDatabases();
    });
  }

  /** A proxy of the fleet has applied a snapshot in which its listeners had this digest. */
  acknowledge(fleet: string, listenersDigest: ir.Digest): void {
    this.#take((graph) => {
      graph.parts.resolvers.progress.applied(fleet, listenersDigest);
    });
  }

  /** What there is of code that objects name and that is kept elsewhere; undefined: nothing any more. `source`: as objects ask for it. */
  setCode(source: string, code: FoundCode | undefined): void {
    this.#take((graph) => {
      graph.parts.store.setCode(source, code);
      graph.parts.changes.markCode(source);
    });
  }

  /** Some content cannot be sent to proxies: it is left out of the snapshot, and its object says so, for as long as that is its content. */
  reject(rejection: Rejection): void {
    this.#take((graph) => {
      if (graph.parts.quarantine.put(rejection)) graph.#markRejected(rejection);
    });
  }

  /** All proxies of a fleet reject some content, be it here already or not: its object says so. It stays in the snapshot. */
  hold(rejection: Rejection): void {
    this.#take((graph) => {
      if (graph.parts.quarantine.hold(rejection)) graph.#markRejected(rejection);
    });
  }

  /** Not all of them reject it any more. */
  release(rejection: Rejection): void {
    this.#take((graph) => {
      if (graph.parts.quarantine.release(rejection)) graph.#markRejected(rejection);
    });
  }

  #markRejected(rejection: Rejection): void {
    markRejected(this.parts.dirty, this.#options.kinds, rejection);
  }

  /** Whether `build` would do anything; while a build is under way, whether another one after it would. */
  get isDirty(): boolean {
    if (this.#isBuilding) return this.parts.waiting.size > 0;
    return !this.parts.dirty.isEmpty || this.newest === undefined;
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
      this.parts.committed.clear();
      // A build that failed keeps what it has resolved.
      for (const change of this.parts.statuses.pending()) {
        this.parts.revisions.touch(change.kind);
        this.#showState(change);
      }
      for (const input of this.parts.waiting.take()) this.#takeLate(input);
    }
  }

  *#resolve(now: Date): Steps<BuildResult> {
    this.#inputs.check();
    const counted = () => each(this.parts.statuses.pending(), (change) => this.#showState(change));
    const { snapshot, changes, resolved, due } = yield* this.parts.resolvers.resolve(now, counted);
    const unchanged = this.newest?.id === snapshot.id;
    this.newest = unchanged && this.newest ? { ...snapshot, generatedAt: this.newest.generatedAt } : snapshot;
    const statuses = this.parts.statuses.takeChanges();
    for (const kind of new Set(statuses.map((change) => change.kind))) this.parts.revisions.touch(kind);
    return { snapshot: this.newest, changes, statuses, resolved, ...(due && { due }) };
  }

  *copy(now: Date): Steps<GraphCopy> {
    // What goes wrong in a copy has gone wrong here, or only in a trial.
    const { onMishap: _, ...options } = this.#options;
    const copy = new Graph(options);
    copy.parts.resolvers.classes.adopt(this.parts.resolvers.classes);
    const content: GraphContent<Graph> = {
      store: this.parts.store,
      dataPlanes: this.parts.resolvers.progress.dataPlanes(),
      acknowledged: this.parts.resolvers.progress.acknowledged(),
      databaseTroubles: this.parts.resolvers.databases.list(),
      rejections: this.rejections(),
      held: this.held(),
      // A copy begun while a build is under way has what the build has, and then what waits for its end.
      waiting: this.parts.waiting.inputs(),
    };
    yield* fillCopy(copy, content, now);
    return copy;
  }

  // ---- inputs ----

  #take(input: Input<Graph>): void {
    if (this.#isBuilding) this.parts.waiting.add(input);
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
    this.parts.revisions.touch(kind);
    // The status of a build under way too, which may have been counted already.
    if (isRouteKind(kind)) this.parts.routeStates.put(kind, object, this.parts.statuses.find(kind, keyOf(object)));
  }

  /** Counts alone are ahead of a build that is not over: they grow by all routes at a start, and would take one long step at its end. */
  #showState({ kind, key, status }: StatusChange): void {
    const object = isRouteKind(kind) && this.find(kind, key);
    if (object) this.parts.routeStates.put(kind, object, status);
  }

  #countInput(kind: KindName, { metadata }: ObjectByKind[KindName], by: 1 | -1): void {
    const { namespace = '', name } = metadata;
    this.#inputs.add(namespace, by, () => `${kind} ${namespace ? `${namespace}/` : ''}${name}`);
  }
}
