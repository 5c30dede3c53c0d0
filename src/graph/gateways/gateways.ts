import { type KindName, keyOf, type ObjectByKind, parseObjectKey } from '../../gateway-api/index.ts';
import { withoutFailing } from '../../std/index.ts';
import {
  addAll,
  type CommittedEntries,
  type CommittedView,
  type Dirty,
  type Edges,
  type GuardedListener,
  type KindModules,
  type Mishaps,
  ReverseIndex,
  type Store,
  type TrafficSettings,
} from '../engine/index.ts';
import {
  allListeners,
  type CrowdedListener,
  describeOwner,
  type FullListener,
  isSameObserved,
  type ListenerOwner,
  type LoneGateway,
  type Observed,
  ownerOfListeners,
  type PolicyOutcome,
  type RawListener,
  type ResolvedGateway,
  type ResolvedListener,
} from '../model/index.ts';
import { listenerSetEdges } from './edges.ts';
import { failedGateway } from './failed-gateway.ts';
import { resolveGateway } from './gateway.ts';
import { servesClass } from './gateway-class.ts';
import type { GatewayClasses } from './gateway-classes.ts';
import { attachedKinds, type PoliciesAtListeners, type PoliciesOf, policiesOf } from './policies-of.ts';

export interface GatewaysDeps {
  readonly store: Store;
  readonly edges: Edges;
  readonly kinds: KindModules;
  readonly dirty: Dirty;
  readonly mishaps: Mishaps;
  readonly classes: GatewayClasses;
  readonly former: CommittedView;
  readonly controllerName: string;
}

/** The Gateways of our classes, by themselves and as they are beside the others of their proxies. */
export class Gateways {
  readonly #deps: GatewaysDeps;
  readonly #lone = new Map<string, LoneGateway>();
  readonly #resolved = new Map<string, ResolvedGateway>();
  readonly #byFleet = new ReverseIndex();
  /** Those that use a DataPlane, by its key. */
  readonly #byDataPlane = new ReverseIndex();
  /** Those that a policy of listeners affects, by its key. */
  readonly #byPolicy = new ReverseIndex();

  readonly #committed: CommittedEntries<ResolvedGateway>;

  /** The kind of policies that says how clients of listeners are treated. */
  readonly #listenerPolicies: PoliciesOf<'listeners'> | undefined;

  /** The kind of policies that guards listeners. */
  readonly #guards: PoliciesOf<'gateways'> | undefined;

  /** The kinds of policies that treat requests to listeners. */
  readonly #traffic: readonly { readonly kind: KindName; readonly settings: TrafficSettings }[];

  /** Those, the guards, the limits, and others that are attached to Gateways. */
  readonly #atListeners: readonly PoliciesAtListeners[];
  /** The kind of policies that limits requests to listeners. */
  readonly #limits: PoliciesOf<'limits'> | undefined;

