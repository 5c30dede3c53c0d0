import type * as ir from '../../ir/index.ts';
import type { ConditionFault, ListenerOwner, TargetNote } from '../model/index.ts';
import type { AccessPlace } from './access-hooks.ts';
import type { AnyEdge } from './edge.ts';
import type { GuardedListener } from './gateway-hooks.ts';
import type { ReferenceLookup } from './reference-lookup.ts';

/** One bucket of one policy at a place. */
export interface LimitHolding {
  readonly level: ir.AccessLevel;
  /** Key of the policy. */
  readonly policy: string;
  /** Its name in the policy. */
  readonly bucket: string;
  readonly phase: ir.LimitPhase;
  /** Which requests count, as the policy has it; undefined: every request. */
  readonly match?: unknown;
  /** What requests count against; undefined: it is left out, for what is wrong with it. */
  readonly value: ir.LimitBucket | undefined;
  readonly faults: readonly ConditionFault[];
  /** Why no request of this place counts against it, although the policy is for it. */
  readonly idle?: string;
}

/** What limits are found by beside the objects. */
export interface LimitLookup extends ReferenceLookup {
  readonly routes: { listenersOf(route: string, gateway: string): GuardedListener[] };
}

/**
 * How policies of a kind limit the requests to listeners of Gateways: the graph asks when it resolves a Gateway, and marks the statuses of its
 * policies. A change of them marks no route. One kind does so.
 */
export interface LimitSettings {
  /** From the policies to Gateways and ListenerSets, by `targetOf`; it may lead to other targets as well. */
  readonly edge: AnyEdge;
  /** How the edge calls what declares listeners. */
  readonly targetOf: (owner: ListenerOwner) => string;
  /** What requests to each listener of one Gateway count against. What several listeners share is one object. */
  readonly limitsOf: (
    gateway: string,
    lookup: ReferenceLookup,
  ) => (listener: GuardedListener) => readonly ir.ListenerLimits[];
  /** What the status of a Gateway or ListenerSet, or of one of its listeners, says of the policies that are for it. */
  readonly noteAt: (
    owner: ListenerOwner,
    listener: string | undefined,
    lookup: ReferenceLookup,
  ) => TargetNote | undefined;
  /** For readers: which buckets a place has, in the order in which requests meet them. */
  readonly holdingsAt: (place: AccessPlace, lookup: LimitLookup) => readonly LimitHolding[];
}
