import type { KindName } from '../gateway-api/index.ts';
import { each, type Steps } from '../std/steps/index.ts';
import { retriesOfBackend, sessionsOfBackend, UsedBackends } from './backends/index.ts';
import type { BuildResult } from './build-result.ts';
import {
  type AccessExplainer,
  type AccessHolding,
  type AccessPlace,
  type CommittedView,
  type Dirty,
  type Edges,
  type FiltersInUse,
  type LimitHolding,
  type LimitSettings,
  type Mishaps,
  noLimits,
  ObjectStatuses,
  type StatusBook,
  type Store,
  type TrafficHolding,
  type TrafficSettings,
} from './engine/index.ts';
import { DatabaseTroubles, DrainingFleets, FleetProgress, Fleets, GatewayStatuses } from './fleets/index.ts';
import { type Attachments, GatewayClasses, Gateways } from './gateways/index.ts';
import type { GraphOptions } from './graph-options.ts';
import { GatewayHosts, GatewayStreams, SnapshotState } from './hosts/index.ts';
import { type BackendSessions, parseRouteKey } from './model/index.ts';
import { filtersOnTrial, limitAsHeld, type Quarantine, rejectedFilters, trafficAsHeld } from './quarantine/index.ts';
import { type RoutePlace, Routes } from './routes/index.ts';

/** What a graph has in hand between builds: it is written by inputs, and read, or cleared, by the resolvers. */
interface Inputs {
  readonly store: Store;
  readonly edges: Edges;
  readonly attachments: Attachments;
  readonly statuses: StatusBook;
  readonly quarantine: Quarantine;
  readonly dirty: Dirty;
  readonly mishaps: Mishaps;
  /** What the build under way has changed, as it was. */
  readonly former: CommittedView;
}

/** What a build resolved, less the statuses that changed. */
type Resolved = Omit<BuildResult, 'statuses'>;

/** The parts of a build, each with what it looks at, in the order in which they resolve: each finds what it refers to already resolved. */
export class Resolvers {
  readonly classes: GatewayClasses;
  readonly gateways: Gateways;
  readonly progress: FleetProgress;
  readonly databases: DatabaseTroubles;
  readonly fleets: Fleets;
  readonly backends: UsedBackends;
  readonly #routes: Routes;
  readonly #objectStatuses: ObjectStatuses;
  readonly #gatewayStatuses: GatewayStatuses;
  readonly #hosts = new GatewayHosts();
  readonly #streams = new GatewayStreams();
  readonly #state: SnapshotState;
  readonly #inputs: Inputs;
  readonly #explainers: readonly AccessExplainer[];
  readonly #trafficKinds: readonly TrafficSettings[];
  readonly #limitKinds: readonly LimitSettings[];

