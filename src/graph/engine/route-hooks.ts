import type * as ir from '../../ir/index.ts';
import type { ListenerTraffic, TargetNote } from '../model/index.ts';
import type { AnyEdge } from './edge.ts';
import type { ReferenceLookup } from './reference-lookup.ts';

/** A rule of a route for requests, as policies are found by it. */
export interface RuleOwner {
  /** As routeKey makes it. */
  readonly route: string;
  /** Its name, if it has one: the `sectionName` of policies that are for it alone. */
  readonly rule: string | undefined;
  /** Key of the ir.Secret that the Gateway's proxies show to backends. */
  readonly clientCertificate?: string | undefined;
  /** Its requests' paths are as clients spell them: rules by path do not hold. */
  readonly hasRawPaths?: boolean | undefined;
  /** What policies of the listener and above say. */
  readonly traffic?: ListenerTraffic | undefined;
}

/** What a policy says of one rule. */
export interface RuleSetting {
  /** In place of what the rule says. Where requests lead is for the route to say. */
  readonly fields?: Omit<Partial<ir.RouteRule>, 'action'>;
  /** What the policy demands is not available: requests are answered with an error, because they may not pass without it. */
  readonly isClosed?: true;
}

/**
 * How policies of a kind act on routes for requests: the graph applies those of all kinds in the order of the registry, and marks their
 * statuses when a route comes to other Gateways. A policy that is for a Gateway or a listener as well acts there by GatewaySettings or
 * ListenerSettings, so that its change marks no route.
 */
export interface RouteSettings {
  /** From the policies to routes, by routeKey; it may lead to other targets as well. */
  readonly edge: AnyEdge;
  /** `rule`: as its route describes it, and policies of the kinds before this one. */
  readonly settingOf: (owner: RuleOwner, rule: ir.RouteRule, lookup: ReferenceLookup) => RuleSetting | undefined;
  /** What a policy demands of the clients of a route of connections. */
  readonly connectionsOf?: (owner: RuleOwner, lookup: ReferenceLookup) => ir.RouteAccess | undefined;
  /** What the status of a route says of the policies that are for it or for its rules. `rules`: the names that they have. */
  readonly noteAt?: (route: string, rules: readonly string[], lookup: ReferenceLookup) => TargetNote | undefined;
}
