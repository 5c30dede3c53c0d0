import type * as ir from '../../ir/index.ts';
import type { Guard, ListenerOwner, TargetNote } from '../model/index.ts';
import type { AnyEdge } from './edge.ts';
import type { ReferenceLookup } from './reference-lookup.ts';

/** A listener as policies are found by it. */
export interface GuardedListener {
  /** Unique within its owner. */
  readonly name: string;
  readonly owner: ListenerOwner;
}

/** A listener, and its port. */
export interface PortListener extends GuardedListener {
  readonly port: number;
}

/** A Gateway, and what its policies are resolved with. */
export interface GuardedGateway {
  readonly key: string;
  /** Key of the ir.Secret that its proxies show to backends. */
  readonly clientCertificate: string | undefined;
}

/**
 * How policies of a kind guard the listeners of Gateways: the graph asks when it resolves a Gateway, and marks the statuses of its policies. One
 * kind does so.
 */
export interface GatewaySettings {
  /** From the policies to Gateways and ListenerSets, by `targetOf`; it may lead to other targets as well. */
  readonly edge: AnyEdge;
  /** How the edge calls what declares listeners. */
  readonly targetOf: (owner: ListenerOwner) => string;
  /** What is demanded of requests to each listener of one Gateway, its ListenerSets' too. What several listeners share is one object. */
  readonly guardsOf: (
    gateway: GuardedGateway,
    lookup: ReferenceLookup,
  ) => (listener: GuardedListener) => Guard | undefined;
  /** What the status of a Gateway or ListenerSet, or of one of its listeners, says of the policies that are for it. */
  readonly noteAt: (
    owner: ListenerOwner,
    listener: string | undefined,
    lookup: ReferenceLookup,
  ) => TargetNote | undefined;
  /** What routes at each listener have for CORS that have none of their own. It is no demand: proxies read it from routes, so a change of it resolves all of them again. */
  readonly corsOf: (gateway: string, lookup: ReferenceLookup) => (listener: GuardedListener) => ir.Cors | undefined;
}