  constructor(deps: GatewaysDeps) {
    this.#deps = deps;
    this.#listenerPolicies = policiesOf(deps.kinds, 'listeners', 'settings of listeners');
    this.#guards = policiesOf(deps.kinds, 'gateways', 'guards of Gateways');
    this.#limits = policiesOf(deps.kinds, 'limits', 'limits of listeners');
    this.#traffic = (Object.keys(deps.kinds) as KindName[]).flatMap((kind) => {
      const settings = deps.kinds[kind].traffic;
      return settings ? [{ kind, settings }] : [];
    });
    this.#atListeners = [this.#guards ?? [], this.#limits ?? [], this.#traffic, attachedKinds(deps.kinds)].flat();
    this.#committed = deps.former.entries();
  }

  /** Resolves a Gateway by itself; its proxies, those that it left too, are to be resolved next. */
  resolve(key: string): void {
    const { dirty } = this.#deps;
    const before = this.#lone.get(key);
    const after = this.#deps.mishaps.during(`gateway ${key}`, () => this.#resolveLone(key));
    if (after) this.#lone.set(key, after);
    else this.#lone.delete(key);
    this.#byFleet.set(key, after ? [after.fleet] : []);
    // What was rejected of a Gateway that is gone is forgotten.
    dirty.fleets.add(after?.fleet ?? before?.fleet ?? key);
    if (before) dirty.fleets.add(before.fleet);
    dirty.gatewayStatuses.add(key);
    this.#byDataPlane.set(key, after?.parameters.dataPlanes ?? []);
    for (const resolved of [before, after]) {
      dirty.markStatuses('DataPlane', resolved?.parameters.dataPlanes ?? []);
      addAll(dirty.listenerSetStatuses, resolved?.sets.keys() ?? []);
    }
    this.#markPolicies([before, after]);
    const { namespace, name } = parseObjectKey(key);
    this.#markPoliciesOf({ kind: 'Gateway', namespace, name });
  }

  /** A Gateway as one of several: what others of its proxies do may change its listeners and policies. */
  replace(key: string, before: ResolvedGateway | undefined, after: ResolvedGateway | undefined): void {
    const { dirty } = this.#deps;
    this.#committed.note(key, this.#resolved.get(key));
    // It may have moved to other proxies, which are resolved before or after these.
    if (after) this.#resolved.set(key, after);
    else if (this.#resolved.get(key) === before) this.#resolved.delete(key);
    this.#byPolicy.set(key, [...(this.#resolved.get(key)?.policies.keys() ?? [])]);
    dirty.gatewayStatuses.add(key);
    for (const resolved of [before, after]) {
      if (this.#listenerPolicies) dirty.markStatuses(this.#listenerPolicies.kind, resolved?.policies.keys() ?? []);
      addAll(dirty.listenerSetStatuses, resolved?.sets.keys() ?? []);
    }
    if (before && after && !isSameObserved(before, after)) this.#markObserving();
    // Policies of one Gateway may use up what those of another one need.
    if ([before, after].some((resolved) => resolved && isShort(resolved))) {
      this.#markPolicies([before, after]);
      const { namespace, name } = parseObjectKey(key);
      this.#markPoliciesOf({ kind: 'Gateway', namespace, name });
    }
  }

  /** As of the last finished build, for readers outside the build. */
  listCommitted(): Iterable<ResolvedGateway> {
    return this.#committed.list(this.#resolved);
  }

  /** As of the last finished build, for readers outside the build. */
  findCommitted(key: string): ResolvedGateway | undefined {
    return this.#committed.find(key, this.#resolved);
  }

  find(key: string): ResolvedGateway | undefined {
    return this.#resolved.get(key);
  }

  /** Whether it is there and ours, whatever became of it beside others. */
  has(key: string): boolean {
    return this.#lone.has(key);
  }

  /** Keys of the Gateways that a fleet is to serve. */
  keysOf(fleet: string): Iterable<string> {
    return this.#byFleet.sourcesOf(fleet);
  }

  /** The same Gateways, each resolved by itself. */
  loneOf(fleet: string): LoneGateway[] {
    return [...this.keysOf(fleet)].flatMap((key) => this.#lone.get(key) ?? []);
  }

  /** How many use the DataPlane. */
  countOf(dataPlane: string): number {
    return this.#byDataPlane.count(dataPlane);
  }

  /** Keys of those that do. */
  usersOf(dataPlane: string): Iterable<string> {
    return this.#byDataPlane.sourcesOf(dataPlane);
  }

  /** What became of a ListenerPolicy, by Gateway. */
  outcomesOf(policy: string): Map<string, PolicyOutcome> {
    const outcomes = new Map<string, PolicyOutcome>();
    for (const gateway of this.#byPolicy.sourcesOf(policy)) {
      const outcome = this.#resolved.get(gateway)?.policies.get(policy);
      if (outcome) outcomes.set(gateway, outcome);
    }
    return outcomes;
  }

  /** The listeners of a Gateway, and of its ListenerSets, at which rules by path do not hold. */
  rawListenersOf(gateway: string): RawListener[] {
    const resolved = this.#resolved.get(gateway);
    return (resolved ? allListeners(resolved) : []).flatMap(({ owner, name, rawPaths: policy }) =>
      policy === undefined ? [] : [{ owner, name, policy }],
    );
  }

  /** All listeners of a Gateway, and of its ListenerSets. */
  listenersOf(gateway: string): readonly ResolvedListener[] {
    const resolved = this.#resolved.get(gateway);
    return resolved ? allListeners(resolved) : [];
  }

  /** Those whose tables have no place for one more demand that makes requests wait. */
  fullListenersOf(gateway: string): readonly FullListener[] {
    return this.#resolved.get(gateway)?.full ?? [];
  }

  /** Those at which policies are not in force, since there are too many. */
  crowdedListenersOf(gateway: string): CrowdedListener[] {
    const resolved = this.#resolved.get(gateway);
    return (resolved ? allListeners(resolved) : []).flatMap(({ owner, name, port, crowded: levels }) =>
      levels === undefined ? [] : [{ owner, name, port, levels }],
    );
  }

  /** Those over whose ports the patch of the Gateway is not laid, as other Gateways have listeners there. */
  unpatchedListenersOf(gateway: string): readonly ResolvedListener[] {
    return this.listenersOf(gateway).filter(({ unpatched }) => unpatched);
  }

  /** What is recorded of requests to a listener, by what says more of it; undefined: none of HTTP is served there. */
  observedAt(gateway: string, { owner, name }: GuardedListener): Observed | undefined {
    const resolved = this.#resolved.get(gateway);
    const same = (each: ResolvedListener) => each.name === name && describeOwner(each.owner) === describeOwner(owner);
    const listener = resolved && allListeners(resolved).find(same);
    return listener && resolved.observed.get(listener.place);
  }

  /** Other routes are attached to listeners that it declares, which its policies of traffic report. */
  markCounts(owner: ListenerOwner): void {
    this.#markPoliciesOf(owner, this.#traffic);
  }

  /** Statuses of policies say whether their target is there, and ours. */
  #markPolicies(resolved: readonly (Pick<LoneGateway, 'sets'> | undefined)[]): void {
    const sets = resolved.flatMap((gateway) => [...(gateway?.sets.values() ?? [])]);
    for (const { object } of sets) this.#markPoliciesOf(ownerOfListeners(object));
  }

  /** Policies of routes say whether what they say of records does anything. There are few such changes. */
  #markObserving(): void {
    const { dirty, store } = this.#deps;
    for (const { kind, settings } of this.#traffic)
      if (settings.saysOfRecords) dirty.markStatuses(kind, [...store.list(kind)].map(keyOf));
  }

  #markPoliciesOf(owner: ListenerOwner, kinds: readonly PoliciesAtListeners[] = this.#atListeners): void {
    const { dirty, edges } = this.#deps;
    for (const { kind, settings } of kinds)
      dirty.markStatuses(kind, edges.of(settings.edge).sourcesOf(settings.targetOf(owner)));
  }

  #resolveLone(key: string): LoneGateway | undefined {
    const { store, edges, classes, controllerName } = this.#deps;
    const object = store.find('Gateway', key);
    const gatewayClass = object && store.find('GatewayClass', object.spec.gatewayClassName);
    if (!object || !servesClass(gatewayClass, controllerName)) return undefined;
    const sharedFleet = classes.sharedFleetOf(gatewayClass.metadata.name);
    const deps = {
      store,
      edges,
      listenerSettings: this.#listenerPolicies?.settings,
      guards: this.#guards?.settings,
      traffic: this.#traffic.map(({ settings }) => settings),
      limits: this.#limits?.settings,
      sharedFleet,
    };
    return this.#deps.mishaps.guard(
      'Gateway',
      key,
      () => this.#withoutBroken(this.#setsOf(key), (sets) => resolveGateway(object, gatewayClass, sets, deps)),
      () => failedGateway({ object, gatewayClass, sharedFleet }, store),
    );
  }

  /** A ListenerSet may be of another namespace than its Gateway, which an error of ours with it must not cost. */
  #withoutBroken(
    sets: readonly ObjectByKind['ListenerSet'][],
    resolve: (some: readonly ObjectByKind['ListenerSet'][]) => LoneGateway,
  ): LoneGateway {
    const { mishaps, dirty } = this.#deps;
    const { result, failing } = withoutFailing(sets, resolve);
    for (const [set, error] of failing) {
      mishaps.note('ListenerSet', keyOf(set), error);
      dirty.listenerSetStatuses.add(keyOf(set));
    }
    return result;
  }

  #setsOf(gateway: string): ObjectByKind['ListenerSet'][] {
    const { store, edges } = this.#deps;
    const keys = [...edges.of(listenerSetEdges.gateway).sourcesOf(gateway)];
    return keys.flatMap((key) => store.find('ListenerSet', key) ?? []);
  }
}

/** Whether some of its policies have less than they ask for, because of others at the same ports. */
const isShort = (resolved: ResolvedGateway): boolean =>
  resolved.full.length > 0 || allListeners(resolved).some(({ crowded, unpatched }) => crowded || unpatched);
