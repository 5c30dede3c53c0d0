import {
  type GatewayStatus,
  isRouteKind,
  type KindName,
  keyOf,
  kinds,
  type ObjectByKind,
  type PolicyKindName,
  type Status,
  sharedFleetKey,
  sharedFleetOf,
} from '../gateway-api/index.ts';
import type * as ir from '../ir/index.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { addAll } from './add-all.ts';
import { affectedRoutes } from './affected-routes.ts';
import { aiServiceStatus } from './ai/ai-status.ts';
import { tokenPolicyStatus } from './ai/token-policy.ts';
import { attachmentKey, splitAttachmentKey } from './attach.ts';
import { Attachments } from './attachments.ts';
import { settleBackend } from './backend.ts';
import { backendPolicyStatus, heedsTuning } from './backend-policy.ts';
import { heedsPolicies, ownerOfBackend, portOfBackend, splitBackendKey } from './backend-ref.ts';
import { type BackendSessions, sessionsOfBackend } from './backend-session.ts';
import { policyStatus, servicesOf } from './backend-tls-policy.ts';
import { BackendUsers } from './backend-users.ts';
import { combineFaults, type Fault } from './condition.ts';
import { dataPlaneStatus } from './data-plane-status.ts';
import { Dirty, markDirty, markRefused } from './dirty.ts';
import { type SettledFleet, settleFleet } from './fleet.ts';
import { type Binder, type DataPlaneState, type LoneGateway, type SettledGateway, settleGateway } from './gateway.ts';
import { gatewayClassStatus, servesClass } from './gateway-class.ts';
import { GatewayHosts } from './gateway-hosts.ts';
import { type GatewayCircumstances, gatewayStatus, statusOfSet } from './gateway-status.ts';
import { GatewayStreams } from './gateway-streams.ts';
import { LeftFleets } from './left-fleets.ts';
import { Limit, noLimits, type TranslatorLimits } from './limits.ts';
import { listenerPolicyStatus, type PolicyOutcome } from './listener-policy.ts';
import { gatewayOfSet } from './listener-set.ts';
import { listenerViews } from './listener-view.ts';
import { type Sharing, sharingOf } from './parameters.ts';
import { targetsOf } from './policy-targets.ts';
import { Quarantine, type Refusal, subjects } from './quarantine.ts';
import { References } from './references.ts';
import { allowedBackend, withRefusal } from './refused-backends.ts';
import { type AllowedFleet, allowedFleet } from './refused-listeners.ts';
import { withRefusedBackends } from './refused-routes.ts';
import { fingerprint } from './relevance.ts';
import { ReverseIndex } from './reverse-index.ts';
import { type SettledRoute, settleRoute } from './route.ts';
import { type RouteObject, routeKey, routeReference, splitRouteKey } from './route-key.ts';
import { SnapshotState } from './snapshot-state.ts';
import { StatusBook, type StatusChange } from './status-book.ts';
import { Store } from './store.ts';
import { isStreamRoute, settleStreamRoute } from './stream-route.ts';
import { trafficPolicyStatus } from './traffic-policy.ts';
import type { GraphCopy, GraphView, ListenerView, ObjectReference } from './view.ts';
import { xBackendOwner } from './x-backend.ts';
import { xBackendStatus } from './x-backend-status.ts';

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
  /** What was settled again, for whoever keeps proxies, by the proxies' key; without `fleet` when they are to go. */
  readonly settled: readonly { readonly key: string; readonly fleet: SettledFleet | undefined }[];
  /** When to build again although nothing changes. */
  readonly due?: Date;
}

