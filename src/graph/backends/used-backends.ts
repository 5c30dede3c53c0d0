import type { KindName } from '../../gateway-api/index.ts';
import {
  addAll,
  type BackendSettings,
  type BackendsInUse,
  type CommittedEdges,
  type CommittedView,
  type Dirty,
  type Edges,
  type KindModules,
  type Mishaps,
  ReverseIndex,
  type Store,
} from '../engine/index.ts';
import type { SnapshotState } from '../hosts/index.ts';
import {
  type BackendContent,
  type ConditionFault,
  combineFaults,
  parseBackendKey,
  portOfBackend,
} from '../model/index.ts';
import { type BackendFaults, backendFaults, type Quarantine } from '../quarantine/index.ts';
import { backendContent } from './backend.ts';
import { BackendUsers } from './backend-users.ts';

export interface BackendDeps {
  readonly store: Store;
  readonly kinds: KindModules;
  readonly edges: Edges;
  readonly dirty: Dirty;
  readonly mishaps: Mishaps;
  readonly quarantine: Quarantine;
  readonly state: SnapshotState;
  readonly former: CommittedView;
}

/** The backends that are used: by which Gateways and routes, and what proxies reject of them. Keys as ir.Backend.key. */
export class UsedBackends {
  readonly #deps: BackendDeps;
  /** By their backendOwner and by their port of it: there may be several variants of one port. */
  readonly #variants = new ReverseIndex();
  readonly #users = new BackendUsers();
  /** By portOfBackend. */
  readonly #routes = new ReverseIndex();
  readonly #rejected = new Map<string, BackendFaults>();
  readonly #committed: CommittedEdges;

  /** Of the kinds of policies that say how backends are treated, in the order in which they apply. */
  readonly #policies: readonly (readonly [KindName, BackendSettings])[];
  /** Of the same kinds. */
  readonly settings: readonly BackendSettings[];
  readonly #guarded: readonly BackendSettings[];

  constructor(deps: BackendDeps) {
    this.#deps = deps;
    this.#policies = (Object.keys(deps.kinds) as KindName[]).flatMap((kind) => {
      const { backends } = deps.kinds[kind];
      return backends ? [[kind, backends] as const] : [];
    });
    this.settings = this.#policies.map(([, settings]) => settings);
    this.#guarded = this.#policies.map(([kind, settings]) => this.#guardedSettings(kind, settings));
    this.#committed = deps.former.edges();
  }

  /** The Gateway uses the backend more often, or less. */
  count(backend: string, gateway: string, by: number): void {
    this.#users.add(backend, gateway, by);
    this.mark(backend);
  }

  /** More or fewer Gateways may use it now, which statuses report: those of its policies, and its own object's. */
  mark(backend: string): void {
    const { dirty, store } = this.#deps;
    dirty.backends.add(backend);
    this.#markPolicies(backend, this.#policies);
    const parts = parseBackendKey(backend);
    const { provider } = store.providers.kindsOf(parts);
    if (store.providers.get(provider).reportsUse) dirty.markStatus(provider, `${parts.namespace}/${parts.service}`);
  }

  #markPolicies(backend: string, policies: readonly (readonly [KindName, BackendSettings])[]): void {
    const { dirty, edges, store } = this.#deps;
    const owner = store.providers.ownerOf(backend);
    for (const [kind, { edge }] of policies) dirty.markStatuses(kind, edges.of(edge).sourcesOf(owner));
  }

  /** Resolves what is used of a port or backend that became dirty. */
  resolve(key: string): void {
    for (const variant of new Set([key, ...this.#variants.sourcesOf(key)])) this.resolveVariant(variant);
  }

  resolveVariant(key: string): void {
    const { state, mishaps, store } = this.#deps;
    const isUsed = state.isUsed(key);
    const resolved = mishaps.during(`backend ${key}`, () => (isUsed ? this.#contentOf(key) : undefined));
    this.#variants.set(key, isUsed ? [store.providers.ownerOf(key), portOfBackend(key)] : []);
    state.setBackend(key, resolved?.backend, resolved?.endpoints);
    this.#setRejected(key, backendFaults(resolved, this.#deps));
  }

  /** What cannot be resolved because of an error of ours is not there. */
  #contentOf(key: string): BackendContent | undefined {
    const { store, edges, mishaps } = this.#deps;
    const parts = parseBackendKey(key);
    return mishaps.guard(
      store.providers.kindsOf(parts).provider,
      `${parts.namespace}/${parts.service}`,
      () => backendContent(key, { store, edges }, this.#guarded),
      () => undefined,
    );
  }

  /** Where a policy cannot be resolved, no request may go to the backend in another way than it says. */
  #guardedSettings(kind: KindName, settings: BackendSettings): BackendSettings {
    const { edges, mishaps } = this.#deps;
    return {
      ...settings,
      settingOf(owner, backend, lookup) {
        try {
          return settings.settingOf(owner, backend, lookup);
        } catch (error) {
          for (const policy of edges.of(settings.edge).sourcesOf(owner)) mishaps.note(kind, policy, error);
          return { isClosed: true };
        }
      },
    };
  }

  /** Replaces the backends that a route (by routeKey) leads to. */
  setRoute(route: string, backends: readonly string[]): void {
    this.#committed.note(route, this.#routes.targetsOf(route));
    this.#routes.set(route, [...new Set(backends.map(portOfBackend))]);
  }

  /** routeKeys of the routes that lead to the backend, or to another variant of its port. */
  routesOf(backend: string): Iterable<string> {
    return this.#routes.sourcesOf(portOfBackend(backend));
  }

  /** The same for readers outside the build: as of the last finished build. */
  committedRoutesOf(backend: string): Iterable<string> {
    return this.#committed.sourcesOf(portOfBackend(backend), this.routesOf(backend));
  }

  /** The used backends of some owners, by backendOwner. */
  of(owners: readonly string[]): string[] {
    return owners.flatMap((owner) => [...this.#variants.sourcesOf(owner)]);
  }

  /** Keys of the Gateways that use any of the backends, once for each. */
  gatewaysOf(backends: readonly string[]): string[] {
    return backends.flatMap((backend) => [...this.#users.gatewaysOf(backend)]);
  }

  /** What all proxies of fleets reject, by backend. */
  get rejected(): ReadonlyMap<string, BackendFaults> {
    return this.#rejected;
  }

  /** What statuses look at. `fleetOf`: the proxies of a Gateway. */
  inUse(fleetOf: (gateway: string) => string): BackendsInUse {
    return {
      of: (owners) => this.of(owners),
      gatewaysOf: (backends) => this.gatewaysOf(backends),
      find: (backend) => this.#deps.state.backend(backend),
      rejectionOf: (backends) => {
        const faults = backends.flatMap((backend) => this.#rejected.get(backend) ?? []);
        return (gateway) => combineFaults(faults.flatMap((each) => each.get(fleetOf(gateway)) ?? []));
      },
    };
  }

  #setRejected(key: string, faults: BackendFaults): void {
    const before = this.#rejected.get(key) ?? new Map<string, ConditionFault>();
    if (textOf(before) === textOf(faults)) return;
    if (faults.size > 0) this.#rejected.set(key, faults);
    else this.#rejected.delete(key);
    addAll(this.#deps.dirty.routeStatuses, this.routesOf(key));
    this.#markPolicies(
      key,
      this.#policies.filter(([, { reportsRejections }]) => reportsRejections),
    );
  }
}

const textOf = (faults: BackendFaults): string =>
  faults.size === 0 ? '' : JSON.stringify([...faults].sort(([a], [b]) => (a < b ? -1 : 1)));
