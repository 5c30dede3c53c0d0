import type {
  Condition,
  ConditionsKindName,
  KindName,
  KindNameOfForm,
  KubernetesObject,
  ObjectByKind,
  PolicyKindName,
  Status,
} from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import type {
  ConditionFault,
  CrowdedListener,
  DatabaseTrouble,
  FullListener,
  Observed,
  PolicyOutcome,
  RawListener,
  Rejection,
} from '../model/index.ts';
import type { AccessExplainer } from './access-hooks.ts';
import type { BackendSettings } from './backend-hooks.ts';
import type { BackendProvider } from './backend-provider.ts';
import type { Change, Edge, Marking } from './edge.ts';
import type { EdgeIndexes } from './edge-indexes.ts';
import type { FilterContent } from './filter-content.ts';
import type { GatewaySettings, GuardedListener, PortListener } from './gateway-hooks.ts';
import type { LimitSettings } from './limit-hooks.ts';
import type { ListenerSettings } from './listener-hooks.ts';
import type { RouteSettings } from './route-hooks.ts';
import type { Store } from './store.ts';
import type { TrafficSettings } from './traffic-hooks.ts';

/** What lists sort a kind under. */
export type KindCategory = 'gateway' | 'route' | 'policy' | 'backend' | 'ai' | 'core';

/** What people are shown of a kind. */
export interface AboutKind {
  readonly category: KindCategory;
  readonly description: string;
  /** Whether the admin API writes it, where the cluster lets it. */
  readonly writable: boolean;
  /**
   * Which stored objects a trial of proposed ones takes in: `all` of kinds that decide what attaches where or how proxies run, `named` for those whose name is
   * somewhere in what is tried.
   */
  readonly inTrials: 'all' | 'named' | 'none';
}

/** What the rules of statuses look at. */
export interface StatusContext {
  readonly controllerName: string;
  readonly store: Store;
  readonly edges: EdgeIndexes;
  readonly backends: BackendsInUse;
  readonly gateways: GatewaysInUse;
  readonly routes: RoutesInUse;
  readonly filters: FiltersInUse;
  readonly proxies: ProxiesInUse;
}

/** What proxies report of themselves. */
export interface ProxiesInUse {
  /** Databases of places that proxies of the Gateway cannot use. */
  databaseTroublesAt(gateway: string): readonly DatabaseTrouble[];
}

/** What proxies say of what policies have as filters. */
export interface FiltersInUse {
  /** By Gateway: what all of its proxies reject of the filters of a policy. */
  rejectionOf(contents: readonly FilterContent[]): (gateway: string) => ConditionFault | undefined;
  /** `Validating`: all proxies of the Gateway's fleet have it tried first; `NotValidated`: none of them could. */
  trialOf(contents: readonly FilterContent[]): (gateway: string) => ConditionFault | undefined;
}

/** The backends that some route or listener uses, by ir.Backend.key. */
export interface BackendsInUse {
  /** Those of some owners, see backendOwner. */
  of(owners: readonly string[]): string[];
  /** Keys of the Gateways that use any of the backends. */
  gatewaysOf(backends: readonly string[]): string[];
  find(backend: string): ir.Backend | undefined;
  /** By Gateway: what all of its proxies reject of the backends. */
  rejectionOf(backends: readonly string[]): (gateway: string) => ConditionFault | undefined;
}

/** What Gateways of our classes use. */
export interface GatewaysInUse {
  /** How many use the DataPlane. */
  countOf(dataPlane: string): number;
  /** Keys of those that do. */
  usersOf(dataPlane: string): Iterable<string>;
  /** Whether the Gateway is there, and of a class of ours. */
  has(gateway: string): boolean;
  /** What became of a policy of listeners, by Gateway. */
  outcomesOf(policy: string): ReadonlyMap<string, PolicyOutcome>;
  /** The listeners of a Gateway, and of its ListenerSets, at which rules by path do not hold. */
  rawListenersOf(gateway: string): readonly RawListener[];
  /** All listeners of a Gateway, and of its ListenerSets. */
  listenersOf(gateway: string): readonly GuardedListener[];
  /** Those over whose ports the patch of the Gateway is not laid, as other Gateways have listeners there. */
  unpatchedListenersOf(gateway: string): readonly PortListener[];
  /** What is recorded of requests to a listener; undefined: none of HTTP is served there. */
  observedAt(gateway: string, listener: GuardedListener): Observed | undefined;
  /** Those at which policies are not in force, since there are too many. */
  crowdedListenersOf(gateway: string): readonly CrowdedListener[];
  /** Those whose tables have no place for one more demand that makes requests wait. */
  fullListenersOf(gateway: string): readonly FullListener[];
}

/** The routes of Gateways of our classes, by routeKey. */
export interface RoutesInUse {
  /** Keys of the Gateways that a route is attached to. */
  gatewaysOf(route: string): string[];
  /** What declares the listeners of a Gateway that a route is attached to, each with the listener's name. */
  listenersOf(route: string, gateway: string): GuardedListener[];
  /** How many routes are attached to a listener of a Gateway. */
  countAt(gateway: string, listener: GuardedListener): number;
}

