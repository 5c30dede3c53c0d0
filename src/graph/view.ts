import type { HostRules } from '../egress/index.ts';
import type { KindName, ObjectByKind, Status } from '../gateway-api/index.ts';
import type { Snapshot } from '../ir/index.ts';
import type { Steps } from '../std/steps/index.ts';
import type { AuthorityHolding } from './authorities-in-use.ts';
import type { BuildResult } from './build-result.ts';
import type {
  AccessHolding,
  AccessPlace,
  LimitHolding,
  Mishap,
  RouteStateCounts,
  TrafficHolding,
  UserCode,
} from './engine/index.ts';
import type { BackendSessions, ListenerView, ObjectReference, Rejection } from './model/index.ts';
import type { RoutePlace } from './routes/index.ts';

/**
 * The readable part of the graph: the newest resources, and the desired statuses and edges as of the last finished build. A build
 * under way is not visible. Nothing can be changed through it, and what it returns is never changed afterwards.
 */
export interface GraphView {
  /** Where hosts that users write may lead. */
  readonly hosts: HostRules;
  /** Code of users that proxies run. */
  readonly userCode: UserCode;
  /** The newest snapshot; undefined before the first full list of every kind was built. */
  snapshot(): Snapshot | undefined;
  list<K extends KindName>(kind: K): Iterable<ObjectByKind[K]>;
  /** `key` as keyOf makes it. */
  find<K extends KindName>(kind: K, key: string): ObjectByKind[K] | undefined;
  count(kind: KindName): number;
  /** A number that grows with each change of what is visible of these kinds: objects, and statuses that they should have. */
  revisionOf(...kinds: readonly KindName[]): number;
  /** How many routes are not served, or not whole; kept with each change. */
  unservedRoutes(): RouteStateCounts;
  /** The desired status of the object; undefined when it is not ours. */
  statusOf(kind: KindName, key: string): Status | undefined;
  /** Listeners of all Gateways of our classes. */
  listeners(): Iterable<ListenerView>;
  /** How many routes are attached to listeners of the Gateway (`NAMESPACE/NAME`), each once; kept with each change. */
  attachedRoutes(gateway: string): number;
  /** Key of the proxies that serve a Gateway, which is ir.Gateway.key: its own, unless it shares them. `gateway` itself when it is not ours. */
  fleetOf(gateway: string): string;
  /** Keys of the Gateways that the proxies of that key serve, the oldest first. */
  gatewaysOf(fleet: string): Iterable<string>;
  /** Which policies of access are for a place, and which of them are in force. */
  accessAt(place: AccessPlace): readonly AccessHolding[];
  /** What policies say of how requests are treated at a place, and which of them hold. */
  trafficAt(place: AccessPlace): readonly TrafficHolding[];
  /** What requests to a place count against, in the order in which they meet it. */
  limitsAt(place: AccessPlace): readonly LimitHolding[];
  /** Keys of the Gateways that a route is attached to, and the hosts that it has matches on there, by routeKey. */
  placesOf(route: string): readonly RoutePlace[];
  /** Routes that forward to the backend, by ir.Backend.key. */
  routesOfBackend(backend: string): Iterable<ObjectReference>;
  /** Objects that could not be resolved because of an error of ours, each once. */
  mishaps(): Iterable<Mishap>;
  /** Whether all proxies of the fleet reject this content. */
  isHeld(content: Omit<Rejection, 'message'>): boolean;
  /** Objects with authorities that something of ours names, and may. */
  authorities(): Iterable<AuthorityHolding>;
  /** Why nothing is sent to the host that the backend's object names, by ir.Backend.key; undefined: it has none, or it is fine. */
  hostFaultOf(backend: string): string | undefined;
  /** What is said of sessions of the backend, by ir.Backend.key. */
  sessionsOf(backend: string): BackendSessions;
  /**
   * A second, built graph with the same content, to try changes on. It is made in portions of some milliseconds, so the caller of
   * the steps can let others run between them. Throws a BuildFault as `build` does.
   */
  copy(now: Date): Steps<GraphCopy>;
}

/** A graph that serves no proxies. */
export interface GraphCopy extends GraphView {
  upsert<K extends KindName>(kind: K, object: ObjectByKind[K]): boolean;
  remove(kind: KindName, key: string): boolean;
  build(now: Date): BuildResult;
}