  constructor(options: GraphOptions, inputs: Inputs) {
    const { controllerName, bind, onOneMachine = false, kinds, oldFleetGraceMs, limits = noLimits } = options;
    const { sharedNamespace = 'gatewright-system' } = options;
    this.#inputs = inputs;
    this.#explainers = Object.values(kinds).flatMap((kind) => kind.access ?? []);
    this.#trafficKinds = Object.values(kinds).flatMap((kind) => kind.traffic ?? []);
    this.#limitKinds = Object.values(kinds).flatMap((kind) => kind.limits ?? []);
    this.#state = new SnapshotState(limits);
    const shared = {
      ...inputs,
      controllerName,
      kinds,
      hosts: this.#hosts,
      streams: this.#streams,
      state: this.#state,
      left: new DrainingFleets(),
    };
    const classes = new GatewayClasses({ ...shared, sharedNamespace });
    const gateways = new Gateways({ ...shared, classes });
    const progress = new FleetProgress({ ...shared, gateways });
    const backends = new UsedBackends(shared);
    const fleets = new Fleets({ ...shared, gateways, progress, backends, bind, onOneMachine, oldFleetGraceMs });
    const traits = {
      sessionsOf: (backend: string) => this.sessionsOf(backend),
      retriesOf: (backend: string) => retriesOfBackend(backend, backends.settings, shared),
    };
    this.classes = classes;
    this.gateways = gateways;
    this.progress = progress;
    this.databases = new DatabaseTroubles({ ...shared, gateways });
    this.fleets = fleets;
    this.backends = backends;
    this.#routes = new Routes({ ...shared, gateways, fleets, backends, traits });
    const fleetOf = (gateway: string) => this.#fleetOf(gateway);
    const filters: FiltersInUse = {
      rejectionOf(contents) {
        const faultOf = rejectedFilters(inputs.quarantine, contents);
        return (gateway) => faultOf(fleetOf(gateway));
      },
      trialOf(contents) {
        const trialAt = filtersOnTrial(inputs.quarantine, contents);
        return (gateway) => trialAt(fleetOf(gateway));
      },
    };
    const proxies = { databaseTroublesAt: (gateway: string) => this.databases.at(gateway) };
    const inUse = { backends: backends.inUse(fleetOf), gateways, routes: this.#routes, filters, proxies };
    this.#objectStatuses = new ObjectStatuses(kinds, inputs.statuses, inputs.mishaps, { ...shared, ...inUse });
    this.#gatewayStatuses = new GatewayStatuses({ ...shared, gateways, fleets, progress });
  }

  /** How the settings of a backend have requests of one session meet one endpoint. */
  sessionsOf(backend: string): BackendSessions {
    return sessionsOfBackend(backend, this.backends.settings, this.#inputs);
  }

  /** Which policies of access are for a place. */
  accessAt(place: AccessPlace): readonly AccessHolding[] {
    const lookup = { ...this.#inputs, routes: this.#routes, gateways: this.gateways };
    return this.#explainers.flatMap(({ holdingsAt }) => holdingsAt(place, lookup));
  }

  /** What policies say of how requests are treated at a place. */
  trafficAt(place: AccessPlace): readonly TrafficHolding[] {
    const lookup = { ...this.#inputs, routes: this.#routes, gateways: this.gateways };
    return this.#trafficKinds
      .flatMap(({ holdingsAt }) => holdingsAt(place, lookup))
      .map((holding) => trafficAsHeld(this.#inputs.quarantine, holding, this.#fleetAt(place)));
  }

  /** What requests to a place count against. */
  limitsAt(place: AccessPlace): readonly LimitHolding[] {
    const lookup = { ...this.#inputs, routes: this.#routes };
    const fleet = this.#fleetAt(place);
    return this.#limitKinds
      .flatMap(({ holdingsAt }) => holdingsAt(place, lookup))
      .map((holding) => limitAsHeld(this.#inputs.quarantine, holding, fleet));
  }

  #fleetAt({ gateway }: AccessPlace): string | undefined {
    return gateway === undefined ? undefined : this.#fleetOf(gateway);
  }

  #fleetOf(gateway: string): string {
    return this.gateways.find(gateway)?.fleet ?? gateway;
  }

  placesOf(route: string): readonly RoutePlace[] {
    return this.#routes.placesOf(route);
  }

  /** What goes wrong with the object itself, or with its status, stays as it was. */
  #alone(kind: KindName, key: string, work: () => void): void {
    const { mishaps } = this.#inputs;
    mishaps.during(`status ${kind} ${key}`, () => mishaps.guard(kind, key, work, () => undefined));
  }

  /**
   * Resolves what is dirty. When it throws, or is ended, what was resolved stays in hand and the rest stays dirty.
   * `settled`: what is to be done once all statuses are known, before any of it is taken.
   */
  *resolve(now: Date, settled: () => Steps<void>): Steps<Resolved> {
    const { dirty } = this.#inputs;
    yield* each(dirty.classes, (key) => this.#alone('GatewayClass', key, () => this.classes.resolve(key)));
    yield* each(dirty.gateways, (key) => this.gateways.resolve(key));
    yield* each(dirty.fleets, (key) => this.fleets.claimPorts(key));
    yield* each(dirty.fleets, (key) => this.fleets.resolve(key));
    yield* this.#routes.resolve(dirty.routes);
    yield* each([...dirty.backends], (key) => this.backends.resolve(key));
    yield* each(dirty.routeStatuses, (key) => {
      const { kind, key: object } = parseRouteKey(key);
      this.#alone(kind, object, () => this.#routes.resolveStatus(key));
    });
    yield* this.#objectStatuses.resolve(dirty);
    yield* this.#hosts.flush(this.#state);
    yield* this.#streams.flush(this.#state);
    const due = this.fleets.endLeft(now);
    yield* each(dirty.gatewayStatuses, (key) =>
      this.#alone('Gateway', key, () => this.#gatewayStatuses.resolveGateway(key)),
    );
    yield* each(dirty.listenerSetStatuses, (key) =>
      this.#alone('ListenerSet', key, () => this.#gatewayStatuses.resolveListenerSet(key)),
    );
    for (const key of dirty.fleets) this.fleets.noteResolved(key);
    dirty.clear();
    this.#state.checkSize();
    yield* this.#state.findHeld();
    yield* settled();
    // From here to the end in one go, and the caller's part too: what is taken is reported.
    const resolved = this.fleets.takeResolved();
    return { ...this.#state.take(now, this.#routes.size), resolved, ...(due && { due }) };
  }
}