/** By Gateway that the object affects: the conditions of its ancestor. */
export type GatewayConditions = ReadonlyMap<string, readonly Condition[]>;

/** Of kinds with `status.ancestors`. Without a Gateway, and without an earlier entry of ours, there is no status. */
export interface AncestorsStatusRule<K extends KindName> {
  readonly shape: 'ancestors';
  readonly of: (object: ObjectByKind[K], key: string, context: StatusContext) => GatewayConditions;
  /** Where those are listed that a status has no room for, as words of a message. */
  readonly rest?: (key: string) => string;
}

/** Of kinds whose `status.parents` are the Gateways that use the object. Without one, and without an earlier entry of ours, there is no status. */
export interface GatewaysStatusRule<K extends KindName> {
  readonly shape: 'gateways';
  readonly of: (object: ObjectByKind[K], key: string, context: StatusContext) => GatewayConditions;
}

/** Of kinds with `status.conditions` and `status.controllerName`. It is not asked for objects on which another controller reports. */
export interface ConditionsStatusRule<K extends ConditionsKindName> {
  readonly shape: 'conditions';
  readonly of: (
    object: ObjectByKind[K],
    key: string,
    context: StatusContext,
  ) => Omit<Extract<Status, { readonly kind: K }>, 'kind' | 'controllerName'> | undefined;
}

/** How the status of a kind comes about: its form is a fact of the kind's definition. `stage`: a stage of the build makes it. */
export type StatusRule<K extends KindName> = K extends PolicyKindName
  ? AncestorsStatusRule<K>
  : K extends ConditionsKindName
    ? ConditionsStatusRule<K>
    : K extends KindNameOfForm<'gateways'>
      ? GatewaysStatusRule<K>
      : K extends KindNameOfForm<'none'>
        ? { readonly shape: 'none' }
        : { readonly shape: 'stage' };

/** All that the graph knows of one kind. */
export interface KindModule<K extends KindName> {
  readonly about: AboutKind;
  /** What of an object can change a build: two versions that are alike in it cause no work. `spec`: its spec, and how old it is. */
  readonly relevant: 'spec' | ((object: ObjectByKind[K]) => unknown);
  /** How objects of the kind are called as sources of edges. Their key, where it is left out. */
  readonly sourceKey?: (key: string) => string;
  readonly edges: Readonly<Record<string, Edge<K>>>;
  /** What a change of an object means besides what edges to it mark. */
  readonly marks: (change: Change<K>, marking: Marking) => void;
  /** What it means that code which objects of the kind ask for came or went. */
  readonly marksCode?: (source: string, marking: Marking) => void;
  /** What it means that proxies can use other databases of places than before. */
  readonly marksDatabases?: (marking: Marking) => void;
  readonly status: StatusRule<K>;
  /** Of policies that proxies may reject: the key of the policy whose content it is. Undefined: it is of no policy of this kind. */
  readonly policyOf?: (content: Pick<Rejection, 'kind' | 'key'>) => string | undefined;
  /** Of policies that say how backends are treated. */
  readonly backends?: BackendSettings;
  /** Of policies that say how clients of listeners are treated. */
  readonly listeners?: ListenerSettings;
  /** Of policies that guard all requests to listeners. */
  readonly gateways?: GatewaySettings;
  /** Of policies that say how requests to listeners are treated. */
  readonly traffic?: TrafficSettings;
  /** Of policies that limit all requests to listeners. */
  readonly limits?: LimitSettings;
  /** Of other policies whose statuses name Gateways: these may become ours, or cease to be, without a change of theirs. */
  readonly attached?: Pick<TrafficSettings, 'edge' | 'targetOf'>;
  /** Of policies that say how requests are treated. */
  readonly routes?: RouteSettings;
  /** Of policies that say who may come in: which are in force where. One kind has this. */
  readonly access?: AccessExplainer;
  /** Of kinds that routes forward to. */
  readonly provider?: BackendProvider<K>;
}

/** The module of each kind that is read, in the order in which policies of several kinds apply. */
export type KindModules = { readonly [K in KindName]: KindModule<K> };

/** A module of whichever kind, as the engine walks through them. */
export type AnyKindModule = Omit<KindModule<never>, 'status'> & { readonly status: AnyStatusRule };

/** The union of all rules is too complex for the compiler: these are its members as the engine sees them. */
export type AnyStatusRule =
  | {
      readonly shape: 'ancestors';
      readonly of: (object: KubernetesObject, key: string, context: StatusContext) => GatewayConditions;
      readonly rest?: (key: string) => string;
    }
  | {
      readonly shape: 'gateways';
      readonly of: (object: KubernetesObject, key: string, context: StatusContext) => GatewayConditions;
    }
  | {
      readonly shape: 'conditions';
      readonly of: (
        object: KubernetesObject,
        key: string,
        context: StatusContext,
      ) => { readonly conditions: readonly Condition[] } | undefined;
    }
  | { readonly shape: 'stage' | 'none' };
