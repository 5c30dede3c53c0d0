import type * as ir from '../../ir/index.ts';
import type { ConditionFault, CrowdedListener, FullListener, ListenerOwner, RawListener } from '../model/index.ts';
import type { GuardedListener } from './gateway-hooks.ts';
import type { ReferenceLookup } from './reference-lookup.ts';

/** Where requests meet policies of access. What is left out, no policy is looked for. */
export interface AccessPlace {
  /** Its key. */
  readonly gateway?: string;
  /** Of a Gateway, without a route: one of its listeners, or (without a name) all of a ListenerSet. */
  readonly listener?: { readonly owner: ListenerOwner; readonly name: string | undefined };
  /** As routeKey makes it. */
  readonly route?: string;
  /** Its name. */
  readonly rule?: string | undefined;
  /** Its position, also of a rule without a name. */
  readonly ruleIndex?: number;
}

/** One part of one policy at a place. */
export interface AccessHolding {
  readonly level: ir.AccessLevel;
  readonly part: ir.AccessPart;
  /** Key of the policy. */
  readonly policy: string;
  /**
   * - `closed`: something of it is not available, and requests are answered 500.
   * - `overridden`: a policy of a lower level switches it off.
   * - `conflicted`: an older policy of the same target has this part.
   */
  readonly state: 'inForce' | 'closed' | 'overridden' | 'conflicted';
  /** A server is asked about requests: of passwords, the agent. */
  readonly asks?: true;
  /** Key of the policy that overrides it, or has its place. */
  readonly by?: string;
  /** What is wrong with it, or with what it refers to. */
  readonly faults: readonly ConditionFault[];
}

/** What the explanation looks at. */
export interface AccessLookup extends ReferenceLookup {
  readonly routes: { listenersOf(route: string, gateway: string): GuardedListener[] };
  readonly gateways: {
    rawListenersOf(gateway: string): readonly RawListener[];
    crowdedListenersOf(gateway: string): readonly CrowdedListener[];
    fullListenersOf(gateway: string): readonly FullListener[];
  };
}

/** Says which policies of a kind guard a place. */
export interface AccessExplainer {
  /** In the order of parts, and of levels for each. */
  readonly holdingsAt: (place: AccessPlace, lookup: AccessLookup) => readonly AccessHolding[];
}
