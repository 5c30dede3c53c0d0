import type * as ir from '../../ir/index.ts';
import type { BackendSession } from '../model/index.ts';
import type { AnyEdge } from './edge.ts';
import type { Lookup } from './lookup.ts';

/** What a policy says of one backend. */
export interface BackendSetting {
  readonly fields?: Partial<ir.Backend>;
  /** There is no way to the backend that the policy allows: it gets no endpoints. */
  readonly isClosed?: true;
  /** In place of its own. */
  readonly endpoints?: readonly ir.Endpoint[];
  readonly failover?: Failover;
}

/** Where requests go while too few of a backend's own endpoints are well. */
export interface Failover {
  /** Endpoints of each step, in the order in which they are used. */
  readonly steps: readonly (readonly ir.Endpoint[])[];
  /** As ir.Endpoints.failoverBelow. */
  readonly belowPercent: number;
}

/**
 * How policies of a kind act on backends: the graph applies those of all kinds in the order of the registry, and marks their statuses when
 * the use of a backend changes.
 */
export interface BackendSettings {
  /** From the policies to owners of backends, see backendOwner. */
  readonly edge: AnyEdge;
  /** Their statuses say what proxies reject of the backends. */
  readonly reportsRejections: boolean;
  /** `backend`: as its Service, or whatever it is of, describes it. */
  readonly settingOf: (owner: string, backend: ir.Backend, lookup: Lookup) => BackendSetting | undefined;
  /** What is said of sessions, if anything. It is in the routes that lead to the backend, which the kind marks itself. */
  readonly sessionOf?: (owner: string, lookup: Lookup) => BackendSession | undefined;
  /** What is allowed of default retries. It is in routes, as sessions are. */
  readonly retriesOf?: (owner: string, lookup: Lookup) => ir.RetryLimit | undefined;
}
