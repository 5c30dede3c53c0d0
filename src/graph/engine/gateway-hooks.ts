import type * as ir from '../../ir/index.ts';
import type { Guard } from '../model/index.ts';
import type { AnyEdge } from './edge.ts';
import type { ReferenceLookup } from './reference-lookup.ts';

/** A Gateway as its policies are found by it. */
export interface GuardedGateway {
  readonly key: string;
  /** Key of the ir.Secret that its proxies show to backends. */
  readonly clientCertificate: string | undefined;
}

/**
 * How policies of a kind guard all requests to a Gateway: the graph asks when it resolves the Gateway, and marks the statuses of its policies. One
 * kind does so.
 */
export interface GatewaySettings {
  /** From the policies to Gateways, by `targetOf`; it may lead to other targets as well. */
  readonly edge: AnyEdge;
  /** How the edge calls a Gateway. */
  readonly targetOf: (gateway: string) => string;
  readonly guardOf: (gateway: GuardedGateway, lookup: ReferenceLookup) => Guard | undefined;
  /** What its routes have for CORS that have none of their own. It is no demand: proxies read it from routes, so a change of it resolves all of them again. */
  readonly corsOf: (gateway: string, lookup: ReferenceLookup) => ir.Cors | undefined;
}
