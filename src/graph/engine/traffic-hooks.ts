import type { PolicyKindName } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import type { ListenerOwner, ListenerTraffic, Observed, TargetNote } from '../model/index.ts';
import type { AccessPlace } from './access-hooks.ts';
import type { AnyEdge } from './edge.ts';
import type { FilterContent } from './filter-content.ts';
import type { GuardedListener, PortListener } from './gateway-hooks.ts';
import type { ReferenceLookup } from './reference-lookup.ts';

/** What one policy says of one group at a place. */
export interface TrafficHolding {
  readonly kind: PolicyKindName;
  readonly level: ir.AccessLevel;
  /** Which of the things that a policy may say. */
  readonly group: string;
  /** Key of the policy. */
  readonly policy: string;
  /**
   * - `disabled`: it holds, and says that what upper levels say does not.
   * - `overridden`: a policy of another level holds.
   * - `conflicted`: an older policy of the same target says something of the group.
   * - `leftOut`: it may be missing, and does not act: others have the places, or it is not available. `message` may say more.
   * - `closed`: it may not be missing, and does not act: requests are answered 503.
   * - `rejected`: it holds, and proxies reject it. `message` says what comes of it.
   */
  readonly state: 'inForce' | 'disabled' | 'overridden' | 'conflicted' | 'leftOut' | 'closed' | 'rejected';
  readonly message?: string;
  /** What proxies have of it as a filter. */
  readonly content?: FilterContent | undefined;
  /** Key of the policy that overrides it, or has its place. */
  readonly by?: string;
  /** As the policy has it. */
  readonly value?: unknown;
}

/** What policies are found by beside the objects. */
export interface TrafficLookup extends ReferenceLookup {
  readonly routes: { listenersOf(route: string, gateway: string): GuardedListener[] };
  readonly gateways: {
    listenersOf(gateway: string): readonly GuardedListener[];
    unpatchedListenersOf(gateway: string): readonly PortListener[];
    observedAt(gateway: string, listener: GuardedListener): Observed | undefined;
  };
}

/** A Gateway whose listeners' requests are treated. */
export interface TreatedGateway {
  readonly key: string;
  /** Key of the ir.Secret that its proxies show to backends. */
  readonly clientCertificate: string | undefined;
}

/**
 * How policies of a kind treat the requests to listeners of Gateways: the graph asks when it resolves a Gateway, and marks the statuses of its
 * policies. Several kinds may do so, each by fields of its own.
 */
export interface TrafficSettings {
  /** From the policies to Gateways and ListenerSets, by `targetOf`; it may lead to other targets as well. */
  readonly edge: AnyEdge;
  /** How the edge calls what declares listeners. */
  readonly targetOf: (owner: ListenerOwner) => string;
  /** What holds at each listener of one Gateway, its ListenerSets' too. What several listeners share is one object. */
  readonly trafficOf: (
    gateway: TreatedGateway,
    lookup: ReferenceLookup,
  ) => (listener: GuardedListener) => ListenerTraffic | undefined;
  /** What the status of a Gateway or ListenerSet, or of one of its listeners, says of the policies that are for it. */
  readonly noteAt: (
    owner: ListenerOwner,
    listener: string | undefined,
    lookup: ReferenceLookup,
  ) => TargetNote | undefined;
  /** Statuses of its policies depend on `observedAt` of the listeners of their routes. */
  readonly saysOfRecords?: true;
  /** For readers: which policy says what at a place, group by group, the outermost level first. */
  readonly holdingsAt: (place: AccessPlace, lookup: TrafficLookup) => readonly TrafficHolding[];
}