/** How many objects a copy takes in one step. */
const copyPortion = 50;

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
  readonly #routesByBackend = new ReverseIndex();
  /** The backends in use, by their owner (ownerOfBackend) and by their port of it: there may be several variants of one port. */
  readonly #usedBackends = new ReverseIndex();
  /** Gateways of our classes, by themselves and as they are beside the others of their proxies. */
  readonly #lone = new Map<string, LoneGateway>();
  readonly #gateways = new Map<string, SettledGateway>();
  /** By SettledFleet.key. */
  readonly #fleets = new Map<string, SettledFleet>();
  readonly #gatewaysByFleet = new ReverseIndex();
  /** Fleets that were left: they are served as they are until those who left them are served elsewhere. */
  readonly #left = new LeftFleets();
  /** Keys of the fleets that the Gateways of a class share, by the class. */
  readonly #sharedFleets = new Map<string, string>();
  readonly #users = new BackendUsers();
  /** The Gateways of ours that use a DataPlane, by its key. */
  readonly #gatewaysByDataPlane = new ReverseIndex();
  /** The Gateways of ours that a ListenerPolicy is of account for, by its key. */
  readonly #gatewaysByPolicy = new ReverseIndex();
  /** By routeKey. */
  readonly #routes = new Map<string, SettledRoute>();
  readonly #hosts = new GatewayHosts();
  readonly #streams = new GatewayStreams();
  readonly #state: SnapshotState;
  readonly #statuses = new StatusBook();
  /** By fleet. */
  readonly #dataPlanes = new Map<string, DataPlaneState>();
  readonly #acknowledged = new Acknowledgements();
  readonly #quarantine = new Quarantine();
  /** By fleet. */
  readonly #allowed = new Map<string, AllowedFleet>();
  /** By ir.Backend.key. */
  readonly #refusedBackends = new Map<string, Fault>();
  readonly #inputs: Limit;
  #dirty = new Dirty();
  /** Fleets that were settled, by key, and not told yet. */
  readonly #untold = new Set<string>();
  #snapshot: ir.Snapshot | undefined;

  constructor(options: GraphOptions) {
    const { limits = noLimits } = options;
    this.#options = options;
    this.#state = new SnapshotState(limits);
    this.#inputs = new Limit('maxInputObjects', limits);
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
    if (JSON.stringify(this.#dataPlanes.get(fleet)) === JSON.stringify(state)) return;
    if (state) this.#dataPlanes.set(fleet, state);
    else this.#dataPlanes.delete(fleet);
    addAll(this.#dirty.gatewayStatuses, this.#gatewaysByFleet.sourcesOf(fleet));
    addAll(this.#dirty.gatewayStatuses, this.#left.leaversOf(fleet));
  }

  /** A proxy of the fleet has applied a snapshot in which its listeners had this digest. */
  acknowledge(fleet: string, listenersDigest: ir.Digest): void {
    if (this.#quarantine.forgive(fleet)) this.#dirty.fleets.add(fleet);
    this.#tellingWhoIsAcknowledged(fleet, () => this.#acknowledged.applied(fleet, listenersDigest));
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
    for (const key of this.#dirty.classes) this.#settleClass(key);
    for (const key of this.#dirty.gateways) this.#settleGateway(key);
    for (const key of this.#dirty.fleets) this.#settleFleet(key);
    this.#settleRoutes();
    for (const key of [...this.#dirty.backends]) {
      for (const variant of new Set([key, ...this.#usedBackends.sourcesOf(key)])) this.#settleBackend(variant);
    }
    for (const key of this.#dirty.routeStatuses) this.#settleRouteStatus(key);
    for (const key of this.#dirty.policies) this.#settlePolicy(key);
    for (const key of this.#dirty.backendPolicies) this.#settleBackendPolicy(key);
    for (const key of this.#dirty.listenerPolicies) this.#settleListenerPolicy(key);
    for (const key of this.#dirty.trafficPolicies) this.#settleTrafficPolicy(key);
    for (const key of this.#dirty.xBackends) this.#settleXBackend(key);
    for (const key of this.#dirty.dataPlanes) this.#settleDataPlane(key);
    for (const key of this.#dirty.aiServices) this.#settlePlain('AIService', key, aiServiceStatus);
    for (const key of this.#dirty.tokenPolicies) this.#settlePlain('TokenPolicy', key, tokenPolicyStatus);
    this.#hosts.flush(this.#state);
    this.#streams.flush(this.#state);
    const due = this.#endLeftFleets(now);
    for (const key of this.#dirty.gatewayStatuses) this.#settleGatewayStatus(key);
    for (const key of this.#dirty.listenerSetStatuses) this.#settleListenerSetStatus(key);
    for (const key of this.#dirty.fleets) if (!this.#left.has(key)) this.#untold.add(key);
    this.#dirty = new Dirty();
    this.#state.checkSize();
    const settled = [...this.#untold].map((key) => ({ key, fleet: this.#fleets.get(key) }));
    this.#untold.clear();
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
    return listenerViews(this.#gateways.values(), this.#statuses, this.#attachments);
  }

  *routesOfBackend(backend: string): Iterable<ObjectReference> {
    for (const key of this.#routesByBackend.sourcesOf(portOfBackend(backend))) yield routeReference(key);
  }

  sessionsOf(backend: string): BackendSessions {
    return sessionsOfBackend(backend, this.#references.trafficPolicies, this.#store);
  }

  *copy(now: Date): Generator<undefined, GraphCopy> {
    const copy = new Graph(this.#options);
    // What is there now: the graph itself may change between two steps.
    const [dataPlanes, acknowledged, refusals] = [
      [...this.#dataPlanes],
      [...this.#acknowledged.list()],
      [...this.refusals()],
    ];
    for (const [name, fleet] of this.#sharedFleets) copy.#sharedFleets.set(name, fleet);
    const names = Object.keys(kinds) as KindName[];
    const objects = names.flatMap((kind) => [...this.#store.list(kind)].map((object) => ({ kind, object })));
    for (let from = 0; from < objects.length; from += copyPortion) {
      for (const { kind, object } of objects.slice(from, from + copyPortion)) copy.upsert(kind, object);
      copy.build(now);
      yield;
    }
    for (const [key, state] of dataPlanes) copy.setDataPlane(key, state);
    for (const [key, digest] of acknowledged) copy.acknowledge(key, digest);
    // Last, for a refusal of what is not all there yet would be taken for one of what is gone.
    for (const refusal of refusals) copy.refuse(refusal);
    copy.build(now);
    return copy;
  }

  /** The Gateways of our classes, as they are settled: what their proxies need from outside. */
  settledGateways(): Iterable<SettledGateway> {
    return this.#gateways.values();
  }

  settledGateway(key: string): SettledGateway | undefined {
    return this.#gateways.get(key);
  }

  fleetOf(gateway: string): string {
    return this.#gateways.get(gateway)?.fleet ?? gateway;
  }

  gatewaysOf(fleet: string): Iterable<string> {
    return this.#fleets.get(fleet)?.members.keys() ?? [];
  }

  // ---- settling ----

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
    if (kind === 'GatewayClass') this.#references.setClass(key, after as ObjectByKind['GatewayClass'] | undefined);
    if (kind === 'Gateway') this.#references.setGateway(key, after as ObjectByKind['Gateway'] | undefined);
    if (kind === 'ListenerSet') this.#references.setListenerSet(key, after as ObjectByKind['ListenerSet'] | undefined);
    if (kind === 'BackendTLSPolicy')
      this.#references.policies.set(key, after as ObjectByKind['BackendTLSPolicy'] | undefined);
    if (kind === 'BackendPolicy')
      this.#references.backendPolicies.set(key, after as ObjectByKind['BackendPolicy'] | undefined);
    if (kind === 'ListenerPolicy')
      this.#references.listenerPolicies.set(key, after as ObjectByKind['ListenerPolicy'] | undefined);
    if (kind === 'XBackendTrafficPolicy')
      this.#references.trafficPolicies.set(key, after as ObjectByKind['XBackendTrafficPolicy'] | undefined);
    if (kind === 'AIService') this.#references.aiServices.set(key, after as ObjectByKind['AIService'] | undefined);
    if (kind === 'TokenPolicy')
      this.#references.tokenPolicies.set(key, after as ObjectByKind['TokenPolicy'] | undefined);
    if (kind === 'XBackend') this.#references.xBackends.set(key, after as ObjectByKind['XBackend'] | undefined);
    if (isRouteKind(kind)) this.#references.setRoute(routeKey(kind, key), after as RouteObject | undefined);
    markDirty(this.#dirty, { kind, key, before, after }, this.#references, this.#store);
  }

  #settleClass(key: string): void {
    const object = this.#store.find('GatewayClass', key);
    const isOurs = servesClass(object, this.#options.controllerName);
    this.#statuses.set('GatewayClass', key, isOurs ? gatewayClassStatus(object, this.#store) : undefined);
    const sharing: Sharing = isOurs ? sharingOf(object, this.#store) : { kind: 'own' };
    if (sharing.kind === 'own') this.#sharedFleets.delete(key);
    if (sharing.kind !== 'shared') return;
    const { namespace = this.#options.sharedNamespace ?? 'gatewright-system' } = sharing;
    this.#sharedFleets.set(key, sharedFleetKey(namespace, key));
  }

  #settleGateway(key: string): void {
    const object = this.#store.find('Gateway', key);
    const gatewayClass = object && this.#store.find('GatewayClass', object.spec.gatewayClassName);
    const before = this.#lone.get(key);
    const after =
      object && servesClass(gatewayClass, this.#options.controllerName)
        ? settleGateway(object, gatewayClass, this.#setsOf(key), {
            store: this.#store,
            listenerPolicies: this.#references.listenerPolicies,
            sharedFleet: this.#sharedFleets.get(gatewayClass.metadata.name),
          })
        : undefined;
    if (after) this.#lone.set(key, after);
    else this.#lone.delete(key);
    this.#gatewaysByFleet.set(key, after ? [after.fleet] : []);
    // What was refused of a Gateway that is gone is forgotten.
    this.#dirty.fleets.add(after?.fleet ?? before?.fleet ?? key);
    if (before) this.#dirty.fleets.add(before.fleet);
    this.#dirty.gatewayStatuses.add(key);
    this.#gatewaysByDataPlane.set(key, after?.parameters.dataPlanes ?? []);
    for (const settled of [before, after]) {
      for (const dataPlane of settled?.parameters.dataPlanes ?? []) this.#dirty.dataPlanes.add(dataPlane);
      for (const set of settled?.sets.keys() ?? []) this.#dirty.listenerSetStatuses.add(set);
    }
  }

  #setsOf(gateway: string): ObjectByKind['ListenerSet'][] {
    const keys = [...this.#references.listenerSetsByGateway.sourcesOf(gateway)];
    return keys.flatMap((key) => this.#store.find('ListenerSet', key) ?? []);
  }

  #settleFleet(key: string): void {
    const gateways = [...this.#gatewaysByFleet.sourcesOf(key)].flatMap((member) => this.#lone.get(member) ?? []);
    const before = this.#fleets.get(key);
    const name = sharedFleetOf(key)?.gatewayClass;
    const gatewayClass = name === undefined ? undefined : this.#store.find('GatewayClass', name);
    const after =
      gateways.length > 0 ? settleFleet({ key, gatewayClass, gateways, before, bind: this.#options.bind }) : undefined;
    if (after) this.#putFleet(after);
    else if (before) this.#dropFleet(before);
    if (!after) this.#quarantine.settle(subjects.gateway(key), () => undefined);
    for (const member of keysOfBoth(before?.members ?? new Map(), after?.members ?? new Map()))
      this.#settleMember(member, before?.members.get(member), after?.members.get(member));
    for (const route of affectedRoutes({ before, after }, this.#references, this.#attachments))
      this.#dirty.routes.add(route);
  }

  /** A Gateway as one of several: what others of its proxies do may change its listeners and policies. */
  #settleMember(key: string, before: SettledGateway | undefined, after: SettledGateway | undefined): void {
    if (before === after) return;
    // It may have moved to other proxies, which are settled before or after these.
    if (after) this.#gateways.set(key, after);
    else if (this.#gateways.get(key) === before) this.#gateways.delete(key);
    this.#gatewaysByPolicy.set(key, [...(this.#gateways.get(key)?.policies.keys() ?? [])]);
    this.#dirty.gatewayStatuses.add(key);
    for (const settled of [before, after]) {
      for (const policy of settled?.policies.keys() ?? []) this.#dirty.listenerPolicies.add(policy);
      for (const set of settled?.sets.keys() ?? []) this.#dirty.listenerSetStatuses.add(set);
    }
    const [known, used] = [before?.backends ?? [], after?.backends ?? []];
    for (const backend of used.filter((each) => !known.includes(each)))
      this.#use({ gateway: key, fleet: after?.fleet ?? '', backend, by: 1 });
    for (const backend of known.filter((each) => !used.includes(each)))
      this.#use({ gateway: key, fleet: before?.fleet ?? '', backend, by: -1 });
  }

  #putFleet(after: SettledFleet): void {
    const { key } = after;
    const isNew = !this.#fleets.has(key);
    this.#fleets.set(key, after);
    // Those who left came back before they were served elsewhere.
    if (isNew && this.#left.end(key)) this.#state.clearGateway(key);
    else if (isNew) this.#state.addGateway(key);
    const current = this.#state.gateway(key) as ir.Gateway;
    const allowed = this.#quarantine.settle(subjects.gateway(key), () => allowedFleet(after, this.#quarantine));
    if (allowed.isRefused || this.#allowed.get(key)?.isRefused) {
      for (const member of after.members.values()) {
        this.#dirty.gatewayStatuses.add(member.key);
        addAll(this.#dirty.listenerSetStatuses, member.sets.keys());
      }
    }
    this.#allowed.set(key, allowed);
    for (const name of keysOfBoth(current.listeners, allowed.listeners))
      this.#state.setListener(key, name, allowed.listeners.get(name));
    for (const name of keysOfBoth(current.secrets, allowed.secrets))
      this.#state.setSecret(key, name, allowed.secrets.get(name));
    this.#hosts.setTables(key, after.tables, this.#state);
    this.#streams.setTables(key, after.streams);
    const { listenersDigest } = this.#state.gateway(key) as ir.Gateway;
    this.#tellingWhoIsAcknowledged(key, () => this.#acknowledged.wish(after, allowed.listeners, listenersDigest));
  }

  #use({ gateway, fleet, backend, by }: { gateway: string; fleet: string; backend: string; by: number }): void {
    this.#users.add(backend, gateway, by);
    if (this.#fleets.has(fleet)) this.#state.use(fleet, backend, by);
    this.#markUse(backend);
  }

  #dropFleet(before: SettledFleet): void {
    const { key, members } = before;
    this.#fleets.delete(key);
    this.#allowed.delete(key);
    this.#acknowledged.drop(key);
    this.#hosts.drop(key);
    this.#streams.drop(key);
    const movers = [...members.keys()].filter((member) => this.#lone.has(member));
    if (this.#options.keepsFormerMs !== undefined && movers.length > 0 && !before.parameters.spec?.hostNetwork)
      this.#left.put(key, movers);
    else {
      for (const backend of this.#state.gateway(key)?.backends.keys() ?? []) this.#markUse(backend);
      this.#state.removeGateway(key);
    }
  }

  /** Ends what nobody needs any more: whoever left is gone, or has been served where it is now for long enough. */
  #endLeftFleets(now: Date): Date | undefined {
    const due: number[] = [];
    for (const [key, leavers] of this.#left.list()) {
      const gateways = leavers.flatMap((leaver) => this.#gateways.get(leaver) ?? []);
      const areServed = gateways.every((gateway) => this.#isServed(gateway));
      const since = this.#left.servedSince(key, areServed, now.getTime());
      const keptMs = gateways.length > 0 ? (this.#options.keepsFormerMs ?? 0) : 0;
      if (since === undefined) continue;
      if (since + keptMs > now.getTime()) {
        due.push(since + keptMs);
        continue;
      }
      this.#left.end(key);
      addAll(this.#dirty.gatewayStatuses, leavers);
      const backends = [...(this.#state.gateway(key)?.backends.keys() ?? [])];
      this.#state.removeGateway(key);
      for (const backend of backends) this.#settleBackend(backend);
      this.#untold.add(key);
    }
    return due.length > 0 ? new Date(Math.min(...due)) : undefined;
  }

  /** Clients can go where the Gateway is now: its proxies are there and have its listeners. Those on nodes take the ports of others. */
  #isServed({ key, fleet }: SettledGateway): boolean {
    if (this.#fleets.get(fleet)?.parameters.spec?.hostNetwork) return true;
    const { addresses = [], message } = this.#dataPlanes.get(fleet) ?? {};
    return addresses.length > 0 && message === '' && this.#acknowledged.has(fleet, key) === true;
  }

  /** Gateways of which the proxies have applied more, or less of what is asked now, than before. */
  #tellingWhoIsAcknowledged(fleet: string, change: () => void): void {
    const gateways = [...this.#gatewaysByFleet.sourcesOf(fleet)];
    const before = gateways.map((key) => this.#acknowledged.has(fleet, key));
    change();
    for (const [index, key] of gateways.entries())
      if (this.#acknowledged.has(fleet, key) !== before[index]) this.#dirty.gatewayStatuses.add(key);
  }

  /** Uses of backends are summed up first, so that a backend that only moves between routes is neither removed nor added. */
  #settleRoutes(): void {
    const sums = new Map<string, { gateway: string; fleet: string; backend: string; by: number }>();
    const add = ({ by, ...use }: { gateway: string; fleet: string; backend: string; by: number }) => {
      const place = `${use.fleet} ${use.gateway} ${use.backend}`;
      sums.set(place, { ...use, by: (sums.get(place)?.by ?? 0) + by });
    };
    const count = (route: SettledRoute | undefined, by: number) => {
      // Which of several routes of connections is served, their hosts know.
      for (const { gateway, fleet, backends } of route?.streams ? [] : (route?.uses ?? []))
        for (const backend of backends) add({ gateway, fleet, backend, by });
    };
    for (const key of this.#dirty.routes) {
      const before = this.#routes.get(key);
      const after = this.#settleRoute(key, before);
      count(before, -1);
      count(after, 1);
    }
    for (const use of this.#streams.takeUses()) add(use);
    // More before less: what moves from one Gateway of the same proxies to another is neither removed nor added.
    for (const sum of [...sums.values()].sort((a, b) => b.by - a.by)) if (sum.by !== 0) this.#use(sum);
  }

  /** More or fewer Gateways may use it now, which its policies have to tell. */
  #markUse(backend: string): void {
    this.#dirty.backends.add(backend);
    const owner = ownerOfBackend(backend);
    for (const policy of this.#references.policies.byService.sourcesOf(owner)) this.#dirty.policies.add(policy);
    for (const policy of this.#references.trafficPolicies.byTarget.sourcesOf(owner))
      this.#dirty.trafficPolicies.add(policy);
    for (const policy of this.#references.backendPolicies.byTarget.sourcesOf(owner))
      this.#dirty.backendPolicies.add(policy);
    const { namespace, service, source } = splitBackendKey(backend);
    if (source === 'pods' || source === 'external') this.#dirty.xBackends.add(`${namespace}/${service}`);
  }

  #settleRoute(key: string, before: SettledRoute | undefined): SettledRoute | undefined {
    const { kind, key: objectKey } = splitRouteKey(key);
    const object = this.#store.find(kind, objectKey);
    const settled = this.#quarantine.settle(subjects.route(`${kind.toLowerCase()}/${objectKey}`), () =>
      object ? this.#settle(object) : undefined,
    );
    const after = settled && settled.parents.length > 0 ? settled : undefined;
    if (after) this.#routes.set(key, after);
    else this.#routes.delete(key);
    this.#hosts.replace(before?.contributions ?? [], after?.contributions ?? []);
    this.#streams.replace(before?.streams ?? [], after?.streams ?? []);
    this.#routesByBackend.set(key, [...new Set(backendsOfRoute(after).map(portOfBackend))]);
    for (const attachment of this.#attachments.replace(key, before?.attachments ?? [], after?.attachments ?? [])) {
      const { gateway, listenerSet } = splitAttachmentKey(attachment);
      if (listenerSet === undefined) this.#dirty.gatewayStatuses.add(gateway);
      else this.#dirty.listenerSetStatuses.add(listenerSet);
    }
    this.#dirty.routeStatuses.add(key);
    // What chooses among AIServices is the route's own.
    for (const backend of backendsOfRoute(after))
      if (splitBackendKey(backend).source === 'ai-route') this.#dirty.backends.add(backend);
    return after;
  }

  #settleRouteStatus(key: string): void {
    const { kind, key: objectKey } = splitRouteKey(key);
    const object = this.#store.find(kind, objectKey);
    const settled = this.#routes.get(key);
    const parents = settled ? withRefusedBackends(settled.parents, settled.uses, this.#refusedBackends) : [];
    const isOurs = settled !== undefined || this.#hasLiveStatus(object);
    this.#statuses.set(kind, objectKey, object && isOurs ? { kind, parents } : undefined);
  }

  #settle(route: RouteObject): SettledRoute {
    return isStreamRoute(route) ? settleStreamRoute(route, this.#surroundings) : settleRoute(route, this.#surroundings);
  }

  /** An entry of ours in the stored status, from before the route left us: it has to be taken away. */
  #hasLiveStatus(object: RouteObject | undefined): boolean {
    return (
      object?.status?.parents?.some(({ controllerName }) => controllerName === this.#options.controllerName) ?? false
    );
  }

  get #surroundings() {
    return {
      store: this.#store,
      controllerName: this.#options.controllerName,
      gateway: (key: string) => this.#gateways.get(key),
      fleet: (key: string) => this.#fleets.get(key) as SettledFleet,
      quarantine: this.#quarantine,
      sessionsOf: (backend: string) => this.sessionsOf(backend),
    };
  }

  #settleBackend(key: string): void {
    const isUsed = this.#state.isUsed(key);
    const settled = isUsed ? settleBackend(key, this.#store, this.#references) : undefined;
    const allowed = this.#quarantine.settle(subjects.backend(key), () => allowedBackend(settled, this.#quarantine));
    this.#usedBackends.set(key, isUsed ? [ownerOfBackend(key), portOfBackend(key)] : []);
    this.#state.setBackend(key, allowed.backend, allowed.endpoints);
    this.#setRefusedBackend(key, allowed.fault);
  }

  #setRefusedBackend(key: string, fault: Fault | undefined): void {
    if (this.#refusedBackends.get(key)?.message === fault?.message) return;
    if (fault) this.#refusedBackends.set(key, fault);
    else this.#refusedBackends.delete(key);
    for (const route of this.#routesByBackend.sourcesOf(portOfBackend(key))) this.#dirty.routeStatuses.add(route);
    for (const policy of this.#references.policies.byService.sourcesOf(ownerOfBackend(key)))
      this.#dirty.policies.add(policy);
    for (const policy of this.#references.backendPolicies.byTarget.sourcesOf(ownerOfBackend(key)))
      this.#dirty.backendPolicies.add(policy);
  }

  #settlePolicy(key: string): void {
    const policy = this.#store.find('BackendTLSPolicy', key);
    const owners = policy ? servicesOf(policy) : [];
    const gateways = this.#gatewaysUsing(owners);
    const { controllerName } = this.#options;
    const wished = policy && policyStatus(policy, gateways, controllerName, this.#references.policies, this.#store);
    const refusals = this.#heedingBackends(owners).flatMap((backend) => this.#refusedBackends.get(backend) ?? []);
    this.#setAncestors(
      'BackendTLSPolicy',
      key,
      policy,
      gateways,
      wished && withRefusal(wished, combineFaults(refusals)),
    );
  }

  #settleTrafficPolicy(key: string): void {
    const policy = this.#store.find('XBackendTrafficPolicy', key);
    const gateways = this.#gatewaysUsing(policy ? targetsOf(policy) : []);
    const { controllerName } = this.#options;
    const { trafficPolicies } = this.#references;
    const status = policy && trafficPolicyStatus(policy, gateways, controllerName, trafficPolicies, this.#store);
    this.#setAncestors('XBackendTrafficPolicy', key, policy, gateways, status);
  }

  #settleBackendPolicy(key: string): void {
    const policy = this.#store.find('BackendPolicy', key);
    const keys = this.#backendsOf(policy ? targetsOf(policy) : [], heedsTuning);
    const gateways = keys.flatMap((backend) => [...this.#users.gatewaysOf(backend)]);
    const backends = keys.flatMap((backend) => this.#state.backend(backend) ?? []);
    const { controllerName } = this.#options;
    const { backendPolicies } = this.#references;
    const wished =
      policy && backendPolicyStatus(policy, { gateways, backends }, controllerName, backendPolicies, this.#store);
    const refusals = keys.flatMap((backend) => this.#refusedBackends.get(backend) ?? []);
    const status = wished && withRefusal(wished, combineFaults(refusals));
    this.#setAncestors('BackendPolicy', key, policy, gateways, status);
  }

  #settleListenerPolicy(key: string): void {
    const policy = this.#store.find('ListenerPolicy', key);
    const outcomes = new Map<string, PolicyOutcome>();
    for (const gateway of this.#gatewaysByPolicy.sourcesOf(key)) {
      const outcome = this.#gateways.get(gateway)?.policies.get(key);
      if (outcome) outcomes.set(gateway, outcome);
    }
    const status = policy && listenerPolicyStatus(policy, outcomes, this.#options.controllerName);
    this.#setAncestors('ListenerPolicy', key, policy, [...outcomes.keys()], status);
  }

  #settleXBackend(key: string): void {
    const object = this.#store.find('XBackend', key);
    const gateways = this.#gatewaysUsing([xBackendOwner(key)]);
    const status = object && xBackendStatus(object, gateways, this.#options.controllerName, this.#store);
    this.#setAncestors('XBackend', key, object, gateways, status);
  }

  #settleDataPlane(key: string): void {
    const object = this.#store.find('DataPlane', key);
    const { controllerName } = this.#options;
    const classes = [...this.#references.classesByDataPlane.sourcesOf(key)];
    const isNamed = classes.some((name) => servesClass(this.#store.find('GatewayClass', name), controllerName));
    const use = { controllerName, gateways: this.#gatewaysByDataPlane.count(key), isNamed };
    this.#statuses.set('DataPlane', key, object && dataPlaneStatus(object, use));
  }

  /** Ours, or nobody's yet. */
  #settlePlain<K extends 'AIService' | 'TokenPolicy'>(
    kind: K,
    key: string,
    statusOf: (object: ObjectByKind[K], controllerName: string, store: Store) => Status,
  ): void {
    const object = this.#store.find(kind, key);
    const { controllerName } = this.#options;
    const isOurs = (object?.status?.controllerName ?? controllerName) === controllerName;
    this.#statuses.set(kind, key, object && isOurs ? statusOf(object, controllerName, this.#store) : undefined);
  }

  /** The Gateways that speak to backends of these owners in a way that is open to policies. */
  #gatewaysUsing(owners: readonly string[]): string[] {
    return this.#heedingBackends(owners).flatMap((backend) => [...this.#users.gatewaysOf(backend)]);
  }

  #heedingBackends(owners: readonly string[]): string[] {
    return this.#backendsOf(owners, (backend) => heedsPolicies(splitBackendKey(backend)));
  }

  #backendsOf(owners: readonly string[], heeds: (backend: string) => boolean): string[] {
    const backends = owners.flatMap((owner) => [...this.#usedBackends.sourcesOf(owner)]);
    return backends.filter(heeds);
  }

  /** An entry of ours in the stored status has to be taken away when no Gateway of ours is concerned any more. */
  #setAncestors(
    kind: PolicyKindName,
    key: string,
    object: { readonly status?: { readonly ancestors?: readonly { readonly controllerName: string }[] } } | undefined,
    gateways: readonly string[],
    status: Status | undefined,
  ): void {
    const { controllerName } = this.#options;
    const hadStatus = object?.status?.ancestors?.some((ancestor) => ancestor.controllerName === controllerName);
    this.#statuses.set(kind, key, gateways.length > 0 || hadStatus ? status : undefined);
  }

  /** What all of a Gateway's listeners share goes into its ListenerSets' statuses too. */
  #settleGatewayStatus(key: string): void {
    const gateway = this.#gateways.get(key);
    const status = gateway && gatewayStatus(gateway, this.#circumstancesOf(gateway));
    const before = this.#statuses.find('Gateway', key) as GatewayStatus | undefined;
    this.#statuses.set('Gateway', key, status);
    // Counts of routes are each one's own.
    if (JSON.stringify(status?.conditions) === JSON.stringify(before?.conditions)) return;
    for (const set of gateway?.sets.keys() ?? []) this.#dirty.listenerSetStatuses.add(set);
  }

  #settleListenerSetStatus(key: string): void {
    const object = this.#store.find('ListenerSet', key);
    const gateway = object && this.#gateways.get(gatewayOfSet(object) ?? '');
    const set = gateway?.sets.get(key);
    this.#statuses.set('ListenerSet', key, set && gateway && statusOfSet(set, gateway, this.#circumstancesOf(gateway)));
  }

  #circumstancesOf(gateway: SettledGateway): GatewayCircumstances {
    const { key, fleet } = gateway;
    return {
      dataPlane: this.#dataPlaneOf(gateway),
      acknowledged: this.#isAcknowledged(gateway),
      attachedRoutes: (listener) => this.#attachments.count(attachmentKey(key, listener)),
      refusalOf: (listener) => this.#allowed.get(fleet)?.faultOf(listener),
      clientCertificateRefusal: this.#allowed.get(fleet)?.clientCertificateFault(gateway),
    };
  }

  /** A Gateway that moves to other proxies is found at the addresses of the former ones until the new ones serve it. */
  #dataPlaneOf(gateway: SettledGateway): DataPlaneState | undefined {
    const state = this.#dataPlanes.get(gateway.fleet);
    const former = this.#left.fleetLeftBy(gateway.key);
    if (former === undefined || this.#isServed(gateway)) return state;
    const { addresses = [] } = this.#dataPlanes.get(former) ?? {};
    return addresses.length === 0 ? state : { ...state, message: state?.message ?? '', addresses };
  }

  /** Before the first word of a proxy after a start, what the stored status says for this generation still holds. */
  #isAcknowledged({ key, fleet, object }: SettledGateway): boolean {
    const acknowledged = this.#acknowledged.has(fleet, key);
    if (acknowledged !== undefined) return acknowledged;
    const programmed = object.status?.conditions?.find(({ type }) => type === 'Programmed');
    return programmed?.status === 'True' && programmed.observedGeneration === object.metadata.generation;
  }
}

const backendsOfRoute = (route: SettledRoute | undefined): string[] =>
  (route?.uses ?? []).flatMap(({ backends }) => backends);

const keysOfBoth = (one: { keys(): Iterable<string> }, other: { keys(): Iterable<string> }): Set<string> =>
  new Set([...one.keys(), ...other.keys()]);
